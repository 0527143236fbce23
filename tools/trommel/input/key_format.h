// What a key looks like in the input, and how one record's text becomes a key.
#ifndef TROMMEL_TOOLS_KEY_FORMAT_H_
#define TROMMEL_TOOLS_KEY_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/output/number_text.h"
#include "trommel/result.h"

namespace trommel::tool {

// How far times may leap past the latest of those before, and past `clock`.
struct LeapLimit {
  uint64_t max_leap = UINT64_MAX;  // ticks; UINT64_MAX: any
  std::optional<uint64_t> clock;   // none: the first time sets it
};

enum class KeyFormat : uint8_t {
  kLines,  // a line's bytes
  kNul,    // the bytes up to a NUL
  kHex,    // a line of hex digits, two per byte
  kU64,    // a line with a decimal integer, hashed as 8 little-endian bytes
  kRaw64,  // 8 little-endian bytes, nothing between
  kTsv,    // columns of a tab-separated line: of several the tuple's key (trommel/tuples.h)
  kHosts,  // the names of a line of a hosts file or a list of domains (host_names.h)
};

// A column of a tab-separated line.
struct ColumnChoice {
  size_t idx = 0;    // counted from 0; not used when there is a name
  std::string name;  // looked up in each file's first line
};

struct KeyOptions {
  KeyFormat format = KeyFormat::kLines;
  std::vector<ColumnChoice> columns = std::vector<ColumnChoice>(1);  // kTsv: no two alike
  std::optional<ColumnChoice> time_column;                           // kTsv: when it came
  TimeUnit time_unit = TimeUnit::kSeconds;
  bool has_header = false;  // kTsv: each file's first line is not a key
  bool strip_cr = false;    // a carriage return before the newline is not part of the key
  bool keep_empty = false;  // an empty key is a key; otherwise it is skipped and counted
  // However a file begins, it is lines: not compressed data, UTF-16 or a program (input_kind.h),
  // and a byte order mark is part of the first one.
  bool as_lines = false;
  std::string comment;    // lines that begin with it are skipped; empty: there are none
  bool are_rows = false;  // kLines: rows of columns, read by commands that have no --keys
  LeapLimit leaps;        // of the times
};

// "lines", "nul", "hex", "u64", "raw64", "tsv" or "hosts"; nothing for other names.
std::optional<KeyFormat> KeyFormatFromName(std::string_view name) noexcept;

// True if the line begins with `comment`, which is not empty.
inline bool IsComment(std::string_view line, std::string_view comment) noexcept {
  return !comment.empty() && line.starts_with(comment);
}

// True if keys of this format are 64-bit integers, false if they are strings of bytes.
bool IsInteger(KeyFormat format) noexcept;

// What ends a record, and is written after it when it is passed on: "\n", "\0" or nothing.
std::string_view Terminator(KeyFormat format) noexcept;

// Decodes pairs of hex digits of either case into `bytes`, which must have room for half as many as
// there are digits. Returns how many bytes. Fails with kInvalidArgument, without context.
Result<size_t> DecodeHex(std::string_view digits, char* bytes);

// A decimal integer of 0 .. 2^64 - 1: digits only. Fails with kInvalidArgument, without context.
Result<uint64_t> ParseU64(std::string_view digits);

// The given column of a tab-separated line; nothing if the line has fewer.
std::optional<std::string_view> Column(std::string_view line, size_t column_idx) noexcept;

// The index of the column with that name in a header line; nothing if there is none.
std::optional<size_t> ColumnIndex(std::string_view header, std::string_view name) noexcept;

// The names in a line of a hosts file, or of a list of domains to block.

// Appends the line's names to `names`, as views into it:
//
//   0.0.0.0 ads.example [more.example ...]   hosts(5): an address and names
//   ||ads.example^                           a rule of ad blockers for a whole domain
//   ads.example                              a list of names
//
// What follows a '#' at the beginning or behind a space is a comment; so is a line that begins with
// '!' or '['. Rules of other kinds have no name: none is appended. Fails with kInvalidArgument for
// lines of other kinds.
Status AddHostNames(std::string_view line, std::vector<std::string_view>& names);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_FORMAT_H_
