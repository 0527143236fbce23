#include "engine/index/src/cluster/prometheus_page.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace trommel::index {
namespace {

// Of a help text, and, with quotes, of a label's value.
void AppendEscaped(std::string_view text, bool has_quotes, std::string& out) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || (c == '"' && has_quotes)) out += '\\';
      out += c;
    }
  }
}

// The shortest decimal that reads back as the same number, whatever the locale.
std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

// The length of the UTF-8 sequence at the beginning of the text; 0 if there is none. Table 3-7 of
// the Unicode standard: the second byte's range excludes overlong forms, surrogates, and what is
// beyond U+10FFFF.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&text](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
  };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > most) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

}  // namespace

void PrometheusPage::Begin(std::string_view name, MetricType type, std::string_view help) {
  name_ = name;
  text_.append("# HELP ").append(name).append(" ");
  AppendEscaped(help, false, text_);
  text_.append("\n# TYPE ").append(name);
  text_ += type == MetricType::kCounter ? " counter\n" : " gauge\n";
}

void PrometheusPage::Add(double value, std::initializer_list<Label> labels) {
  AddText(NumberText(value), labels);
}

void PrometheusPage::AddText(std::string_view value, std::initializer_list<Label> labels) {
  text_ += name_;
  char before = '{';
  for (const Label& label : labels) {
    text_ += before;
    text_.append(label.name).append("=\"");
    AppendEscaped(label.value, true, text_);
    text_ += '"';
    before = ',';
  }
  if (before == ',') text_ += '}';
  text_.append(" ").append(value).append("\n");
}

std::string PrometheusPage::Take() { return std::move(text_); }

std::string AsUtf8(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string utf8;
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length > 0) {
      utf8 += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    const auto byte = static_cast<uint8_t>(text.front());
    utf8.append("\\x").append(1, kHex[byte / 16]).append(1, kHex[byte % 16]);
    text.remove_prefix(1);
  }
  return utf8;
}

}  // namespace trommel::index
