// The text of the test vectors: lines, words, options, keys, and how results are spelled.
#ifndef TROMMEL_TESTS_VECTORS_VECTOR_TEXT_H_
#define TROMMEL_TESTS_VECTORS_VECTOR_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trommel/digest.h"
#include "trommel/keys.h"
#include "trommel/result.h"

namespace trommel::vectors {

// A call: words up to the arrow, without the options; name=value; and the result.
struct Line {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> options;
  std::string call;      // all before the arrow
  std::string expected;  // all behind it
  bool has_result = false;
};
// A line of the file; no words for a comment or an empty line.
Line ParseLine(const std::string& text);

std::string Option(const Line& line, std::string_view name, std::string by_default = "");
uint64_t NumberOption(const Line& line, std::string_view name, uint64_t by_default = 0);
double RateOption(const Line& line, std::string_view name, double by_default);
// A decimal number, which may be negative: then it wraps.
uint64_t NumberOf(const std::string& text);

// "a,b" without empty parts.
std::vector<std::string> Split(const std::string& text);
std::vector<uint64_t> SplitNumbers(const std::string& text);

std::string FromHex(std::string_view hex);
std::string HexOf(uint64_t number);  // 16 digits

// The keys of a "keys" line, which own their memory.
struct VectorKeys {
  std::string kind;
  std::vector<uint64_t> words;  // int64, digests
  std::vector<int32_t> narrow;
  std::vector<std::string> strings;

  Keys View() const;
  Key At(size_t i) const;
};
VectorKeys ParseKeys(std::span<const std::string> words);  // without "keys NAME"

using Bytes = std::vector<std::byte>;

// The bytes that lines name.
struct NamedBytes {
  explicit NamedBytes(std::filesystem::path samples_folder) : samples(std::move(samples_folder)) {}
  // Runs a call that makes or changes bytes; returns nothing for others.
  std::optional<std::string> Run(const Line& line);

  std::filesystem::path samples;  // of "file" lines
  std::map<std::string, Bytes> named;
};

// "bits=.." of a bitmap for so many keys.
std::string BitsText(std::span<const uint64_t> bitmap, size_t num_keys);
std::string DoneText(uint64_t num_done, uint64_t num_refused);
std::string PresentText(uint64_t num_present, std::span<const uint64_t> bitmap, size_t num_keys);
std::string Join(std::span<const uint64_t> numbers);
// "size=N xxh64=H".
std::string BytesText(std::span<const std::byte> bytes);
std::string ErrorText(const Error& error);
DigestKey DigestKeyOption(const Line& line);
DigestPolicy PolicyOption(const Line& line);

}  // namespace trommel::vectors

#endif  // TROMMEL_TESTS_VECTORS_VECTOR_TEXT_H_
