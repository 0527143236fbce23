#include "bench/index/table_input.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "bench/sides/catalogue.h"
#include "bench/text/figures.h"
#include "bench/text/split.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kCatalogueSeed = 20240229;

Error BadTable(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// Whether each column is named in the list.
Result<std::vector<bool>> Named(const std::string& list, std::span<const std::string> columns) {
  std::vector<bool> is_named(columns.size());
  if (list.empty()) return is_named;
  for (const std::string_view name : SplitAt(list, ',')) {
    const auto found = std::ranges::find(columns, name);
    if (found == columns.end()) return BadTable("no column '" + std::string(name) + "'");
    is_named[static_cast<size_t>(found - columns.begin())] = true;
  }
  return is_named;
}

index::Values ValuesOfCell(std::string_view cell, bool is_set) {
  index::Values values;
  for (std::string_view value : is_set ? SplitAt(cell, ',') : std::vector{cell}) {
    while (is_set && value.starts_with(' ')) value.remove_prefix(1);
    while (is_set && value.ends_with(' ')) value.remove_suffix(1);
    if (!value.empty()) values.emplace_back(value);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

IndexedTable MakeCatalogue(uint64_t num_products) {
  IndexedTable table{.name = "catalogue", .schema = Catalogue::MakeSchema(), .rows = {}};
  const Catalogue catalogue(kCatalogueSeed);
  table.rows.reserve(num_products);
  for (uint64_t i = 0; i < num_products; ++i) {
    index::Row& row = table.rows.emplace_back(catalogue.Product(i));
    for (index::Values& values : row.attributes) {
      std::ranges::sort(values);
      values.erase(std::unique(values.begin(), values.end()), values.end());
    }
  }
  return table;
}

}  // namespace

Result<IndexedTable> ReadTsv(std::istream& lines, const TableInput& input) {
  std::string line;
  if (!std::getline(lines, line)) return BadTable(input.tsv + ": has no header");
  std::vector<std::string> columns;
  for (const std::string_view name : SplitAt(line, '\t')) columns.emplace_back(name);
  const Result<std::vector<bool>> is_key = Named(input.key, columns);
  if (!is_key) return is_key.error();
  const bool is_all = input.indexed == "all";
  const Result<std::vector<bool>> is_indexed = Named(is_all ? "" : input.indexed, columns);
  if (!is_indexed) return is_indexed.error();
  const Result<std::vector<bool>> is_set = Named(input.set_valued, columns);
  if (!is_set) return is_set.error();

  IndexedTable table;
  table.name = input.tsv.substr(input.tsv.rfind('/') + 1);
  for (size_t i = 0; i < columns.size(); ++i) {
    table.schema.attributes.push_back(
        {columns[i], is_all ? !(*is_key)[i] : static_cast<bool>((*is_indexed)[i])});
  }
  std::unordered_set<std::string> keys;
  for (uint64_t number = 0; std::getline(lines, line); ++number) {
    const std::vector<std::string_view> cells = SplitAt(line, '\t');
    const std::string place = input.tsv + ":" + std::to_string(number + 2);
    if (cells.size() != columns.size()) {
      return BadTable(place + ": " + std::to_string(cells.size()) + " cells; the header has " +
                      std::to_string(columns.size()));
    }
    index::Row row;
    if (input.key.empty()) row.key = Printed("%09llu", static_cast<unsigned long long>(number));
    for (size_t i = 0; i < cells.size(); ++i) {
      if ((*is_key)[i]) row.key += (row.key.empty() ? "" : ",") + std::string(cells[i]);
      row.attributes.push_back(ValuesOfCell(cells[i], (*is_set)[i]));
    }
    if (!keys.insert(row.key).second) return BadTable(place + ": key '" + row.key + "' again");
    table.rows.push_back(std::move(row));
  }
  return table;
}

Result<IndexedTable> ReadTable(const TableInput& input) {
  if (input.tsv.empty()) return MakeCatalogue(input.num_products);
  std::ifstream file(input.tsv);
  if (!file) return Error{ErrorCode::kIo, input.tsv + ": cannot be opened"};
  return ReadTsv(file, input);
}

std::vector<std::string> SplitsOf(std::span<const index::Row> rows, size_t num_regions) {
  std::vector<std::string_view> keys;
  keys.reserve(rows.size());
  for (const index::Row& row : rows) keys.emplace_back(row.key);
  std::ranges::sort(keys);
  std::vector<std::string> splits;
  const size_t num_ranges = std::min(num_regions, keys.size());
  for (size_t i = 1; i < num_ranges; ++i) splits.emplace_back(keys[i * keys.size() / num_ranges]);
  return splits;
}

}  // namespace trommel::bench
