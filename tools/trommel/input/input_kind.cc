// Formats by the bytes that they begin with.
#include "tools/trommel/input/input_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

struct Start {
  std::string_view bytes;
  InputKind kind;
};

using std::string_view_literals::operator""sv;

constexpr std::array kStarts = {
    Start{"\x1f\x8b\x08"sv, InputKind::kGzip},  // RFC 1952: deflate is the only method
    Start{"\xfd\x37\x7a\x58\x5a\x00"sv, InputKind::kXz},
    Start{"\x28\xb5\x2f\xfd"sv, InputKind::kZstd},
    Start{"\x89TRM\r\n\x1a\n"sv, InputKind::kTrommel},
    Start{"\xff\xfe"sv, InputKind::kUtf16},
    Start{"\xfe\xff"sv, InputKind::kUtf16},
};

// The first begins as kUtf16 does: what would follow that mark is a NUL, which is in no text.
constexpr std::array kUtf32Marks = {"\xff\xfe\0\0"sv, "\0\0\xfe\xff"sv};

// "BZh", a digit, and the first block's or the last one's mark: the first four could be a word.
bool IsBzip2(std::string_view start) {
  constexpr std::string_view kBlock = "\x31\x41\x59\x26\x53\x59";
  constexpr std::string_view kEnd = "\x17\x72\x45\x38\x50\x90";
  if (start.size() < 4 || !start.starts_with("BZh") || start[3] < '1' || start[3] > '9') {
    return false;
  }
  const std::string_view mark = start.substr(4);
  return mark.starts_with(kBlock) || mark.starts_with(kEnd);
}

// Of a command: a name with a dash in front would be an option.
std::string FileWord(const std::string& name) {
  return ShellWord(name.starts_with('-') ? "./" + name : name);
}

constexpr std::array kCompressed = {
    CompressedKind{InputKind::kGzip, "gzip", "gzip"},
    CompressedKind{InputKind::kBzip2, "bzip2", "bzip2"},
    CompressedKind{InputKind::kXz, "xz", "xz"},
    CompressedKind{InputKind::kZstd, "zstd", "zstd"},
};

}  // namespace

const CompressedKind* FindCompressed(InputKind kind) noexcept {
  const auto* const found = std::ranges::find(kCompressed, kind, &CompressedKind::kind);
  return found == kCompressed.end() ? nullptr : found;
}

InputKind KindOfNulRecords(std::string_view start) noexcept {
  for (const Start& known : kStarts) {
    if (start.starts_with(known.bytes)) return known.kind;
  }
  return IsBzip2(start) ? InputKind::kBzip2 : InputKind::kText;
}

InputKind KindOfInput(std::string_view start) noexcept {
  for (const std::string_view mark : kUtf32Marks) {
    if (start.starts_with(mark)) return InputKind::kUtf32;
  }
  const InputKind kind = KindOfNulRecords(start);
  if (kind != InputKind::kText) return kind;
  const std::string_view most = start.substr(0, kStartBytes);
  const bool has_nul = most.substr(0, most.find('\n')).find('\0') != std::string_view::npos;
  return has_nul ? InputKind::kBinary : InputKind::kText;
}

std::string RefusalOf(InputKind kind, const std::string& name, std::string_view program,
                      bool are_rows, bool was_compressed) {
  const bool is_piped = was_compressed || name == "(stdin)";
  const bool is_trommel = program == "trommel";
  const char* const as_lines = is_trommel ? " (--as-lines takes it as it is)" : "";
  const auto through = [&](std::string_view what, std::string_view filter) {
    return fmt::format(
        "{}: {}, not lines: try: {} | {} ... -{}", name, what,
        is_piped ? fmt::format("... | {}", filter) : fmt::format("{} {}", filter, FileWord(name)),
        program, as_lines);
  };
  switch (kind) {
    case InputKind::kText:
      return "";
    case InputKind::kGzip:
    case InputKind::kBzip2:
    case InputKind::kXz:
    case InputKind::kZstd:  // within data that was decompressed
      return through(fmt::format("{} data", FindCompressed(kind)->name),
                     fmt::format("{} -dc", FindCompressed(kind)->program));
    case InputKind::kTrommel:
      return fmt::format("{}: a file of Trommel, not lines: trommel merge adds filters up{}", name,
                         as_lines);
    case InputKind::kUtf16:
      return through("UTF-16 text", "iconv -f UTF-16 -t UTF-8");
    case InputKind::kUtf32:
      return through("UTF-32 text", "iconv -f UTF-32 -t UTF-8");
    case InputKind::kBinary:
      break;
  }
  return fmt::format("{}: a NUL byte in the first line, so these are no lines{}{}", name,
                     is_trommel && !are_rows
                         ? ": keys that end in NUL take --keys nul, integers of 8 bytes --keys "
                           "raw64"
                         : "",
                     as_lines);
}

bool HasOnlyCrLf(std::string_view text) noexcept {
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
    if (end == begin || text[end - 1] != '\r') return false;
    begin = end + 1;
  }
  return begin > 0;
}

}  // namespace trommel::tool
