// How one record's text becomes a key. Nothing here reads files or allocates, but for errors.
#include "tools/trommel/input/key_format.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr std::array<std::pair<std::string_view, KeyFormat>, 7> kFormatNames = {{
    {"lines", KeyFormat::kLines},
    {"nul", KeyFormat::kNul},
    {"hex", KeyFormat::kHex},
    {"u64", KeyFormat::kU64},
    {"raw64", KeyFormat::kRaw64},
    {"tsv", KeyFormat::kTsv},
    {"hosts", KeyFormat::kHosts},
}};

Error Invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// The value of each byte as a hex digit, or 16. A table, because digits are random and branches on
// them would be mispredicted.
constexpr std::array<uint8_t, 256> kHexValues = [] {
  std::array<uint8_t, 256> values = {};
  values.fill(16);
  for (uint8_t value = 0; value < 16; ++value) {
    values[static_cast<uint8_t>("0123456789abcdef"[value])] = value;
    values[static_cast<uint8_t>("0123456789ABCDEF"[value])] = value;
  }
  return values;
}();

}  // namespace

std::optional<KeyFormat> KeyFormatFromName(std::string_view name) noexcept {
  for (const auto& [format_name, format] : kFormatNames) {
    if (format_name == name) return format;
  }
  return std::nullopt;
}

bool IsInteger(KeyFormat format) noexcept {
  return format == KeyFormat::kU64 || format == KeyFormat::kRaw64;
}

std::string_view Terminator(KeyFormat format) noexcept {
  if (format == KeyFormat::kRaw64) return {};
  if (format == KeyFormat::kNul) return {"\0", 1};
  return "\n";
}

Result<size_t> DecodeHex(std::string_view digits, char* bytes) {
  if (digits.size() % 2 != 0) {
    return Invalid(fmt::format("odd number of hex digits ({}): {}", digits.size(), Quoted(digits)));
  }
  for (size_t i = 0; i < digits.size(); i += 2) {
    const unsigned high = kHexValues[static_cast<uint8_t>(digits[i])];
    const unsigned low = kHexValues[static_cast<uint8_t>(digits[i + 1])];
    if ((high | low) > 15) return Invalid(fmt::format("not hex digits: {}", Quoted(digits)));
    bytes[i / 2] = static_cast<char>(high << 4 | low);
  }
  return digits.size() / 2;
}

Result<uint64_t> ParseU64(std::string_view digits) {
  uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value);
  if (code == std::errc::result_out_of_range && stop == end) {
    return Invalid(fmt::format("larger than 18446744073709551615: {}", Quoted(digits)));
  }
  if (code != std::errc() || stop != end) {
    return Invalid(fmt::format("not a decimal integer: {}", Quoted(digits)));
  }
  return value;
}

std::optional<std::string_view> Column(std::string_view line, size_t column_idx) noexcept {
  for (; column_idx > 0; --column_idx) {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return std::nullopt;
    line.remove_prefix(tab + 1);
  }
  return line.substr(0, line.find('\t'));
}

std::optional<size_t> ColumnIndex(std::string_view header, std::string_view name) noexcept {
  for (size_t column_idx = 0;; ++column_idx) {
    const std::optional<std::string_view> column = Column(header, column_idx);
    if (!column) return std::nullopt;
    if (*column == name) return column_idx;
  }
}

namespace {

constexpr std::string_view kSpaces = " \t\r";

// Takes the first word off the line; empty at its end.
std::string_view NextWord(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpaces));
  line.remove_prefix(word.size());
  return word.starts_with('#') ? std::string_view() : word;
}

// An IPv4 address, or an IPv6 one with or without its zone: fe80::1%lo0.
bool IsAddress(std::string_view word) {
  const std::string text(word.substr(0, word.find('%')));
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

// Letters, digits, bytes of UTF-8, and what names have between them.
bool IsName(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (byte >= '0' && byte <= '9') ||
           ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || c == '.' || c == '-' || c == '_';
  });
}

// A rule of an ad blocker: for part of a name, for a path, for what is on a page, or an exception.
bool IsRule(std::string_view line) {
  if (line.starts_with('|') || line.starts_with("@@") || line.starts_with('/')) return true;
  constexpr std::array<std::string_view, 5> kOnPages = {"##", "#@#", "#?#", "#$#", "#%#"};
  return std::ranges::any_of(kOnPages, [line](std::string_view mark) {
    return line.find(mark) != std::string_view::npos;
  });
}

}  // namespace

Status AddHostNames(std::string_view line, std::vector<std::string_view>& names) {
  std::string_view rest = line;
  std::string_view first = NextWord(rest);
  if (first.empty() || first.starts_with('!') || first.starts_with('[')) return Ok();
  std::string_view left = rest;
  const std::string_view second = NextWord(left);
  if (first.starts_with("||") && first.ends_with('^')) {
    const std::string_view name = first.substr(2, first.size() - 3);
    if (IsName(name)) names.push_back(name);
    return Ok();
  }
  if (second.empty() && IsName(first) && !IsAddress(first)) {
    names.push_back(first);
    return Ok();
  }
  if (!second.empty() && IsAddress(first)) {
    rest = rest.substr(0, rest.find('#'));  // hosts(5): a comment needs no space before it
    for (std::string_view name = NextWord(rest); !name.empty(); name = NextWord(rest)) {
      names.push_back(name);
    }
    return Ok();
  }
  if (IsRule(first) || IsRule(line)) return Ok();
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("no line of names: must be an address and names, ||NAME^ or a name; "
                           "got {}",
                           Quoted(line))};
}

}  // namespace trommel::tool
