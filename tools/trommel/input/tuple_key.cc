// Tuples to keys and to text, and back.
#include "tools/trommel/input/tuple_key.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr char kZero = '\0';
constexpr char kZeroInValue = '\xff';
constexpr char kEndOfValue = '\x01';
constexpr std::string_view kHexDigits = "0123456789abcdef";

// The bytes of the UTF-8 sequence at the beginning of the text, which is not empty; 0 if there is
// none (The Unicode Standard, table 3-7).
size_t Utf8Length(std::string_view text) {
  const auto byte = [text](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
  };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const uint8_t most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

// U+0000 to U+001f and U+007f to U+009f.
bool IsControl(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<uint8_t>(character[1]) < 0xa0;
}

void AppendEscaped(std::string_view part, std::string& text) {
  while (!part.empty()) {
    const size_t length = Utf8Length(part);
    const std::string_view character = part.substr(0, std::max<size_t>(length, 1));
    part.remove_prefix(character.size());
    if (length == 0 || IsControl(character)) {
      for (const char c : character) {
        text += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<uint8_t>(c)));
      }
      continue;
    }
    if (character == "," || character == "=" || character == "\\") text += '\\';
    text += character;
  }
}

// Reads a text from its beginning to its end.
class TupleParser {
 public:
  TupleParser(std::string_view text, std::span<const std::string> names)
      : text_(text), names_(names) {}

  Result<std::vector<std::string>> Parse() {
    std::vector<std::string> values;
    for (const std::string& name : names_) {
      if (!values.empty()) {
        if (at_ == text_.size()) {
          return Wrong(at_, fmt::format("it ends before key column {}", Quoted(name)));
        }
        ++at_;  // the comma at which the value ended
      }
      const size_t begin = at_;
      const Result<std::string> found = ReadPart(true);
      if (!found.ok()) return found.error();
      if (*found != name || at_ == text_.size() || text_[at_] != '=') {
        return Wrong(begin,
                     fmt::format("key column {} and an equals sign should be here", Quoted(name)));
      }
      ++at_;
      Result<std::string> value = ReadPart(false);
      if (!value.ok()) return value.error();
      values.push_back(std::move(*value));
    }
    if (at_ < text_.size()) {
      return Wrong(at_, "it should end here; a comma within a value is written \\,");
    }
    return values;
  }

 private:
  // Reads up to a comma, or an equals sign if the part is a name.
  Result<std::string> ReadPart(bool is_name) {
    std::string part;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == ',' || (is_name && c == '=')) break;
      if (c != '\\') {
        part += c;
        continue;
      }
      const std::string_view rest = text_.substr(at_ + 1);
      if (rest.starts_with(',') || rest.starts_with('=') || rest.starts_with('\\')) {
        part += rest[0];
        ++at_;
        continue;
      }
      const size_t high = rest.size() < 3 ? std::string_view::npos : kHexDigits.find(rest[1]);
      const size_t low = rest.size() < 3 ? std::string_view::npos : kHexDigits.find(rest[2]);
      if (rest.empty() || rest[0] != 'x' || high == std::string_view::npos ||
          low == std::string_view::npos) {
        return Wrong(at_,
                     "a backslash must be before a comma, an equals sign, a backslash, or xNN "
                     "(a byte in hex digits 0-9 and a-f)");
      }
      part += static_cast<char>(high * 16 + low);
      at_ += 3;
    }
    return part;
  }

  Error Wrong(size_t at, std::string_view what) const {
    std::string form;
    for (const std::string& name : names_) {
      if (!form.empty()) form += ',';
      AppendEscaped(name, form);
      form += "=VALUE";
    }
    return {ErrorCode::kInvalidArgument,
            fmt::format("key {}, byte {}: {}; write {}", Quoted(text_), at + 1, what, form)};
  }

  const std::string_view text_;
  const std::span<const std::string> names_;
  size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<std::string>> DecodeTuple(std::string_view key, size_t num_values) {
  std::vector<std::string> values;
  while (values.size() + 1 < num_values) {
    std::string& value = values.emplace_back();
    for (bool has_ended = false; !has_ended;) {
      const size_t zero = key.find(kZero);
      if (zero == std::string_view::npos || zero + 1 == key.size()) return std::nullopt;
      value.append(key.substr(0, zero));
      has_ended = key[zero + 1] == kEndOfValue;
      if (!has_ended) {
        if (key[zero + 1] != kZeroInValue) return std::nullopt;
        value += kZero;
      }
      key.remove_prefix(zero + 2);
    }
  }
  values.emplace_back(key);
  return values;
}

std::string TupleText(std::span<const std::string> names, std::span<const std::string> values) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ',';
    AppendEscaped(names[i], text);
    text += '=';
    AppendEscaped(values[i], text);
  }
  return text;
}

Result<std::vector<std::string>> ParseTuple(std::string_view text,
                                            std::span<const std::string> names) {
  return TupleParser(text, names).Parse();
}

}  // namespace trommel::tool
