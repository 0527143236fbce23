#include "vectors/vector_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trommel/digest.h"
#include "trommel/keys.h"
#include "trommel/result.h"

namespace trommel::vectors {

Line ParseLine(const std::string& text) {
  Line line;
  if (text.empty() || text[0] == '#') return line;
  const size_t arrow = text.find(" ->");
  line.has_result = arrow != std::string::npos;
  line.call = text.substr(0, arrow);
  if (line.has_result && arrow + 4 <= text.size()) line.expected = text.substr(arrow + 4);
  for (size_t begin = 0; begin < line.call.size();) {
    const size_t end = std::min(line.call.find(' ', begin), line.call.size());
    const std::string word = line.call.substr(begin, end - begin);
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
      line.words.push_back(word);
    } else {
      line.options.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
    begin = end + 1;
  }
  return line;
}

std::string Option(const Line& line, std::string_view name, std::string by_default) {
  for (const auto& [option, value] : line.options) {
    if (option == name) return value;
  }
  return by_default;
}

uint64_t NumberOf(const std::string& text) {
  return text.starts_with('-') ? static_cast<uint64_t>(std::strtoll(text.c_str(), nullptr, 10))
                               : std::strtoull(text.c_str(), nullptr, 10);
}

uint64_t NumberOption(const Line& line, std::string_view name, uint64_t by_default) {
  const std::string text = Option(line, name);
  return text.empty() ? by_default : NumberOf(text);
}

double RateOption(const Line& line, std::string_view name, double by_default) {
  const std::string text = Option(line, name);
  return text.empty() ? by_default : std::strtod(text.c_str(), nullptr);
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<uint64_t> SplitNumbers(const std::string& text) {
  std::vector<uint64_t> numbers;
  for (const std::string& part : Split(text)) numbers.push_back(NumberOf(part));
  return numbers;
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  if (hex == "-") return bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string HexOf(uint64_t number) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
  return text;
}

VectorKeys ParseKeys(std::span<const std::string> words) {
  VectorKeys keys;
  keys.kind = words[0];
  const std::span<const std::string> args = words.subspan(1);
  if (keys.kind == "int64" || keys.kind == "int32") {
    uint64_t key = NumberOf(args[0]);
    for (uint64_t i = 0; i < NumberOf(args[1]); ++i, key += NumberOf(args[2])) {
      if (keys.kind == "int64") {
        keys.words.push_back(key);
      } else {
        keys.narrow.push_back(static_cast<int32_t>(key));
      }
    }
  } else if (keys.kind == "digests") {
    uint64_t state = NumberOf(args[0]);
    for (uint64_t i = 0; i < NumberOf(args[1]); ++i) {
      uint64_t z = state += 0x9E3779B97F4A7C15;
      z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
      z = (z ^ z >> 27) * 0x94D049BB133111EB;
      keys.words.push_back(z ^ z >> 31);
    }
  } else if (keys.kind == "digest") {
    keys.kind = "digests";
    for (const std::string& hex : args) keys.words.push_back(std::stoull(hex, nullptr, 16));
  } else if (keys.kind == "strings") {
    for (uint64_t i = 0; i < NumberOf(args[2]); ++i) {
      keys.strings.push_back(args[0] + std::to_string(NumberOf(args[1]) + i));
    }
  } else if (keys.kind == "bytes") {
    for (const std::string& hex : args) keys.strings.push_back(FromHex(hex));
  } else {  // ramps
    for (const std::string& size : args) {
      std::string& ramp = keys.strings.emplace_back();
      for (uint64_t i = 0; i < NumberOf(size); ++i) ramp += static_cast<char>(i % 251);
    }
  }
  return keys;
}

Keys VectorKeys::View() const {
  if (kind == "int64") return words;
  if (kind == "digests") return Keys::Digests(words);
  if (kind == "int32") return Keys::Int32(narrow);
  return strings;
}

Key VectorKeys::At(size_t i) const {
  if (kind == "int64") return words[i];
  if (kind == "digests") return Key::Digest(words[i]);
  if (kind == "int32") return Key::Int32(narrow[i]);
  return strings[i];
}

std::optional<std::string> NamedBytes::Run(const Line& line) {
  const std::string& verb = line.words.at(0);
  Bytes& bytes = named[line.words.at(1)];
  if (verb == "file") {
    std::ifstream stream(samples / line.words.at(2), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    if (text.empty()) throw std::runtime_error("no sample of this name");
    const auto read = std::as_bytes(std::span(text));
    bytes.assign(read.begin(), read.end());
  } else if (verb == "copy") {
    bytes = named.at(line.words.at(2));
  } else if (verb == "cut") {
    bytes.resize(NumberOf(line.words.at(2)));
  } else if (verb == "flip") {
    bytes.at(NumberOf(line.words.at(2))) ^= static_cast<std::byte>(FromHex(line.words.at(3)).at(0));
  } else {
    return std::nullopt;
  }
  return "ok";
}

std::string BitsText(std::span<const uint64_t> bitmap, size_t num_keys) {
  std::string bytes;
  for (size_t i = 0; i < (num_keys + 7) / 8; ++i) {
    bytes += static_cast<char>(bitmap[i / 8] >> (8 * (i % 8)) & 255);
  }
  if (num_keys == 0) return "bits=-";
  if (num_keys > 1024) {
    return "bits=xxh64:" + HexOf(DigestPolicy{.kind = DigestKind::kXxh64}(Key(bytes)));
  }
  std::string text = "bits=";
  for (const char c : bytes) text += HexOf(static_cast<unsigned char>(c)).substr(14);
  return text;
}

std::string Join(std::span<const uint64_t> numbers) {
  std::string text;
  for (const uint64_t number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

std::string DoneText(uint64_t num_done, uint64_t num_refused) {
  return "done=" + std::to_string(num_done) + " refused=" + std::to_string(num_refused);
}

std::string PresentText(uint64_t num_present, std::span<const uint64_t> bitmap, size_t num_keys) {
  return "present=" + std::to_string(num_present) + " " + BitsText(bitmap, num_keys);
}

std::string BytesText(std::span<const std::byte> bytes) {
  const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return "size=" + std::to_string(bytes.size()) +
         " xxh64=" + HexOf(DigestPolicy{.kind = DigestKind::kXxh64}(Key(view)));
}

std::string ErrorText(const Error& error) {
  std::string text;
  for (const char c : ErrorCodeName(error.code)) {
    if (c >= 'A' && c <= 'Z') {
      if (!text.empty()) text += '_';
      text += static_cast<char>(c - 'A' + 'a');
    } else {
      text += c;
    }
  }
  return "error " + text;
}

DigestKey DigestKeyOption(const Line& line) {
  const std::string bytes = FromHex(Option(line, "key"));
  if (bytes.size() != DigestKey::kNumBytes) return {};
  return DigestKey(std::as_bytes(std::span(bytes)).first<DigestKey::kNumBytes>());
}

DigestPolicy PolicyOption(const Line& line) {
  const std::string name = Option(line, "digest", "xxh3");
  if (name == "siphash") return DigestPolicy::Keyed(DigestKeyOption(line));
  DigestPolicy policy{.seed = NumberOption(line, "seed")};
  for (const DigestKind kind : {DigestKind::kXxh64, DigestKind::kXxh3, DigestKind::kCaller}) {
    if (name == DigestKindName(kind)) policy.kind = kind;
  }
  return policy;
}

}  // namespace trommel::vectors
