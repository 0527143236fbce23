// What index_compare asks for: values drawn from the rows, and values that no row has.
#ifndef TROMMEL_BENCH_INDEX_QUERY_LISTS_H_
#define TROMMEL_BENCH_INDEX_QUERY_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/index/exact_map.h"
#include "bench/index/table_input.h"
#include "trommel/index/schema.h"

namespace trommel::bench {

// Each draws the attribute first, all indexed ones alike: else attributes whose values all differ
// would be nearly all that is asked for.
enum class QueryKind : uint8_t {
  kByWeight,   // a value of a row: in proportion to the rows that have it
  kSelective,  // the same, of values that few rows have
  kDistinct,   // a value of the attribute's, each alike
  kAbsent,     // a value that no row has
  kPair,       // values of two attributes of one row
};
inline constexpr size_t kNumQueryKinds = 5;
const char* NameOf(QueryKind kind) noexcept;

// Values of kSelective are in at most so many rows, unless a table has hardly one that is.
inline constexpr uint32_t kMostSelectiveRows = 1000;

using Conditions = std::vector<index::Condition>;

// Draws from a table that has an indexed attribute with a value, and must outlive the draw as it
// is; so must the map. Not thread-safe.
class QueryDraw {
 public:
  QueryDraw(const IndexedTable& table, const ExactMap& map, uint64_t seed);

  std::vector<Conditions> Draw(QueryKind kind, size_t num_queries);
  // Values of two attributes, each of a row of its own.
  Conditions PairOfTwoRows();

 private:
  Conditions DrawOne(QueryKind kind);
  uint32_t Attribute();
  index::Condition ValueOfRow(const index::Row& row, uint32_t attribute);
  index::Condition AnyValueOf(uint32_t attribute);
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  const IndexedTable& table_;
  std::vector<uint32_t> indexed_;                                         // attributes with a value
  std::vector<std::vector<std::string_view>> values_;                     // of each attribute
  std::vector<std::unordered_map<std::string_view, uint32_t>> num_rows_;  // of each value
  std::mt19937_64 random_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_INDEX_QUERY_LISTS_H_
