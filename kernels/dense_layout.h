// Dense blocks: fingerprint blocks that are nearly full. A block is one cache line; one that is
// full keeps its lowest bins, and the other keys are entries of *overflow lines* near it.
//
// Block and key come from one prefix of the digest, in mixed radix: with the product of
// fingerprint_layout.h, digest x num_blocks = block index x 2^64 + rest,
//
//   key = rest x (bins << bits) / 2^64     | bin | remainder, `bits` of them |
//
// so that a key's first half says which of two blocks it is in when the blocks double, and doubling
// takes a bit of the remainder. The number of bins need not be a power of two.
//
//   block      bit 0 first: | bytes of S remainders | planes | unary, S + B | counted | cut |
//   bytes      the lowest of each; with 16 bits or more then the second of each
//   planes     the remainders' other bits, S bits each; 20 slots have six bits behind them
//   unary      for each bin a 0 per key, then a 1:  0 1 | 0 0 1 | 1 | ..
//              stored xor that of an empty block, so that an empty block is all zeros
//   cut        so many bins are shown as have their 1; keys of the others are elsewhere
//   counted    each key is shown once, and a record has further copies
//
// The last bit of unary is 1 if the block is full and not cut. In a block that is cut it is free,
// and says that keys are in side memory alone (*spilled*). Free slots are 0. The slots of a bin are
// in no order.
//
//   line       bit 0 first: | low 16 bits of N keys | planes: tag, high bits of keys | count |
//   line of keys of 20 bits or more     | 15 times: key (27), tag | 0 .. | count |
//   tag        5 bits, which name the entry's block (fingerprints/dense_lines.h)
#ifndef TROMMEL_KERNELS_DENSE_LAYOUT_H_
#define TROMMEL_KERNELS_DENSE_LAYOUT_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace trommel::kernels {

__extension__ using DenseWord = unsigned __int128;

inline constexpr uint32_t kDenseBlockBits = 512;
inline constexpr uint32_t kDenseFlagBits = 2;
inline constexpr uint32_t kDenseTagBits = 5;
inline constexpr uint32_t kDenseEntryCountBits = 5;
// So many blocks have one home among the lines, at most.
inline constexpr uint32_t kMaxBlocksPerLine = 16;
inline constexpr uint32_t kMaxDenseSlots = 51;
inline constexpr uint32_t kMaxDensePlanes = 5;
// Of a line, by shape: so many, or 21 and more.
inline constexpr uint32_t kWordLineEntries = 15;
inline constexpr uint32_t kMaxLineEntries = 24;
// An erasure that leaves so many free slots in a cut block is the store's: lowest bins return.
inline constexpr uint32_t kDensePullSlots = 3;
// So many copies in a full block are counted before it is cut.
inline constexpr uint32_t kDenseManyCopies = 3;

// Slots, bins and the most bits of a remainder.
struct DenseShape {
  uint32_t slots;
  uint32_t bins;
  uint32_t max_bits;

  constexpr uint32_t num_bytes() const { return max_bits / 8; }  // of a remainder: 1 or 2
  constexpr uint32_t num_planes() const { return max_bits % 8; }
  // Where a plane begins.
  constexpr uint32_t plane_begin(uint32_t i) const { return slots * (8 * num_bytes() + i); }
  // Where the unary string begins.
  constexpr uint32_t unary_begin() const { return kDenseBlockBits - kDenseFlagBits - slots - bins; }
  constexpr uint32_t key_bits() const {
    return static_cast<uint32_t>(std::bit_width((bins << max_bits) - 1));
  }
  // The entries of a line: of 16 bits, tag, and the key's bits beyond 16; or of a word each.
  constexpr uint32_t line_entries() const {
    if (key_bits() > 19) return kWordLineEntries;
    return (kDenseBlockBits - kDenseEntryCountBits) / (kDenseTagBits + std::max(key_bits(), 16U));
  }

  friend bool operator==(const DenseShape&, const DenseShape&) = default;
};

// By rate, in percent when full: about .36, .22, .097, .050, .030, .014, .0057, .00053, .000050 and
// .000012. Keys of the last have as many bits as a word of an overflow line has beside the tag.
inline constexpr DenseShape kDenseShapes[] = {
    {51, 51, 8},  {48, 78, 8},  {43, 80, 9},  {40, 70, 10}, {38, 54, 11},
    {35, 55, 12}, {32, 62, 13}, {26, 68, 16}, {22, 70, 19}, {20, 64, 21}};

inline constexpr size_t kNumDenseShapes = std::size(kDenseShapes);
// Kernels are compiled in two files: of so many shapes in dense_kernels.cc, of the others in
// long_dense_kernels.cc.
inline constexpr size_t kNumShortDenseShapes = 5;

constexpr bool IsDenseShape(const DenseShape& shape) {
  return shape.slots * shape.max_bits <= shape.unary_begin() && shape.slots <= kMaxDenseSlots &&
         shape.num_bytes() <= 2 && 8 * shape.slots >= 128 && shape.unary_begin() >= 384 &&
         shape.num_planes() <= kMaxDensePlanes && shape.key_bits() <= 32 - kDenseTagBits &&
         (shape.line_entries() == kWordLineEntries ||
          shape.line_entries() + std::max(shape.key_bits(), 16U) - 16 == kMaxLineEntries);
}
static_assert(std::ranges::all_of(kDenseShapes, IsDenseShape), "bits are missing");

// Where a shape is among these, or kNumDenseShapes.
constexpr size_t DenseShapeIdx(const DenseShape& shape) {
  return static_cast<size_t>(std::ranges::find(kDenseShapes, shape) - std::begin(kDenseShapes));
}

// Keys of a block whose bins are equal but for so many low bits have the same two lines: each bin
// by itself would cost half again as many reads of lines when bins return; groups of four leave 0.4
// %, of sixteen 31 % of the queries undecided at 1.9 times the capacity.
inline constexpr uint32_t kDenseGroupBits = 1;

// A shape, and how long remainders are: 1 to max_bits bits.
struct DenseLayout {
  DenseShape shape;
  uint32_t bits;

  friend bool operator==(const DenseLayout&, const DenseLayout&) = default;
  constexpr uint32_t num_keys() const { return shape.bins << bits; }
  constexpr uint32_t KeyOf(uint64_t rest) const {
    return static_cast<uint32_t>((DenseWord{rest} * num_keys()) >> 64);
  }
  constexpr uint32_t BinOf(uint32_t key) const { return key >> bits; }
  constexpr uint32_t GroupOf(uint32_t key) const { return BinOf(key) >> kDenseGroupBits; }
  constexpr uint32_t RemainderOf(uint32_t key) const { return key & ((1U << bits) - 1); }
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_DENSE_LAYOUT_H_
