// A caller's batch: checked as a whole before anything happens, then passed on in place where the
// library reads that layout, and in rounds of digests where it does not.
//
// A thread of the caller may write to the keys meanwhile, which is a mistake of its program. Then
// it is other keys that are inserted, erased or answered, and nothing worse: each key is read once
// after it was checked, and within what was checked.
#ifndef TROMMEL_ENGINE_C_SRC_BATCH_H_
#define TROMMEL_ENGINE_C_SRC_BATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trommel/any_filter.h"
#include "trommel/c.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"

namespace trommel::c_abi {

// Throws Failure unless an array of the caller's has `num_wanted` entries, which `num_keys` keys
// need.
void CheckEntries(const void* entries, int64_t num_entries, size_t num_wanted, size_t num_keys,
                  size_t alignment, std::string_view name);

class Batch {
 public:
  // Throws Failure for keys that are not sound, or that the policy cannot hash. Cost: for offsets
  // and slices one pass over them. `policy` and `executor`, which may be null, must outlive it.
  Batch(const trommel_keys* keys, const DigestPolicy& policy, Executor* executor,
        std::string_view name = "keys");

  size_t size() const noexcept { return static_cast<size_t>(keys_.num_keys); }

  // Checks an output with one entry per key (or word of the bitmap) and returns it.
  template <class T>
  std::span<T> Output(T* entries, int64_t num_entries, size_t num_wanted,
                      std::string_view name) const {
    CheckEntries(entries, num_entries, num_wanted, size(), alignof(T), name);
    CheckApart({reinterpret_cast<const std::byte*>(entries), num_wanted * sizeof(T)}, name);
    return {entries, num_wanted};
  }
  // The same of a bitmap. An optional one that is left out is empty.
  std::span<uint64_t> Bitmap(uint64_t* words, int64_t num_words, std::string_view name) const {
    return Output(words, num_words, BitmapWords(size()), name);
  }
  std::span<uint64_t> OptionalBitmap(uint64_t* words, int64_t num_words,
                                     std::string_view name) const {
    if (words == nullptr && num_words == 0) return {};
    return Bitmap(words, num_words, name);
  }

  // Calls use(Keys, first) for one round after another; rounds begin at multiples of 64 keys. There
  // is at least one, which may be empty.
  template <class Use>
  void ForEachRound(const Use& use) const {
    if (InPlace()) {
      use(View(), size_t{0});
      return;
    }
    std::vector<uint64_t> digests(std::min(size(), kRoundKeys));
    size_t first = 0;
    do {
      const size_t num_keys = std::min(size() - first, kRoundKeys);
      const std::span round(digests.data(), num_keys);
      Digests(first, round);
      use(Keys::Digests(round), first);
      first += num_keys;
    } while (first < size());
  }

  // Calls use(Keys) for all keys at once. Unless they are read in place, digests of all of them are
  // made.
  template <class Use>
  void AsWhole(const Use& use) const {
    if (InPlace()) {
      use(View());
      return;
    }
    std::vector<uint64_t> digests(size());
    Digests(0, digests);
    use(Keys::Digests(digests));
  }

  // Returns use(Keys) of all keys, as they are: not digests of other kinds of keys. Copies those
  // that the library does not read in place, or views of them.
  template <class Use>
  auto WithKeys(const Use& use) const {
    if (InPlace()) return use(View());
    if (keys_.kind > TROMMEL_KEYS_DIGESTS) {
      std::vector<std::string_view> views(size());
      for (size_t i = 0; i < views.size(); ++i) views[i] = BytesOfKey(i);
      return use(Keys(views));
    }
    if (keys_.kind == TROMMEL_KEYS_INT32) {
      std::vector<int32_t> integers(size());
      CopyIntegers(0, std::span(integers));
      return use(Keys::Int32(std::span<const int32_t>(integers)));
    }
    std::vector<uint64_t> integers(size());
    CopyIntegers(0, std::span(integers));
    const std::span<const uint64_t> words(integers);
    return use(keys_.kind == TROMMEL_KEYS_DIGESTS ? Keys::Digests(words) : Keys(words));
  }

  // Writes the digests of the keys from `first` on. Requires that there are so many.
  void Digests(size_t first, std::span<uint64_t> digests) const;

 private:
  static constexpr size_t kRoundKeys = size_t{1} << 20;

  bool InPlace() const noexcept;
  Keys View() const noexcept;
  void CheckBytes(std::string_view name);
  void CheckApart(std::span<const std::byte> output, std::string_view name) const;
  // Integers and digests from key `first` on.
  template <class T>
  void CopyIntegers(size_t first, std::span<T> copies) const noexcept;
  void DigestChunk(size_t first, std::span<uint64_t> digests) const noexcept;
  std::string_view BytesOfKey(size_t i) const noexcept;
  int64_t OffsetOf(size_t i) const noexcept;

  trommel_keys keys_;
  int64_t first_offset_ = 0;  // of BYTES32 and BYTES64, when they were checked
  int64_t last_offset_ = 0;
  const DigestPolicy& policy_;
  Executor* executor_;
};

// Whether they have a byte in common.
bool ShareBytes(std::span<const std::byte> a, std::span<const std::byte> b) noexcept;

// The key, or a Failure.
Key KeyOf(trommel_key key, const DigestPolicy& policy);

// The words of a bitmap that belong to a round; of one that was left out, none.
inline std::span<uint64_t> WordsOf(std::span<uint64_t> bitmap, size_t first, size_t num_keys) {
  if (bitmap.empty()) return {};
  return bitmap.subspan(first / 64, BitmapWords(num_keys));
}

// How many times the insertion of absent keys tells.
constexpr size_t NumChunks(size_t num_keys) noexcept {
  return (num_keys + AnyFilter::kChunkKeys - 1) / AnyFilter::kChunkKeys;
}

// Add what a batch did.
inline void Add(const InsertOutcome& of, trommel_outcome& total) {
  total.num_done += of.num_inserted;
  total.num_refused += of.num_refused;
  if (of.refusal != GrowthRefusal::kNone) total.refusal = static_cast<int32_t>(of.refusal);
}
inline void Add(const EraseOutcome& of, trommel_outcome& total) {
  total.num_done += of.num_erased;
  total.num_refused += of.num_refused;
  total.num_expired += of.num_expired;
}

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_BATCH_H_
