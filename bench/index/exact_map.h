// ExactMap: the directory as a hash map in memory, from each value to its regions: the baseline
// that has no false regions.
#ifndef TROMMEL_BENCH_INDEX_EXACT_MAP_H_
#define TROMMEL_BENCH_INDEX_EXACT_MAP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trommel/index/schema.h"

namespace trommel::bench {

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

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_INDEX_EXACT_MAP_H_
