#include "tools/index/rows/row_key.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tools/trommel/input/tuple_key.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

// None: the keys are of one column, or this is no tuple of the key columns.
std::optional<std::vector<std::string>> KeyValues(const index::Schema& schema,
                                                  std::string_view key) {
  if (schema.key_columns.empty()) return std::nullopt;
  return DecodeTuple(key, schema.key_columns.size());
}

}  // namespace

std::string KeyText(const index::Schema& schema, std::string_view key) {
  const std::optional<std::vector<std::string>> values = KeyValues(schema, key);
  return values ? TupleText(schema.key_columns, *values) : std::string(key);
}

Result<std::string> ParseKey(const index::Schema& schema, std::string_view text) {
  if (schema.key_columns.empty()) return std::string(text);
  const Result<std::vector<std::string>> values = ParseTuple(text, schema.key_columns);
  if (!values.ok()) return values.error();
  return EncodeTuple(std::vector<std::string_view>(values->begin(), values->end()));
}

std::string RangeText(const index::Schema& schema, const index::KeyRange& range) {
  const auto text = [&schema](const std::string& key) { return Quoted(KeyText(schema, key)); };
  return fmt::format("{} to {}", range.begin.empty() ? "the first key" : text(range.begin),
                     range.end.empty() ? "the last" : "before " + text(range.end));
}

void AddKeyValues(const index::Schema& schema, index::Row& row) {
  const std::optional<std::vector<std::string>> values = KeyValues(schema, row.key);
  if (!values) return;
  for (size_t i = 0; i < values->size(); ++i) {
    const std::optional<uint32_t> attribute = schema.Find(schema.key_columns[i]);
    if (!attribute || !row.attributes[*attribute].empty() || (*values)[i].empty()) continue;
    row.attributes[*attribute].push_back((*values)[i]);
  }
}

}  // namespace trommel::tool
