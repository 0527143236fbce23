// GrowthLadder: the sizes that a shard of a GrowingStore has, one after the other.
//
// A *level* takes so many entries, and has segments that are all alike: 2^prefix_bits of them, each
// of the shape and with as many blocks as take the least memory. The next level takes twice as
// many; or 1.41 times where there are several segments with remainders of 16 bits and more:
//
//   level             0     1     2     3     4       5
//   capacity          c     2c    4c    8c    11.3 c  16 c
//   segments          1     1     1     2     2       4     of at most 65,536 keys
//   remainders        19    18    17    16    15.5    15    bits, as far as blocks of a shape go
//
// So memory is on average 1.44 or 1.2 times that of a filter of the same values that is full, and a
// key is moved once or 2.4 times on average.
#ifndef TROMMEL_ENGINE_SRC_GROWING_GROWTH_LADDER_H_
#define TROMMEL_ENGINE_SRC_GROWING_GROWTH_LADDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/dense_layout.h"

namespace trommel {

struct GrowthLevel {
  uint64_t capacity = 0;  // entries of a shard
  uint32_t prefix_bits = 0;
  uint64_t num_blocks = 0;  // of a segment
  kernels::DenseLayout layout{};

  uint64_t num_segments() const { return uint64_t{1} << prefix_bits; }
  uint64_t num_bytes() const;  // of a shard's segments, without further lines and records
  // Nothing needs to move from one to the other.
  bool HasSegmentsOf(const GrowthLevel& other) const {
    return prefix_bits == other.prefix_bits && num_blocks == other.num_blocks &&
           layout == other.layout;
  }
};

class GrowthLadder {
 public:
  // Keys of a shard that keeps whole digests, at most; or that, doubled, if the values are longer
  // than blocks of so few keys can keep. With them the capacities that follow are a little above
  // those from which on remainders fit a shorter shape, and memory is the least: 832 take 2 to 4 %
  // more beyond 10^7 keys.
  static constexpr uint64_t kLeastDigests = 800;
  static constexpr uint64_t kBytesPerDigest = 11;      // on average
  static constexpr uint64_t kMostBytesPerDigest = 12;  // of a table that has just grown

  // Of shards that hold first_capacity keys at first, and grow as far as max_capacity takes; with
  // values of so many bits. A shard of 0, or of as many keys as digests are kept of, begins with
  // digests. Requires that max_capacity is no less than first_capacity, and 1 to kMaxValueBits
  // bits.
  GrowthLadder(uint32_t value_bits, uint64_t first_capacity, uint64_t max_capacity);

  uint32_t value_bits() const { return value_bits_; }
  // The most keys of which a shard keeps whole digests.
  uint64_t max_digests() const { return max_digests_; }
  bool begins_with_digests() const { return begins_with_digests_; }
  size_t num_levels() const { return levels_.size(); }
  const GrowthLevel& operator[](size_t level) const { return levels_[level]; }
  // Below it are the sizes of shards that come from files or merges; none shrinks to these.
  size_t first_level() const { return first_level_; }
  // The first level that takes so many, or the last.
  size_t LevelFor(uint64_t num_entries) const;

 private:
  uint32_t value_bits_;
  uint64_t max_digests_ = kLeastDigests;
  bool begins_with_digests_;
  size_t first_level_ = 0;
  std::vector<GrowthLevel> levels_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_GROWTH_LADDER_H_
