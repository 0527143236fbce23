// Growing blocks: dense blocks (dense_layout.h) of a store that grows and shrinks. Addressing,
// which kernels, store and tests share.
//
// All that is ever kept of a key is its *value*, the first bits of its digest: as many at any size,
// so that nothing is lost when blocks become more or fewer, and equal values are equal keys for
// good.
//
//   digest   | shard (6) | value: value_bits | not used |
//                        | prefix: the segment | value in the segment, v: p bits |
//
// A *segment* has n blocks, any number, of one shape with B bins. Its values are divided into n x B
// intervals of about equal size, one for each bin of each block, and a slot has the value's last r
// bits, where 2^r is no less than an interval:
//
//   v x n  = block x 2^p + rest        | block | rest |
//   rest x B = bin x 2^p + ..                  | bin | .. |
//   remainder = v mod 2^r
//
// Block and bin follow from the value, and with the remainder it follows from them: the values of
// an interval are different mod 2^r. So a segment may be replaced by one of another size and shape.
//
// In memory a segment begins at a multiple of 4,096 bytes. Its first line belongs to the store; it
// is followed by the blocks and by the versions of groups of 64 (group_versions.h):
//
//   | header | block 0 | block 1 | .. | version 0 | version 1 | .. |
//
// *The directory* has a word for each value of a digest's first bits, as many as the root says; it
// leads to the segment of these digests. Digests of shards without segments are led to one whose
// block shows no bin.
//
//   root   | address of the directory, a multiple of 64 | bits (6) |
//   word   | 0 | r (5) | shape (4) | shard and prefix bits (6) | address / 4,096 (36) | n (12) |
#ifndef TROMMEL_KERNELS_GROWING_LAYOUT_H_
#define TROMMEL_KERNELS_GROWING_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "kernels/dense_layout.h"
#include "kernels/fingerprint_layout.h"

