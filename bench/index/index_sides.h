// The sides of index_compare: two tables that differ in the structure of their directory, and the
// same rows and entries in plain databases, with an exact map in memory.
#ifndef TROMMEL_BENCH_INDEX_INDEX_SIDES_H_
#define TROMMEL_BENCH_INDEX_INDEX_SIDES_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/index/src/rocks/rocks_row_store.h"
#include "trommel/index/cluster.h"
#include "trommel/index/query.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::bench {

// ExactMap: the directory as a hash map in memory, from each value to its regions: the baseline
// that has no false regions.

// Positions of regions, ascending. As a string, because that has space for seven of them in place;
// most values of a table are in few regions.
using RegionList = std::u16string;

// Not thread-safe. As in the directory, the caller knows when a region loses a value: the local
// index says so, and counts of rows would take memory that the filters do not need.
class ExactMap {
 public:
  explicit ExactMap(size_t num_attributes) : attributes_(num_attributes) {}

  // Insert does nothing for a pair that is there, and Erase for one that is not.
  void Insert(uint32_t attribute, std::string_view value, uint16_t region);
  void Erase(uint32_t attribute, std::string_view value, uint16_t region);

  RegionList RegionsOf(uint32_t attribute, std::string_view value) const;
  // The regions that have a row with each value, not necessarily the same row.
  RegionList RegionsOf(std::span<const index::Condition> conditions) const;

  std::vector<std::string_view> ValuesOf(uint32_t attribute) const;
  uint64_t num_pairs() const noexcept { return num_pairs_; }
  uint64_t num_values() const noexcept;
  // As the standard library lays it out, without what malloc adds. Cost: a pass over the map.
  uint64_t num_bytes() const noexcept;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view value) const noexcept {
      return std::hash<std::string_view>()(value);
    }
  };
  using Map = std::unordered_map<std::string, RegionList, Hash, std::equal_to<>>;

  std::vector<Map> attributes_;
  uint64_t num_pairs_ = 0;
};

// How a query is answered.
enum class Way : uint8_t {
  kBroadcast,      // local indexes alone
  kServerFilters,  // one scalable filter per server, queried in turn
  kColumnMap,      // the directory, with a ColumnMap per attribute
  kExactMap,       // ExactMap
};
inline constexpr size_t kNumWays = 4;
const char* NameOf(Way way) noexcept;

// Seconds of the parts of a write to the plain databases.
struct PlainSeconds {
  double read = 0;    // of the old rows: entries to be removed follow from them
  double commit = 0;  // of rows and entries: the same batch as in the tables
  double map = 0;     // changes of the exact map, and questions to the local index for them
};

// Not thread-safe.
class IndexSides {
 public:
  // Makes three folders in this one. All have equal databases and as much memory.
  static Result<IndexSides> Create(const std::filesystem::path& folder, const index::Schema& schema,
                                   const std::vector<std::string>& splits, uint32_t num_servers);

  // Answers a query from the rows of one table, with the directory of the way: all ways ask the
  // same databases by the same code.
  Result<index::QueryOutcome> Ask(Way way, std::span<const index::Condition> conditions) const;

  // Writes rows, deletes some, without a directory; with one commit per region, as the tables do.
  // Requires that values ascend, each once.
  Status WritePlain(std::span<const index::Mutation> mutations, PlainSeconds& seconds);

  index::Cluster& column_map() { return *column_map_; }
  const index::Cluster& column_map() const { return *column_map_; }
  index::Cluster& server_filters() { return *server_filters_; }
  const index::Cluster& server_filters() const { return *server_filters_; }
  const ExactMap& map() const { return map_; }
  const index::RegionTable& table() const { return table_; }

 private:
  IndexSides(index::RegionTable table, const index::Schema& schema);

  index::QueryOutcome AskMap(std::span<const index::Condition> conditions) const;

  index::RegionTable table_;
  std::vector<bool> is_indexed_;  // by attribute
  ExactMap map_;
  std::vector<std::unique_ptr<index::RocksRowStore>> plain_;  // by server
  std::unique_ptr<index::Cluster> server_filters_;
  std::unique_ptr<index::Cluster> column_map_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_INDEX_INDEX_SIDES_H_
