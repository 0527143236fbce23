#include "bench/index/query_lists.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "trommel/digest.h"
#include "trommel/keys.h"
#include "trommel/sizing.h"

namespace trommel::bench {

const char* NameOf(QueryKind kind) noexcept {
  constexpr const char* kNames[] = {"by weight", "selective", "distinct", "absent", "pair (AND)"};
  static_assert(std::size(kNames) == kNumQueryKinds);
  return kNames[static_cast<size_t>(kind)];
}

QueryDraw::QueryDraw(const IndexedTable& table, const ExactMap& map, uint64_t seed)
    : table_(table), num_rows_(table.schema.attributes.size()), random_(seed) {
  for (const index::Row& row : table.rows) {
    for (size_t i = 0; i < num_rows_.size(); ++i) {
      for (const std::string& value : row.attributes[i]) ++num_rows_[i][value];
    }
  }
  for (uint32_t i = 0; i < table.schema.attributes.size(); ++i) {
    values_.push_back(map.ValuesOf(i));
    if (table.schema.attributes[i].is_indexed && !values_[i].empty()) indexed_.push_back(i);
  }
}

std::vector<Conditions> QueryDraw::Draw(QueryKind kind, size_t num_queries) {
  std::vector<Conditions> queries;
  while (queries.size() < num_queries) queries.push_back(DrawOne(kind));
  return queries;
}

Conditions QueryDraw::DrawOne(QueryKind kind) {
  const uint32_t attribute = Attribute();
  switch (kind) {
    case QueryKind::kByWeight:
      return {AnyValueOf(attribute)};
    case QueryKind::kSelective: {
      constexpr int kMostTries = 10'000;
      index::Condition value = AnyValueOf(attribute);
      for (int i = 0; i < kMostTries; ++i) {
        if (num_rows_[value.attribute].at(value.value) <= kMostSelectiveRows) break;
        value = AnyValueOf(Attribute());
      }
      return {value};
    }
    case QueryKind::kDistinct:
      return {{attribute, std::string(values_[attribute][Below(values_[attribute].size())])}};
    case QueryKind::kAbsent:
      for (;;) {
        const std::string value = "absent " + std::to_string(random_());
        if (!std::ranges::binary_search(values_[attribute], value)) return {{attribute, value}};
      }
    case QueryKind::kPair:
      break;
  }
  for (;;) {
    const index::Row& row = table_.rows[Below(table_.rows.size())];
    const uint32_t first = Attribute();
    const uint32_t second = Attribute();
    const bool has_both = !row.attributes[first].empty() && !row.attributes[second].empty();
    if (first != second && has_both) return {ValueOfRow(row, first), ValueOfRow(row, second)};
    if (indexed_.size() == 1) return {AnyValueOf(first)};
  }
}

Conditions QueryDraw::PairOfTwoRows() {
  const uint32_t first = Attribute();
  uint32_t second = Attribute();
  while (second == first && indexed_.size() > 1) second = Attribute();
  return {AnyValueOf(first), AnyValueOf(second)};
}

uint32_t QueryDraw::Attribute() { return indexed_[Below(indexed_.size())]; }

index::Condition QueryDraw::ValueOfRow(const index::Row& row, uint32_t attribute) {
  const index::Values& values = row.attributes[attribute];
  return {attribute, values[Below(values.size())]};
}

index::Condition QueryDraw::AnyValueOf(uint32_t attribute) {
  for (;;) {
    const index::Row& row = table_.rows[Below(table_.rows.size())];
    if (!row.attributes[attribute].empty()) return ValueOfRow(row, attribute);
  }
}

namespace {

using RowNumbers = std::vector<uint32_t>;  // ascending

// The rows that have each value of the queries.
class RowsOfValues {
 public:
  RowsOfValues(std::span<const Conditions> queries, const IndexedTable& table)
      : rows_(table.schema.attributes.size()) {
    for (const Conditions& query : queries) {
      for (const index::Condition& each : query) rows_[each.attribute][each.value];
    }
    for (uint32_t i = 0; i < table.rows.size(); ++i) {
      for (size_t attribute = 0; attribute < rows_.size(); ++attribute) {
        for (const std::string& value : table.rows[i].attributes[attribute]) {
          const auto found = rows_[attribute].find(value);
          if (found != rows_[attribute].end()) found->second.push_back(i);
        }
      }
    }
  }

  const RowNumbers& Of(const index::Condition& condition) const {
    return rows_[condition.attribute].at(condition.value);
  }

