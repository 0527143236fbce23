#include "engine/index/src/rocks/entry_key.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/index/src/rocks/byte_codec.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr char kZeroInValue = '\xff';
constexpr char kEndOfValue = '\x01';
constexpr size_t kAttributeBytes = 4;

Error NotAnEntry(std::string_view bytes, std::string_view reason) {
  return Error{ErrorCode::kCorrupt,
               "key " + Quoted(bytes) + " of the local index " + std::string(reason)};
}

}  // namespace

std::string AttributePrefix(uint32_t attribute) {
  std::string prefix;
  for (int shift = 24; shift >= 0; shift -= 8) {
    prefix.push_back(static_cast<char>(attribute >> shift & 0xff));
  }
  return prefix;
}

std::string ValuePrefix(uint32_t attribute, std::string_view value) {
  std::string prefix = AttributePrefix(attribute);
  prefix.reserve(prefix.size() + value.size() + 2);
  for (const char byte : value) {
    prefix.push_back(byte);
    if (byte == '\0') prefix.push_back(kZeroInValue);
  }
  prefix.push_back('\0');
  prefix.push_back(kEndOfValue);
  return prefix;
}

std::string BeyondPrefix(std::string prefix) {
  // A prefix is never all ff: attributes are below kMaxAttributes, and values end with 01.
  while (prefix.back() == '\xff') prefix.pop_back();
  prefix.back() = static_cast<char>(static_cast<uint8_t>(prefix.back()) + 1);
  return prefix;
}

EntryRange EntriesOf(std::string_view value_prefix, const KeyRange& range) {
  std::string prefix(value_prefix);
  return {.begin = prefix + range.begin,
          .end = range.end.empty() ? BeyondPrefix(std::move(prefix)) : prefix + range.end};
}

Result<EntryKey> DecodeEntryKey(std::string_view bytes) {
  if (bytes.size() < kAttributeBytes) return NotAnEntry(bytes, "is cut off in its attribute");
  EntryKey entry;
  for (const char byte : bytes.substr(0, kAttributeBytes)) {
    entry.attribute = entry.attribute << 8 | static_cast<uint8_t>(byte);
  }
  if (entry.attribute >= kMaxAttributes) return NotAnEntry(bytes, "has an unknown attribute");
  for (size_t i = kAttributeBytes;; ++i) {
    const size_t zero = bytes.find('\0', i);
    if (zero == std::string_view::npos || zero + 1 == bytes.size()) {
      return NotAnEntry(bytes, "is cut off in its value");
    }
    entry.value.append(bytes.substr(i, zero - i));
    i = zero + 1;
    if (bytes[i] == kEndOfValue) {
      entry.prefix_bytes = i + 1;
      break;
    }
    if (bytes[i] != kZeroInValue) return NotAnEntry(bytes, "has an unknown escape in its value");
    entry.value.push_back('\0');
  }
  entry.row_key = bytes.substr(entry.prefix_bytes);
  if (entry.value.size() > kMaxValueBytes) return NotAnEntry(bytes, "has too long a value");
  if (entry.row_key.empty()) return NotAnEntry(bytes, "has no row key");
  if (entry.row_key.size() > kMaxKeyBytes) return NotAnEntry(bytes, "has too long a row key");
  return entry;
}

}  // namespace trommel::index
