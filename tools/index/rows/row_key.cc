#include "tools/index/rows/row_key.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tools/trommel/input/tuple_key.h"
#include "tools/trommel/output/report.h"
#include "trommel/tuples.h"

namespace trommel::tool {
namespace {

// Others are typed as they are.
bool IsOfSeveral(const index::Schema& schema) { return schema.key_columns.size() > 1; }

// None: the schema names no key columns, or this is no tuple of them.
std::optional<std::vector<std::string>> KeyValues(const index::Schema& schema,
                                                  std::string_view key) {
  if (schema.key_columns.empty()) return std::nullopt;
  return DecodeTuple(key, schema.key_columns.size());
}

}  // namespace

std::string KeyText(const index::Schema& schema, std::string_view key) {
  if (!IsOfSeveral(schema)) return std::string(key);
  const std::optional<std::vector<std::string>> values = KeyValues(schema, key);
  return values ? TupleText(schema.key_columns, *values) : std::string(key);
}

Result<std::string> ParseKey(const index::Schema& schema, std::string_view text) {
  if (!IsOfSeveral(schema)) return std::string(text);
  const Result<std::vector<std::string>> values = ParseTuple(text, schema.key_columns);
  if (!values.ok()) return values.error();
  return TupleKey(std::vector<std::string_view>(values->begin(), values->end()));
}

std::string RangeText(const index::Schema& schema, const index::KeyRange& range) {
  const auto text = [&schema](const std::string& key) { return Quoted(KeyText(schema, key)); };
  return fmt::format("{} to {}", range.begin.empty() ? "the first key" : text(range.begin),
                     range.end.empty() ? "the last" : "before " + text(range.end));
}

Status AddKeyValues(const index::Schema& schema, index::Row& row) {
  const std::optional<std::vector<std::string>> values = KeyValues(schema, row.key);
  if (!values) return Ok();
  for (size_t i = 0; i < values->size(); ++i) {
    const std::optional<uint32_t> attribute = schema.Find(schema.key_columns[i]);
    if (!attribute) continue;
    const std::string& of_key = (*values)[i];
    index::Values& given = row.attributes[*attribute];
    const auto other = std::ranges::find_if(
        given, [&of_key](const std::string& value) { return value != of_key; });
    if (other != given.end()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("attribute {} is a key column, whose value in the key is {}; got "
                               "{}: leave the attribute out, or write another key",
                               Quoted(schema.key_columns[i]), Quoted(of_key), Quoted(*other))};
    }
    if (given.empty() && !of_key.empty()) given.push_back(of_key);
  }
  return Ok();
}

}  // namespace trommel::tool
