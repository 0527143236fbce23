// Growing blocks: fingerprints with lengths, in the blocks of a filter that doubles. Addressing and
// layout, which kernels, reference and engine share.
//
//   digest   | shard (6) | y (58)                        y is kept from the top of 64 bits
//   y        | prefix: the block (depth d) | key: the next 15 bits | rest
//
// *Codes.* A slot of 16 bits has the bits that are known of a key behind its block's prefix, from
// the top, then a 1, then zeros; a key that comes in has 15. A doubling takes the top bit, which
// says whether block 2b or 2b + 1 gets the rest:
//
//   15 bits   b b b b b b b b b b b b b b b 1      0       the slot is free
//   one less  b b b b b b b b b b b b b b 1 0      0x8000  no bits: in slot 31 a mark, the block
//   has
//    ...                                                   keys elsewhere; in no other slot
//   1 bit     b 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//
// A code matches a key if its bits are the key's first. With t = code & -code, the code's last 1,
// that is (code ^ key) < 2t: the bits above the last 1 are equal. For 0 and 0x8000 2t is 0 in 16
// bits, so they match no key.
//
// *Segments* are 2^bits blocks of one depth, 7 <= bits <= 12, aligned to 4,096 bytes; then an
// overflow line and a version (group_versions.h) for each group of 64 blocks:
//
//   | block 0 | block 1 | ...    | line 0 | ...    | version 0 | ...
//
// *Directories.* A shard's root word leads to its directory, 2^n words for the next n bits of y; a
// word there leads to a segment. Low bits of the words say what they lead to.
//
//   root   | address of the directory, of 64 bytes | digests (1) | n (5) |
//   word   | address of the segment, of 4,096 bytes | 0 (2) | depth (6) | bits (4) |
#ifndef TROMMEL_KERNELS_GROWING_LAYOUT_H_
#define TROMMEL_KERNELS_GROWING_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "kernels/fingerprint_layout.h"
#include "kernels/presence_words.h"

namespace trommel::kernels {

inline constexpr uint32_t kGrowingShardBits = 6;
inline constexpr size_t kGrowingShards = size_t{1} << kGrowingShardBits;
inline constexpr uint32_t kGrowingKeyBits = 15;
inline constexpr uint32_t kGrowingMark = 0x8000;  // in slot 31
// So many slots of a block may have one code; further copies are counts elsewhere.
inline constexpr size_t kMostCopiesShown = 4;

inline constexpr uint32_t kMinSegmentBits = 7;
inline constexpr uint32_t kMaxSegmentBits = 12;
inline constexpr size_t kSegmentAlignment = 4096;

// --- Bits of digests.

constexpr uint64_t ShardOf(uint64_t digest) { return digest >> (64 - kGrowingShardBits); }
constexpr uint64_t BitsInShard(uint64_t digest) { return digest << kGrowingShardBits; }

// The key of these bits of y behind a block's prefix: 15 bits, then a 0.
constexpr uint32_t GrowingKey(uint64_t y, uint32_t depth) {
  return static_cast<uint32_t>(y << depth >> 49 << 1);
}
constexpr uint32_t NewCode(uint32_t key) { return key | 1; }
constexpr uint32_t LastOne(uint32_t code) { return code & (0 - code); }

constexpr bool IsMatch(uint32_t code, uint32_t key) {
  return (code ^ key) < (2 * LastOne(code) & 0xffff);
}
// The code that matches the key and has this last 1.
constexpr uint32_t CodeOf(uint32_t key, uint32_t last_one) {
  return (key & (0 - 2 * last_one)) | last_one;
}

constexpr bool IsMarkedGrowing(const uint32_t* block) {
  return block[kFingerprintBlockWords - 1] >> 16 == kGrowingMark;
}

// The same beside updates.
inline bool IsMarkedBesideUpdates(const uint32_t* block) {
  return LoadPresenceWord(block + kFingerprintBlockWords - 1) >> 16 == kGrowingMark;
}

// --- Root words and words of directories.

inline constexpr uint64_t kDigestsRoot = 1 << 5;  // the shard keeps digests

constexpr uint64_t DirectoryAddress(uint64_t root) { return root & ~uint64_t{63}; }
constexpr uint32_t DirectoryBits(uint64_t root) { return static_cast<uint32_t>(root & 31); }
// The index of the word for y. With 0 bits: 0.
constexpr uint64_t DirectoryIndex(uint64_t y, uint32_t directory_bits) {
  return y >> 1 >> (63 - directory_bits);
}

constexpr uint64_t SegmentWord(uint64_t address, uint32_t depth, uint32_t bits) {
  return address | depth << 4 | bits;
}
constexpr uint64_t SegmentAddress(uint64_t word) { return word & ~uint64_t{kSegmentAlignment - 1}; }
constexpr uint32_t SegmentDepth(uint64_t word) { return word >> 4 & 63; }
constexpr uint32_t SegmentBits(uint64_t word) { return word & 15; }

// --- Segments.

constexpr uint64_t LinesOffset(uint32_t segment_bits) { return uint64_t{64} << segment_bits; }
constexpr uint64_t VersionsOffset(uint32_t segment_bits) { return uint64_t{65} << segment_bits; }
constexpr uint64_t SegmentBytes(uint32_t segment_bits) {
  return VersionsOffset(segment_bits) + (uint64_t{8} << segment_bits) / kGroupBlocks;
}
// The index within its segment of the block of y.
constexpr uint64_t BlockInSegment(uint64_t y, uint32_t depth, uint32_t segment_bits) {
  return y << (depth - segment_bits) >> (64 - segment_bits);
}

// Where a key belongs.
struct GrowingPlace {
  uint64_t block;  // addresses
  uint64_t version;
  uint32_t key;
};

constexpr GrowingPlace PlaceInSegment(uint64_t y, uint64_t word) {
  const uint32_t bits = SegmentBits(word);
  const uint32_t depth = SegmentDepth(word);
  const uint64_t block_idx = BlockInSegment(y, depth, bits);
  const uint64_t address = SegmentAddress(word);
  return {address + block_idx * 64,
          address + VersionsOffset(bits) + block_idx / kGroupBlocks * sizeof(uint64_t),
          GrowingKey(y, depth)};
}

// The word of y's segment. Thread safety: beside updates of the shard. Requires a shard that does
// not keep digests.
inline uint64_t LoadSegmentWord(uint64_t root, uint64_t y) {
  const auto* words = reinterpret_cast<const uint64_t*>(DirectoryAddress(root));
  return __atomic_load_n(words + DirectoryIndex(y, DirectoryBits(root)), __ATOMIC_ACQUIRE);
}

// The roots of all shards.
struct GrowingBlocks {
  const uint64_t* roots;
};

inline uint64_t LoadRoot(const GrowingBlocks& blocks, uint64_t digest) {
  return __atomic_load_n(blocks.roots + ShardOf(digest), __ATOMIC_ACQUIRE);
}

// How far an update came: keys [begin, end) are done, of which so many were inserted or erased.
struct GrowingProgress {
  size_t end;
  size_t num_changed;
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_GROWING_LAYOUT_H_
