// Names become places once, before the first row.
#include "tools/index/rows/table_columns.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tools/index/rows/attribute_names.h"
#include "tools/trommel/input/column_names.h"
#include "tools/trommel/input/tuple_key.h"
#include "tools/trommel/output/report.h"
#include "trommel/tuples.h"

namespace trommel::tool {
namespace {

Error BadColumn(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// The columns of a list, in its order. Errors begin with the option's name.
Result<std::vector<size_t>> ColumnsOf(std::string_view option, std::span<const std::string> list,
                                      std::span<const std::string> names) {
  std::vector<size_t> columns;
  for (const std::string& name : list) {
    const Result<size_t> column = FindNamed("column", name, names);
    if (!column.ok()) return BadColumn(fmt::format("{}: {}", option, column.error().message));
    if (std::ranges::find(columns, *column) != columns.end()) {
      return BadColumn(fmt::format("{}: column {} is named twice", option, Quoted(name)));
    }
    columns.push_back(*column);
  }
  return columns;
}

bool Has(std::span<const size_t> columns, size_t column) {
  return std::ranges::find(columns, column) != columns.end();
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool AreNames(std::string_view list, std::span<const std::string> names) {
  return std::ranges::all_of(SplitNames(list), [names](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  });
}

// "tags,uses:;" as list and separator. A colon may be part of a name or separator, too: the list is
// the longest text whose names are all there.
std::pair<std::string, std::string> SplitSeparator(std::string_view text,
                                                   std::span<const std::string> names) {
  if (AreNames(text, names)) return {std::string(text), ","};
  const size_t last = text.empty() ? 0 : text.size() - 1;  // a separator is not empty
  for (size_t colon = last; (colon = text.substr(0, colon).rfind(':')) != std::string_view::npos;) {
    if (colon == 0 || !AreNames(text.substr(0, colon), names)) continue;
    return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
  }
  return {std::string(text.substr(0, text.find(':'))), ","};
}

}  // namespace

Status TableColumns::FindKey(std::string_view what, std::span<const std::string> key,
                             std::span<const std::string> names) {
  Result<std::vector<size_t>> columns = ColumnsOf(what, key, names);
  if (!columns.ok()) return columns.error();
  key_columns_ = std::move(*columns);
  return Ok();
}

Status TableColumns::FindSets(const ColumnOptions& options, std::span<const std::string> names) {
  separators_.resize(names.size());
  for (const std::string& text : options.set_valued) {
    const auto [list, separator] = SplitSeparator(text, names);
    const Result<std::vector<size_t>> columns = ColumnsOf("--set-valued", SplitNames(list), names);
    if (!columns.ok()) return columns.error();
    for (const size_t column : *columns) separators_[column] = separator;
  }
  return Ok();
}

Result<TableColumns> TableColumns::ForNewTable(const ColumnOptions& options,
                                               std::span<const std::string> names,
                                               uint32_t max_versions) {
  TableColumns columns;
  columns.nulls_ = options.nulls;
  columns.schema_.key_columns = SplitNames(options.key);
  const Status key = columns.FindKey("--key", columns.schema_.key_columns, names);
  if (!key.ok()) return key.error();
  if (Status found = columns.FindSets(options, names); !found.ok()) return found.error();
  Result<std::vector<size_t>> indexed =
      ColumnsOf("--index", SplitNames(options.indexed.value_or("")), names);
  if (!indexed.ok()) return indexed.error();
  Result<std::vector<size_t>> not_indexed =
      ColumnsOf("--not-index", SplitNames(options.not_indexed), names);
  if (!not_indexed.ok()) return not_indexed.error();
  columns.schema_.max_versions = max_versions;
  for (size_t column = 0; column < names.size(); ++column) {
    const bool is_named = Has(*indexed, column);
    if (columns.IsKey(column) && columns.key_columns_.size() == 1 && !is_named) continue;
    const bool is_indexed =
        (options.indexed ? is_named : !columns.IsKey(column)) && !Has(*not_indexed, column);
    columns.schema_.attributes.push_back({names[column], is_indexed});
    columns.attributes_.push_back({column, columns.separators_[column]});
  }
  if (columns.attributes_.empty()) return BadColumn("there is no column beside the key");
  if (Status valid = index::Validate(columns.schema_); !valid.ok()) return valid.error();
  return columns;
}

Result<TableColumns> TableColumns::ForTable(const ColumnOptions& options,
                                            std::span<const std::string> names,
                                            const index::Schema& schema) {
  TableColumns columns;
  const bool has_key = !schema.key_columns.empty();
  const std::vector<std::string> given = SplitNames(options.key);
  if (has_key && !given.empty() && given != schema.key_columns) {
    const std::string of_table = fmt::format("{}", fmt::join(schema.key_columns, ","));
    return BadColumn(fmt::format("--key: the table's key columns are {}; got {}", Quoted(of_table),
                                 Quoted(options.key)));
  }
  columns.nulls_ = options.nulls;
  if (given.size() > 1 && !has_key) {
    return BadColumn("--key: the table's keys are not of several columns");
  }
  const Status key = has_key ? columns.FindKey("the table's key", schema.key_columns, names)
                             : columns.FindKey("--key", given, names);
  if (!key.ok()) return key.error();
  if (Status found = columns.FindSets(options, names); !found.ok()) return found.error();
  columns.schema_ = schema;
  const std::vector<std::string> attributes = NamesOf(schema);
  for (size_t column = 0; column < names.size(); ++column) {
    const Result<size_t> found = FindNamed("attribute", names[column], attributes);
    if (!found.ok() && !columns.IsKey(column)) {
      return BadColumn(
          fmt::format("column {}: the table has {}", column + 1, found.error().message));
    }
  }
  for (const std::string& attribute : attributes) {
    const auto found = std::ranges::find(names, attribute);
    if (found == names.end()) {
      return BadColumn(fmt::format("no column for the table's attribute {}", Quoted(attribute)));
    }
    const auto column = static_cast<size_t>(found - names.begin());
    columns.attributes_.push_back({column, columns.separators_[column]});
  }
  return columns;
}

bool TableColumns::IsNull(std::string_view text) const {
  return text.empty() || std::ranges::find(nulls_, text) != nulls_.end();
}

bool TableColumns::IsKey(size_t column) const { return Has(key_columns_, column); }

index::Values TableColumns::ValuesOf(const AttributeColumn& attribute,
                                     std::string_view cell) const {
  index::Values values;
  if (IsNull(cell)) return values;
  if (attribute.separator.empty()) {
    values.emplace_back(cell);
    return values;
  }
  for (;;) {
    const size_t end = cell.find(attribute.separator);
    const std::string_view value = Trimmed(cell.substr(0, end));
    if (!IsNull(value)) values.emplace_back(value);
    if (end == std::string_view::npos) break;
    cell.remove_prefix(end + attribute.separator.size());
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Result<std::string> TableColumns::KeyOf(std::span<const std::string_view> cells,
                                        uint64_t row_number) const {
  if (key_columns_.empty()) {
    constexpr uint64_t kMostRows = uint64_t{1} << 32;
    if (row_number >= kMostRows) {
      return BadColumn("more rows than 8 hex digits can count: name key columns with --key");
    }
    return fmt::format("{:08x}", row_number);
  }
  std::vector<std::string_view> values;
  for (const size_t column : key_columns_) values.push_back(cells[column]);
  return TupleKey(values);
}

Result<index::Row> TableColumns::RowOf(std::span<const std::string_view> cells,
                                       uint64_t row_number) const {
  index::Row row;
  Result<std::string> key = KeyOf(cells, row_number);
  if (!key.ok()) return key.error();
  row.key = *std::move(key);
  if (row.key.empty()) return BadColumn("the key is empty");
  row.attributes.reserve(attributes_.size());
  for (const AttributeColumn& attribute : attributes_) {
    row.attributes.push_back(ValuesOf(attribute, cells[attribute.column]));
  }
  if (Status valid = index::Validate(schema_, row); !valid.ok()) return valid.error();
  return row;
}

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
