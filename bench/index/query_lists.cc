#include "bench/index/query_lists.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace trommel::bench {

const char* NameOf(QueryKind kind) noexcept {
  switch (kind) {
    case QueryKind::kByWeight:
      return "by weight";
    case QueryKind::kSelective:
      return "selective";
    case QueryKind::kDistinct:
      return "distinct";
    case QueryKind::kAbsent:
      return "absent";
    case QueryKind::kPair:
      return "pair (AND)";
  }
  return "";
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

}  // namespace trommel::bench
