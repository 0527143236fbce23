// What an input is by its first bytes: text, or something that only looks like lines by accident.
#ifndef TROMMEL_TOOLS_INPUT_KIND_H_
#define TROMMEL_TOOLS_INPUT_KIND_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trommel::tool {

enum class InputKind : uint8_t {
  kText,  // or unknown
  kGzip,
  kBzip2,
  kXz,
  kZstd,
  kTrommel,
  kUtf16,  // with a byte order mark, as the next
  kUtf32,
  kBinary,  // has NUL bytes
};

// The three bytes that some programs write before UTF-8 text.
inline constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

// Of a first line that is longer, no more is looked at.
inline constexpr size_t kStartBytes = 4096;

// The kind of an input that begins with `start`. Requires that this reaches to the end of the first
// line, or has kStartBytes, or is all: the bytes that name a format stand before any newline, and
// what is behind the first one is not looked at, so that the answer does not depend on how much of
// a pipe was read.
InputKind KindOfInput(std::string_view start) noexcept;

// The same for records that end in NUL, where that byte says nothing.
InputKind KindOfNulRecords(std::string_view start) noexcept;

// A format of compressed data, and the program that reads it: PROGRAM -dc.
struct CompressedKind {
  InputKind kind;
  const char* name;
  const char* program;
};

// Returns null for kinds that are not compressed.
const CompressedKind* FindCompressed(InputKind kind) noexcept;

// What is wrong with lines of this kind in the input of that name ("(stdin)" for standard input),
// and what to do: "a.txt: UTF-16 text, not lines: try: iconv ... a.txt | trommel ... -". Empty for
// kText. `program` is the command's name; only of "trommel" it names --as-lines and, unless what is
// read are rows, which have no such option, --keys. `was_compressed`: the lines are what the file
// decompresses to.
std::string RefusalOf(InputKind kind, const std::string& name, std::string_view program,
                      bool are_rows, bool was_compressed = false);

// True if `text` has a line and all its lines end in CR LF.
bool HasOnlyCrLf(std::string_view text) noexcept;

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INPUT_KIND_H_
