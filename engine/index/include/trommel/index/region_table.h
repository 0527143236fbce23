/// @file
/// RegionTable: which range of keys is which region, and on which server.
#ifndef TROMMEL_INDEX_REGION_TABLE_H_
#define TROMMEL_INDEX_REGION_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

/// A range of row keys on one server.
struct Region {
  uint32_t id = 0;      ///< Names the region for as long as it exists, and is not used again.
  KeyRange range;       ///< Its keys.
  uint32_t server = 0;  ///< Where its rows are: 0 to num_servers - 1.

  /// Memberwise equality.
  friend bool operator==(const Region&, const Region&) = default;
};

/// Most regions of a table.
inline constexpr size_t kMaxRegions = 60'000;

/// The regions of a table in the order of their keys: each key is in exactly one. Immutable.
class RegionTable {
 public:
  /// Fails with kInvalidArgument unless there are 1 to kMaxRegions regions in the order of their
  /// keys: the first begins at the empty key, each ends where the next begins, and the last has no
  /// end. Ids must differ, and servers must be below kMaxRegions.
  static Result<RegionTable> Create(std::vector<Region> regions);

  /// Returns a table of splits.size() + 1 regions with ids 0, 1, ..., spread evenly over the
  /// servers: neighbours on one server. Servers beyond the number of regions get none. Fails with
  /// kInvalidArgument unless splits ascend strictly, none is empty, there are fewer than
  /// kMaxRegions of them, and num_servers > 0.
  static Result<RegionTable> Split(std::span<const std::string> splits, uint32_t num_servers);

  /// Returns the regions in the order of their keys.
  std::span<const Region> regions() const noexcept { return regions_; }
  /// Returns the number of regions.
  size_t size() const noexcept { return regions_.size(); }
  /// Returns the region at a position in the order of keys.
  const Region& operator[](size_t position) const noexcept { return regions_[position]; }
  /// Returns the position of the region that has the key.
  size_t Find(std::string_view key) const noexcept;
  /// Returns the position of the region with this id, or size() if there is none.
  size_t FindId(uint32_t id) const noexcept;
  /// Returns one more than the largest server.
  uint32_t num_servers() const noexcept { return num_servers_; }

  /// Memberwise equality.
  friend bool operator==(const RegionTable&, const RegionTable&) = default;

 private:
  std::vector<Region> regions_;
  std::vector<uint32_t> positions_;  // of regions, by ascending id
  uint32_t num_servers_ = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_INDEX_REGION_TABLE_H_