namespace trommel::kernels {

inline constexpr uint32_t kGrowingShardBits = 6;
inline constexpr size_t kGrowingShards = size_t{1} << kGrowingShardBits;
// Of a shard. With more a product of them would not fit a word.
inline constexpr uint32_t kMaxValueBits = 44;
inline constexpr uint64_t kMaxSegmentBlocks = 4'095;
inline constexpr size_t kSegmentAlignment = 4'096;
inline constexpr size_t kSegmentHeader = 64;  // bytes
inline constexpr uint32_t kMaxPrefixBits = 31;

// --- Bits of digests.

constexpr uint64_t ShardOf(uint64_t digest) { return digest >> (64 - kGrowingShardBits); }
constexpr uint64_t BitsInShard(uint64_t digest) { return digest << kGrowingShardBits; }
// Of its shard.
constexpr uint64_t ValueOf(uint64_t digest, uint32_t value_bits) {
  return BitsInShard(digest) >> (64 - value_bits);
}

// --- The directory.

constexpr uint64_t DirectoryRoot(uint64_t address, uint32_t bits) { return address | bits; }
constexpr uint32_t DirectoryBits(uint64_t root) { return root & 63; }
inline const uint64_t* DirectoryWords(uint64_t root) {
  return reinterpret_cast<const uint64_t*>(static_cast<uintptr_t>(root & ~uint64_t{63}));
}
// At least kGrowingShardBits.
constexpr uint64_t DirectoryIndex(uint64_t digest, uint32_t directory_bits) {
  return digest >> (64 - directory_bits);
}

// The parts of a segment's word.
struct SegmentParts {
  uint64_t address;
  uint64_t num_blocks;
  uint32_t prefix_bits;
  uint32_t remainder_bits;
  uint32_t shape_idx;
};
constexpr uint64_t SegmentWord(const SegmentParts& parts) {
  return parts.address | parts.num_blocks | uint64_t{parts.prefix_bits + kGrowingShardBits} << 48 |
         uint64_t{parts.shape_idx} << 54 | uint64_t{parts.remainder_bits} << 58;
}
constexpr SegmentParts PartsOf(uint64_t word) {
  return {word & (((uint64_t{1} << 48) - 1) & ~uint64_t{kSegmentAlignment - 1}),
          word & (kSegmentAlignment - 1),
          static_cast<uint32_t>(word >> 48 & 63) - kGrowingShardBits,
          static_cast<uint32_t>(word >> 58), static_cast<uint32_t>(word >> 54 & 15)};
}

// --- Places.

// Where a value of p bits belongs in a segment of so many blocks with so many bins each.
struct BlockAndBin {
  uint64_t block_idx;
  uint32_t bin;
};
constexpr BlockAndBin BlockAndBinOf(uint64_t value, uint32_t p, uint64_t num_blocks,
                                    uint32_t num_bins) {
  const uint64_t scaled = value * num_blocks;
  const uint64_t rest = scaled & ((uint64_t{1} << p) - 1);
  return {scaled >> p, static_cast<uint32_t>(rest * num_bins >> p)};
}
// The least bits of a remainder with which a segment of so many bins in all tells its values apart.
// With kSpareValues more than an interval has, its first value need not be known exactly.
inline constexpr uint64_t kSpareValues = 4;
constexpr uint32_t RemainderBitsFor(uint32_t p, uint64_t num_intervals) {
  uint32_t bits = 3;
  while (num_intervals * ((uint64_t{1} << bits) - kSpareValues) < uint64_t{1} << p) ++bits;
  return bits;
}

inline constexpr auto kDenseBins = [] {
  struct {
    uint32_t of[kNumDenseShapes];
  } bins{};
  for (size_t i = 0; i < kNumDenseShapes; ++i) bins.of[i] = kDenseShapes[i].bins;
  return bins;
}();

// Where a key belongs.
struct GrowingPlace {
  uint32_t* block;
  uint32_t remainder;
  uint16_t bin;
  uint16_t shape_idx;
};
struct VersionedPlace : GrowingPlace {
  uint64_t* version;
};

// BlockAndBinOf with the value in the upper bits of a word, so that no shift depends on p.
inline VersionedPlace PlaceInSegment(uint64_t digest, uint64_t word, uint32_t value_bits) {
  __extension__ using Uint128 = unsigned __int128;
  const SegmentParts parts = PartsOf(word);
  const uint32_t not_used = 64 - kGrowingShardBits - value_bits;
  const uint32_t named = parts.prefix_bits + kGrowingShardBits;
  const uint64_t value = digest >> not_used << not_used << named;
  const Uint128 scaled = Uint128{value} * parts.num_blocks;
  const auto block_idx = static_cast<uint64_t>(scaled >> 64);
  const Uint128 bin = Uint128{static_cast<uint64_t>(scaled)} * kDenseBins.of[parts.shape_idx] >> 64;
  const uint64_t blocks = parts.address + kSegmentHeader;
  const uint64_t versions = blocks + 64 * parts.num_blocks;
  return {{reinterpret_cast<uint32_t*>(static_cast<uintptr_t>(blocks + 64 * block_idx)),
           static_cast<uint32_t>(value >> (not_used + named)) & ((1U << parts.remainder_bits) - 1),
           static_cast<uint16_t>(bin), static_cast<uint16_t>(parts.shape_idx)},
          reinterpret_cast<uint64_t*>(
              static_cast<uintptr_t>(versions + block_idx / kGroupBlocks * sizeof(uint64_t)))};
}

struct DenseCutKernels;

struct GrowingBlocks {
  const uint64_t* root;
  uint32_t value_bits;            // of a shard
  const DenseCutKernels* shapes;  // by index in kDenseShapes
};

inline uint64_t LoadRoot(const GrowingBlocks& blocks) {
  return __atomic_load_n(blocks.root, __ATOMIC_ACQUIRE);
}
// The word of the digest's segment. Thread safety: beside updates.
inline uint64_t LoadSegmentWord(uint64_t root, uint64_t digest) {
  return __atomic_load_n(DirectoryWords(root) + DirectoryIndex(digest, DirectoryBits(root)),
                         __ATOMIC_ACQUIRE);
}

// What became of keys [begin, end) of an update: so many were inserted or erased, and so many are
// listed, which the kernel leaves to the store.
struct GrowingProgress {
  size_t num_changed;
  size_t num_spilled;
};

// --- Tables of whole digests. What a shard without segments has (growing/digest_table.h, in the
// engine, has the rules). Where it is, is a word per shard: the address with kTableBit, which
// stands alone while there are no keys; 0: the shard has segments.
//
//   table   | version | number of lines | .. | line 0 | line 1 | ...
//   line    | string | string | .. | 0 | 0 |      a cache line
//   string  | y (58) | 1 | 0 0 0 0 0 |            a digest's bits behind the shard's

inline constexpr uint64_t kTableBit = 1;
inline constexpr size_t kTableLineWords = 8;

// The whole of y, of which 58 bits are known.
constexpr uint64_t WholeString(uint64_t y) { return y | 1 << (kGrowingShardBits - 1); }
template <class Word>
constexpr Word* TableLine(Word* table, uint64_t line_idx) {
  return table + (line_idx + 1) * kTableLineWords;
}
constexpr uint64_t TableHome(uint64_t string, uint64_t num_lines) {
  __extension__ using Uint128 = unsigned __int128;
  return static_cast<uint64_t>((Uint128{string} * num_lines) >> 64);
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_GROWING_LAYOUT_H_
