#include "engine/index/src/rocks/byte_codec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trommel::index {

void AppendNumber(uint64_t number, std::string& bytes) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>((number & 0x7f) | 0x80));
  bytes.push_back(static_cast<char>(number));
}

void AppendString(std::string_view text, std::string& bytes) {
  AppendNumber(text.size(), bytes);
  bytes.append(text);
}

std::optional<uint64_t> ByteReader::Number(uint64_t largest) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    const uint64_t bits = byte & 0x7f;
    if (bits << shift >> shift != bits) return std::nullopt;
    number |= bits << shift;
    if (byte < 0x80) {
      const bool is_shortest = byte != 0 || shift == 0;
      if (!is_shortest || number > largest) return std::nullopt;
      return number;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> ByteReader::String(size_t longest) {
  const std::optional<uint64_t> length = Number(longest);
  if (!length) return std::nullopt;
  return Bytes(*length);
}

std::optional<std::string_view> ByteReader::Bytes(size_t length) {
  if (length > rest_.size()) return std::nullopt;
  const std::string_view text = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return text;
}

std::string Quoted(std::string_view key) {
  constexpr size_t kShown = 40;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : key.substr(0, kShown)) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      text += c;
    } else {
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 0xf];
    }
  }
  return text + (key.size() > kShown ? "\"..." : "\"");
}

}  // namespace trommel::index