 private:
  std::vector<std::unordered_map<std::string, RowNumbers>> rows_;  // by attribute
};

size_t NumCandidates(const index::ServerIndex& directory, const Conditions& query) {
  const index::ServerIndex::Pin pin = directory.PinVersion();
  std::vector<uint64_t> all(pin.num_words(), ~uint64_t{0});
  std::vector<uint64_t> of_one(pin.num_words());
  for (const index::Condition& each : query) {
    pin.Candidates(each.attribute, each.value, of_one);
    for (size_t w = 0; w < all.size(); ++w) all[w] &= of_one[w];
  }
  size_t num_candidates = 0;
  for (const uint64_t word : all) num_candidates += static_cast<size_t>(std::popcount(word));
  return num_candidates;
}

std::vector<uint32_t> RegionsOfRows(const IndexedTable& table, const index::RegionTable& regions) {
  std::vector<uint32_t> region_of_row;
  for (const index::Row& row : table.rows) {
    region_of_row.push_back(static_cast<uint32_t>(regions.Find(row.key)));
  }
  return region_of_row;
}

}  // namespace

CombinationRegions CountRegions(std::span<const Conditions> queries, const IndexedTable& table,
                                const index::RegionTable& regions, const ExactMap& map,
                                const index::ServerIndex& directory) {
  const RowsOfValues rows(queries, table);
  const std::vector<uint32_t> region_of_row = RegionsOfRows(table, regions);
  CombinationRegions sums;
  for (const Conditions& query : queries) {
    sums.by_directory += static_cast<double>(NumCandidates(directory, query));
    sums.by_map += static_cast<double>(map.RegionsOf(query).size());
    std::set<uint32_t> with_both;
    RowNumbers both = rows.Of(query[0]);
    for (const index::Condition& each : std::span(query).subspan(1)) {
      RowNumbers common;
      std::ranges::set_intersection(both, rows.Of(each), std::back_inserter(common));
      both = std::move(common);
    }
    for (const uint32_t row : both) with_both.insert(region_of_row[row]);
    sums.with_both += static_cast<double>(with_both.size());
  }
  const auto num_queries = static_cast<double>(queries.size());
  return {sums.by_directory / num_queries, sums.by_map / num_queries, sums.with_both / num_queries};
}

Result<CombinationBytes> SizeCombinations(const IndexedTable& table,
                                          const index::RegionTable& regions, double target_fpr) {
  std::vector<uint32_t> indexed;
  for (uint32_t i = 0; i < table.schema.attributes.size(); ++i) {
    if (table.schema.attributes[i].is_indexed) indexed.push_back(i);
  }
  std::vector<std::vector<const index::Row*>> rows_of_region(regions.size());
  for (const index::Row& row : table.rows) rows_of_region[regions.Find(row.key)].push_back(&row);

  CombinationBytes sum;
  sum.num_attribute_pairs = indexed.size() * (indexed.size() - 1) / 2;
  const DigestPolicy digest{.kind = DigestKind::kXxh3};
  for (const std::vector<const index::Row*>& rows : rows_of_region) {
    // Digests stand for values: two combinations of a region have one digest with 2^-64.
    std::vector<std::vector<std::vector<uint64_t>>> digests(indexed.size());  // attribute, row
    for (size_t i = 0; i < indexed.size(); ++i) {
      for (const index::Row* const row : rows) {
        std::vector<uint64_t>& of_row = digests[i].emplace_back();
        for (const std::string& value : row->attributes[indexed[i]]) {
          of_row.push_back(digest(Key(value)));
        }
      }
    }
    for (size_t a = 0; a < indexed.size(); ++a) {
      for (size_t b = a + 1; b < indexed.size(); ++b) {
        std::vector<uint64_t> combinations;
        for (size_t row = 0; row < rows.size(); ++row) {
          for (const uint64_t first : digests[a][row]) {
            for (const uint64_t second : digests[b][row]) {
              combinations.push_back(first * 0x9E3779B97F4A7C15 + std::rotl(second, 32));
            }
          }
        }
        std::ranges::sort(combinations);
        const auto num_distinct = static_cast<uint64_t>(
            std::unique(combinations.begin(), combinations.end()) - combinations.begin());
        if (num_distinct == 0) continue;
        const Result<Sizing> size = SizeFor({.capacity = num_distinct, .target_fpr = target_fpr});
        if (!size) return size.error();
        sum.num_combinations += num_distinct;
        sum.num_bytes += size->geometry.num_bytes() + size->predicted_side_table_bytes;
      }
    }
  }
  return sum;
}

}  // namespace trommel::bench
