// Where a key's bits are: the addressing that kernels, reference and file format share.
//
// A digest is cut in two. The high half chooses the block, the low half one position in each slice:
//
//   digest   63 ........ 32 | 31 ......... 0
//            block index     | one position in each slice
//
// A block is k slices of 32 or of 64 positions; k says which (SlicePositions). A slice is one word,
// position = bit, so bit i of a block's presence words is its counter i = slice * positions +
// position: words of 32 bits, or pairs of them where slices have 64 positions.
//
//   32 positions   x salt[s], the top 5 bits of the low half's product         k = 8
//   64 positions   6 bits for each slice, lowest slice first,                  k = 4, 5 or 10
//                  of the low half itself; k = 10 has the second five from
//                  the top 30 bits of its product with a 64-bit salt
//
// Counts have two encodings (Encoding in trommel/sizing.h). *Planes* keep presence and counts in
// two arrays, so that queries walk over presence bits alone:
//
//   presence  | block 0: slice 0 .. 7 | block 1: slice 0 .. 7 | ...
//   counts    | block 0: plane 0, slices 0 .. 7 | plane 1 .. | plane 2 .. | block 1 ...
//
// That is 32 bytes of presence and 96 bytes of counts per block.
//
// A counter c at a position is spread over both: the presence bit is "c > 0", and bit p of c - 1 is
// in plane p at the same position (0 while the position is empty):
//
//   presence  ...0 1 0 1 1      positions 0, 1 and 3 are present
//   plane 0   ...0 0 0 0 1      position 0: c - 1 = 1 + 2 = 3, so c = 4
//   plane 1   ...0 1 0 0 1      position 1: c = 1;  position 3: c - 1 = 2, so c = 3
//   plane 2   ...0 0 0 0 0
//
// *Runs* keep both side by side, in one or two cache lines per block: see run_block.h.
#ifndef TROMMEL_KERNELS_LAYOUT_H_
#define TROMMEL_KERNELS_LAYOUT_H_

#include <cstddef>
#include <cstdint>

namespace trommel::kernels {

inline constexpr size_t kPositions = 32;     // in a slice of a plane block: the bits of its word
inline constexpr size_t kWordSlices = 8;     // of a block whose slices have 32 positions, a word
inline constexpr size_t kMaxSlices = 10;     // of a block
inline constexpr size_t kMaxCounters = 640;  // of a block: 10 slices of 64
inline constexpr size_t kNumPlanes = 3;
inline constexpr uint32_t kMaxPlaneCount = 1 << kNumPlanes;  // the largest count that fits

// Odd multipliers, one per slice of 32: Parquet's (parquet-format, BloomFilter.md), so that 8-slice
// blocks are Parquet's blocks.
alignas(32) inline constexpr uint32_t kSalts[kWordSlices] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU,
                                                             0xa2b7289dU, 0x705495c7U, 0x2df1424bU,
                                                             0x9efc4947U, 0x5c6bfb31U};
// XXH64 (seed 0) of the 64-bit integer 16, made odd: for the second five slices of 64.
inline constexpr uint64_t kWideSalt = 0xe7755b8fc9f1067bULL;

// The block of a digest: a multiply-shift of its high half, so blocks follow the digest's order and
// its top bits (the shard) choose a contiguous range. num_blocks < 2^32.
constexpr uint64_t BlockIndex(uint64_t digest, uint64_t num_blocks) {
  return ((digest >> 32) * num_blocks) >> 32;
}

// Positions per slice in a block of num_slices.
constexpr uint32_t SlicePositions(size_t num_slices) { return num_slices == kWordSlices ? 32 : 64; }

// The word whose fields of 6 bits are the positions in slices of 64, the lowest for slice 0.
constexpr uint64_t PositionWord(uint64_t digest, size_t num_slices) {
  const uint64_t low = static_cast<uint32_t>(digest);
  if (num_slices <= 5) return low;
  return (low & 0x3fffffffU) | (low * kWideSalt >> 34) << 30;
}

// The position in slice s of a block of num_slices.
constexpr uint32_t Position(uint64_t digest, size_t slice_idx, size_t num_slices) {
  if (SlicePositions(num_slices) == 32) {
    return (static_cast<uint32_t>(digest) * kSalts[slice_idx]) >> 27;
  }
  return static_cast<uint32_t>(PositionWord(digest, num_slices) >> (slice_idx * 6)) & 63;
}

// The counter of that position among the block's.
constexpr uint32_t CounterIndex(uint64_t digest, size_t slice_idx, size_t num_slices) {
  return static_cast<uint32_t>(slice_idx) * SlicePositions(num_slices) +
         Position(digest, slice_idx, num_slices);
}

// A view of a filter's memory, 64-byte aligned. Kernels never own it. With runs, counts point
// into the first block, right behind its presence words.
struct Blocks {
  uint32_t* presence;
  uint32_t* counts;
  uint64_t num_blocks;
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_LAYOUT_H_
