#include "bench/bitmaps/value_table.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "bench/sides/workload.h"
#include "bench/text/figures.h"
#include "bench/text/tsv.h"
#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel::bench {
namespace {

constexpr size_t kAttemptsPerMixture = 20;

// The codes of a row's values in a set.
std::vector<uint32_t> CodesOf(const ValueTable& table, AttributeMask set, uint32_t row) {
  std::vector<uint32_t> codes;
  for (size_t a = 0; a < table.columns.size(); ++a) {
    if ((set >> a & 1) != 0) codes.push_back(table.columns[a].codes[row]);
  }
  return codes;
}

}  // namespace

std::vector<uint64_t> ValueTable::NumValues() const {
  std::vector<uint64_t> numbers;
  for (const Column& column : columns) numbers.push_back(column.digests.size());
  return numbers;
}

std::string ValueTable::Text() const {
  std::string text = name + ": " + Grouped(num_rows()) + " rows; values:";
  for (size_t a = 0; a < columns.size(); ++a) {
    text += (a == 0 ? " " : ", ") + columns[a].name + " " + Grouped(columns[a].digests.size());
  }
  return text;
}

RowDigests::RowDigests(size_t num_attributes, size_t num_rows)
    : columns_(num_attributes, std::vector<uint64_t>(num_rows)),
      by_row_(num_attributes * num_rows) {}

RowDigests::RowDigests(const ValueTable& table, std::span<const uint32_t> rows)
    : RowDigests(table.columns.size(), rows.size()) {
  for (size_t a = 0; a < columns_.size(); ++a) {
    const ValueTable::Column& column = table.columns[a];
    for (size_t i = 0; i < rows.size(); ++i) Put(i, a, column.digests[column.codes[rows[i]]]);
  }
}

void RowDigests::Put(size_t row, size_t attribute, uint64_t digest) {
  columns_[attribute][row] = digest;
  by_row_[row * columns_.size() + attribute] = digest;
}

Tuples RowDigests::view() const {
  Tuples tuples;
  for (size_t a = 0; a < columns_.size(); ++a) tuples.columns[a] = columns_[a].data();
  tuples.size = columns_.front().size();
  return tuples;
}

ValueQueries ValueQueries::Members(const ValueTable& table, AttributeMask set, size_t count,
                                   uint64_t seed) {
  Draws draws(seed, set);
  std::vector<uint32_t> rows(count);
  for (uint32_t& row : rows) row = draws.Below(table.num_rows());
  return {AttributeMaskText(set) + ", members", set, true, RowDigests(table, rows)};
}

ValueQueries ValueQueries::Mixtures(const ValueTable& table, AttributeMask set, size_t count,
                                    uint64_t seed) {
  Draws draws(seed + 1, set);
  std::vector<std::vector<uint32_t>> combinations;
  for (uint32_t row = 0; row < table.num_rows(); ++row) {
    combinations.push_back(CodesOf(table, set, row));
  }
  std::ranges::sort(combinations);
  std::vector<std::vector<uint32_t>> kept;
  for (size_t attempt = 0; kept.size() < count && attempt < kAttemptsPerMixture * count;
       ++attempt) {
    std::vector<uint32_t> codes = CodesOf(table, set, draws.Below(table.num_rows()));
    for (size_t i = 1; i < codes.size(); ++i) {
      codes[i] = CodesOf(table, set, draws.Below(table.num_rows()))[i];
    }
    if (!std::ranges::binary_search(combinations, codes)) kept.push_back(std::move(codes));
  }
  RowDigests digests(table.columns.size(), kept.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    for (size_t a = 0, next = 0; a < table.columns.size(); ++a) {
      if ((set >> a & 1) != 0) digests.Put(i, a, table.columns[a].digests[kept[i][next++]]);
    }
  }
  return {AttributeMaskText(set) + ", mixtures", set, false, std::move(digests)};
}

ValueQueries ValueQueries::New(const ValueTable& table, AttributeMask set, size_t count,
                               uint64_t seed) {
  Draws draws(seed + 2, set);
  RowDigests digests(table.columns.size(), count);
  for (size_t i = 0; i < count; ++i) {
    // 64 random bits: one of them is a value of the table with 2^-64 per value.
    for (size_t a = 0; a < table.columns.size(); ++a) digests.Put(i, a, draws.Next());
  }
  return {AttributeMaskText(set) + ", new values", set, false, std::move(digests)};
}

ValueTable MakeValueTable(uint64_t num_rows, uint64_t num_values, size_t num_attributes,
                          uint64_t seed) {
  ValueTable table;
  table.name = "made up";
  for (size_t a = 0; a < num_attributes; ++a) {
    ValueTable::Column& column = table.columns.emplace_back();
    column.name = std::to_string(a);
    Draws draws(seed, ~uint64_t{a});
    std::unordered_map<uint32_t, uint32_t> code_of;
    for (uint64_t row = 0; row < num_rows; ++row) {
      const uint32_t value =
          num_values < num_rows ? draws.Below(num_values) : static_cast<uint32_t>(row);
      const auto [place, is_new] =
          code_of.try_emplace(value, static_cast<uint32_t>(column.digests.size()));
      if (is_new) column.digests.push_back(DigestPolicy{}(Key(uint64_t{value})));
      column.codes.push_back(place->second);
    }
  }
  return table;
}

Result<ValueTable> ReadValueTable(std::istream& lines, const std::string& name,
                                  std::string_view columns) {
  Result<Tsv> tsv = Tsv::Open(lines, name);
  if (!tsv.ok()) return tsv.error();
  const Result<std::vector<size_t>> places = tsv->PlacesOf(columns);
  if (!places.ok()) return places.error();
  ValueTable table;
  table.name = name.substr(name.rfind('/') + 1);
  for (const size_t place : *places) table.columns.push_back({tsv->columns()[place], {}, {}});
  std::vector<std::unordered_map<std::string, uint32_t>> code_of(places->size());
  const Status read = tsv->ForEachLine([&](const auto& cells, const std::string&) {
    for (size_t a = 0; a < places->size(); ++a) {
      ValueTable::Column& column = table.columns[a];
      const std::string value(cells[(*places)[a]]);
      const auto [found, is_new] =
          code_of[a].try_emplace(value, static_cast<uint32_t>(column.digests.size()));
      if (is_new) column.digests.push_back(DigestPolicy{}(Key(value)));
      column.codes.push_back(found->second);
    }
    return Ok();
  });
  if (!read.ok()) return read.error();
  if (table.num_rows() == 0) return Tsv::Bad(name + ": has no rows");
  return table;
}

}  // namespace trommel::bench
