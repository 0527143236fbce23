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

#include "bench/index/index_sides.h"
#include "bench/index/table_input.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

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

// Whether filters of combinations of two attributes, beside those of single ones, would save
// regions: what they could save at best, and the memory that they would take.

// Means per query.
struct CombinationRegions {
  double by_directory = 0;  // asked after intersecting the directory's answers
  double by_map = 0;        // the same without false regions: each value is in the region
  double with_both = 0;     // some row of the region has both: what a perfect filter would name
};

struct CombinationBytes {
  uint64_t num_attribute_pairs = 0;
  uint64_t num_combinations = 0;  // of two values in a region, each once
  uint64_t num_bytes = 0;         // of filters for them at the rate
};

// The regions of each query. Requires that the conditions have values that are in the table.
CombinationRegions CountRegions(std::span<const Conditions> queries, const IndexedTable& table,
                                const index::RegionTable& regions, const ExactMap& map,
                                const index::ServerIndex& directory);

// A filter per region and pair of indexed attributes, of the size of SizeFor.
Result<CombinationBytes> SizeCombinations(const IndexedTable& table,
                                          const index::RegionTable& regions, double target_fpr);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_INDEX_QUERY_LISTS_H_
