#include "engine/index/src/rocks/row_codec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr uint64_t kRowForm = 1;

Error NotARow(std::string_view reason) {
  return Error{ErrorCode::kCorrupt, "its bytes are damaged: " + std::string(reason)};
}

}  // namespace

std::string EncodeRow(const Versions& versions) {
  std::string bytes;
  AppendNumber(kRowForm, bytes);
  AppendNumber(versions.size(), bytes);
  for (const std::vector<Values>& version : versions) {
    for (const Values& values : version) {
      AppendNumber(values.size(), bytes);
      for (const std::string& value : values) AppendString(value, bytes);
    }
  }
  return bytes;
}

Result<Versions> DecodeRow(std::string_view bytes, size_t num_attributes) {
  ByteReader reader(bytes);
  if (reader.Number(kRowForm).value_or(0) != kRowForm) return NotARow("not a form of row");
  const uint64_t num_versions = reader.Number(kMaxVersions).value_or(0);
  if (num_versions == 0) return NotARow("number of versions");
  Versions versions(num_versions, std::vector<Values>(num_attributes));
  for (std::vector<Values>& version : versions) {
    for (Values& values : version) {
      const std::optional<uint64_t> num_values = reader.Number(bytes.size());
      if (!num_values || *num_values > reader.num_left()) return NotARow("number of values");
      values.reserve(*num_values);
      for (uint64_t i = 0; i < *num_values; ++i) {
        const std::optional<std::string_view> value = reader.String(kMaxValueBytes);
        if (!value) return NotARow("length of a value");
        if (!values.empty() && values.back() >= *value) return NotARow("order of values");
        values.emplace_back(*value);
      }
    }
  }
  if (reader.num_left() != 0) return NotARow("bytes behind its end");
  return versions;
}

}  // namespace trommel::index
