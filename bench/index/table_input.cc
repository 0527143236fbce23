#include "bench/index/table_input.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "bench/sides/catalogue.h"
#include "bench/text/figures.h"
#include "bench/text/tsv.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kCatalogueSeed = 20240229;

// Whether each column is named in the list.
Result<std::vector<bool>> Named(const std::string& list, const Tsv& tsv) {
  const Result<std::vector<size_t>> places = tsv.PlacesOf(list);
  if (!places) return places.error();
  std::vector<bool> is_named(tsv.columns().size());
  for (const size_t place : *places) is_named[place] = true;
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
  for (uint64_t i = 0; i < num_products; ++i) table.rows.push_back(catalogue.Product(i));
  return table;
}

}  // namespace

Result<IndexedTable> ReadTsv(std::istream& lines, const TableInput& input) {
  Result<Tsv> tsv = Tsv::Open(lines, input.tsv);
  if (!tsv) return tsv.error();
  const std::vector<std::string>& columns = tsv->columns();
  const Result<std::vector<bool>> is_key = Named(input.key, *tsv);
  if (!is_key) return is_key.error();
  const bool is_all = input.indexed == "all";
  const Result<std::vector<bool>> is_indexed = Named(is_all ? "" : input.indexed, *tsv);
  if (!is_indexed) return is_indexed.error();
  const Result<std::vector<bool>> is_set = Named(input.set_valued, *tsv);
  if (!is_set) return is_set.error();

  IndexedTable table;
  table.name = input.tsv.substr(input.tsv.rfind('/') + 1);
  for (size_t i = 0; i < columns.size(); ++i) {
    table.schema.attributes.push_back(
        {columns[i], is_all ? !(*is_key)[i] : static_cast<bool>((*is_indexed)[i])});
  }
  std::unordered_set<std::string> keys;
  const Status read = tsv->ForEachLine([&](const auto& cells, const std::string& place) -> Status {
    index::Row row;
    if (input.key.empty()) {
      row.key = Printed("%09llu", static_cast<unsigned long long>(table.rows.size()));
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      if ((*is_key)[i]) row.key += (row.key.empty() ? "" : ",") + std::string(cells[i]);
      row.attributes.push_back(ValuesOfCell(cells[i], (*is_set)[i]));
    }
    if (!keys.insert(row.key).second) return Tsv::Bad(place + ": key '" + row.key + "' again");
    table.rows.push_back(std::move(row));
    return Ok();
  });
  if (!read) return read.error();
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
