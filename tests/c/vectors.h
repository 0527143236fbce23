// Runs the calls of test vectors against the C ABI, in the language of its C++ runner.
#ifndef TROMMEL_TESTS_C_VECTORS_H_
#define TROMMEL_TESTS_C_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trommel/c.h"
#include "vectors/vector_text.h"

namespace trommel::vectors {

// Throws, naming what does not hold.
void Check(bool holds, const std::string& what);

// A struct of the ABI, zeroed.
template <class T>
T Sized() {
  T made = {};
  made.struct_size = sizeof(made);
  return made;
}

template <auto kFree>
struct FreeWith {
  template <class T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};
template <class T, auto kFree>
using Handle = std::unique_ptr<T, FreeWith<kFree>>;

// Keys in all layouts of their kind.
class LaidOutKeys {
 public:
  explicit LaidOutKeys(VectorKeys keys);

  size_t size() const { return keys_.words.size() + keys_.narrow.size() + keys_.strings.size(); }
  // The keys in a layout of their kind, by turns.
  trommel_keys View(uint64_t variant) const;
  trommel_key At(size_t i) const;

 private:
  static constexpr int64_t kApart = 13;  // bytes from one integer to the next: not aligned

  const void* Adjacent() const;

  VectorKeys keys_;
  int32_t kind_ = 0;
  std::string bytes_;  // of all strings; or integers apart, the last one first
  std::vector<int64_t> offsets64_;
  std::vector<int32_t> offsets32_;
  std::vector<trommel_slice> slices_;
};

// The digest policy of a line.
class Policy {
 public:
  explicit Policy(const Line& line);
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  const trommel_digest_policy* get() const { return &policy_; }
  const uint8_t* key() const {
    return key_.size() == 16 ? reinterpret_cast<const uint8_t*>(key_.data()) : nullptr;
  }

 private:
  const std::string key_;
  trommel_digest_policy policy_ = Sized<trommel_digest_policy>();
};

// Returns where the name is; 0 if it is not there.
int32_t IndexOf(const std::vector<std::string_view>& names, std::string_view name);
// "ok", or "error CODE".
std::string CodeText(trommel_code code, const trommel_error& error);
inline bool IsYes(int32_t answer) {
  Check(answer == 0 || answer == 1, "yes or no");
  return answer == 1;
}
inline std::vector<uint64_t> BitmapFor(const trommel_keys& keys) {
  return std::vector<uint64_t>(static_cast<size_t>(trommel_bitmap_words(keys.num_keys)));
}
// What serialize(buffer, size, &needed) writes, which is asked for its size first.
template <class Serialize>
Bytes BytesOf(const Serialize& serialize) {
  int64_t size = 0;
  Check(serialize(nullptr, 0, &size) == TROMMEL_OK, "a size");
  Bytes bytes(static_cast<size_t>(size));
  Check(serialize(bytes.data(), size, &size) == TROMMEL_OK, "bytes");
  return bytes;
}

class CRunner {
 public:
  // `samples` is the folder of "file" lines.
  explicit CRunner(std::filesystem::path samples) : bytes_(std::move(samples)) {}

  // Returns the call's result as the vectors spell it. Throws for a call that is none.
  std::string Run(const Line& line);

 private:
  // Each runs the calls of one kind, and returns nothing for others.
  std::optional<std::string> RunOnBytes(const Line& line);
  std::optional<std::string> RunOnWholes(const Line& line);
  std::optional<std::string> RunOnWindow(const Line& line);
  std::string RunOnBatch(const Line& line);
  // In vector_sets.cc.
  std::optional<std::string> RunOnColumns(const Line& line);
  std::optional<std::string> RunOnTuples(const Line& line);
  std::string CreateColumns(const Line& line);
  std::string CreateAttributes(const Line& line);
  std::string LoadAttributes(const Line& line);
  std::string Create(const Line& line);
  std::string Load(const Line& line);

  trommel_keys View(const std::string& name) const { return keys_.at(name).View(num_calls_); }
  Bytes& bytes(const std::string& name) { return bytes_.named[name]; }
  // The answers of calls of one key each.
  template <class Ask>
  std::string EachText(const std::string& title, const std::string& name, const Ask& ask) const {
    const LaidOutKeys& keys = keys_.at(name);
    std::vector<uint64_t> bitmap((keys.size() + 63) / 64);
    uint64_t num_yes = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const bool yes = IsYes(ask(keys.At(i)));
      bitmap[i / 64] |= uint64_t{yes} << i % 64;
      num_yes += yes ? 1 : 0;
    }
    return title + std::to_string(num_yes) + " " + BitsText(bitmap, keys.size());
  }
  // A trommel_source over Bytes; refuses ranges beyond them.
  static int32_t ReadBytes(void* context, int64_t offset, void* buffer, int64_t num_bytes);

  struct Columns {
    Handle<trommel_column_map, trommel_column_map_free> map;
    size_t num_columns = 0;
  };

  uint64_t num_calls_ = 0;
  std::map<std::string, LaidOutKeys> keys_;
  std::map<std::string, Handle<trommel_filter, trommel_filter_free>> filters_;
  std::map<std::string, Columns> columns_;
  std::map<std::string, Handle<trommel_attributes, trommel_attributes_free>> attributes_;
  NamedBytes bytes_;
};

}  // namespace trommel::vectors

#endif  // TROMMEL_TESTS_C_VECTORS_H_
