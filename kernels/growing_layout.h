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
// bits, so they match no key. No code of a block begins another one, so at most one matches a key.
//
// *Segments* are 2^bits blocks of one depth, 7 <= bits <= 12. In front of them are two words for
// each group of 64 blocks, the first group's last: its version (group_versions.h), and which of its
// blocks are *counted*, that is have counts in the side table, which only writers read. Behind the
// blocks are the groups' overflow lines:
//
//   | .. | version 1 | counted 1 | version 0 | counted 0 | block 0 | block 1 | ..  | line 0 | ..
//                                                         address, a multiple of 512
//
// *The directory* has a word for each value of a digest's first bits, as many as the root says; it
// leads to the segment of these digests. Digests of shards without segments are led to one whose
// blocks are all marked.
//
//   root   | address of the directory, a multiple of 64 | bits (6) |
//   word   | address of the segment, a multiple of 512 | bits - 7 (3) | depth + 6 (6) |
#ifndef TROMMEL_KERNELS_GROWING_LAYOUT_H_
#define TROMMEL_KERNELS_GROWING_LAYOUT_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/fingerprint_layout.h"
#include "kernels/presence_words.h"

namespace trommel::kernels {

inline constexpr uint32_t kGrowingShardBits = 6;
inline constexpr size_t kGrowingShards = size_t{1} << kGrowingShardBits;
inline constexpr uint32_t kGrowingKeyBits = 15;
inline constexpr uint32_t kGrowingMark = 0x8000;  // in slot 31

inline constexpr uint32_t kMinSegmentBits = 7;
inline constexpr uint32_t kMaxSegmentBits = 12;
inline constexpr size_t kSegmentAlignment = 512;

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
// Returns whether the bits of a code are the first ones of another code, or all of them.
constexpr bool Begins(uint32_t code, uint32_t other) {
  return IsMatch(code, other) && LastOne(code) >= LastOne(other);
}

constexpr bool IsMarkedGrowing(const uint32_t* block) {
  return block[kFingerprintBlockWords - 1] >> 16 == kGrowingMark;
}

// The same beside updates.
inline bool IsMarkedBesideUpdates(const uint32_t* block) {
  return LoadPresenceWord(block + kFingerprintBlockWords - 1) >> 16 == kGrowingMark;
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

constexpr uint64_t SegmentWord(uint64_t address, uint32_t depth, uint32_t bits) {
  return address | (bits - kMinSegmentBits) << kGrowingShardBits | (depth + kGrowingShardBits);
}
constexpr uint64_t SegmentAddress(uint64_t word) { return word & ~uint64_t{kSegmentAlignment - 1}; }
constexpr uint32_t SegmentDepth(uint64_t word) {
  return static_cast<uint32_t>(word & 63) - kGrowingShardBits;
}
constexpr uint32_t SegmentBits(uint64_t word) {
  return static_cast<uint32_t>(word >> kGrowingShardBits & 7) + kMinSegmentBits;
}

// --- Tables of whole digests. What a shard without segments has (growing/digest_table.h, in the
// engine, has the rules). Where it is, is a word per shard: the address with kTableBit, which
// stands alone while there are no keys; 0: the shard has segments.
//
//   table   | version | number of lines | .. | line 0 | line 1 | ...
//   line    | string | string | .. | 0 | 0 |      a cache line
//   string  | y (58) | 1 | 0 0 0 0 0 |

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

// --- Segments. Offsets from their addresses.

constexpr uint64_t VersionBytes(uint32_t segment_bits) {
  return (2 * sizeof(uint64_t) << segment_bits) / kGroupBlocks;
}
constexpr uint64_t LinesOffset(uint32_t segment_bits) { return uint64_t{64} << segment_bits; }
constexpr uint64_t SegmentEnd(uint32_t segment_bits) { return uint64_t{65} << segment_bits; }
constexpr uint64_t VersionAddress(uint64_t segment_address, uint64_t block_idx) {
  return segment_address - (block_idx / kGroupBlocks + 1) * 2 * sizeof(uint64_t);
}

// Where a key belongs.
struct GrowingPlace {
  uint64_t block;  // addresses
  uint64_t version;
  uint32_t key;
  uint32_t block_of_group;  // of 64
};

// Returns whether the block is counted. Requires the lock of its shard.
inline bool IsCountedPlace(const GrowingPlace& place) {
  const auto* version = reinterpret_cast<const uint64_t*>(static_cast<uintptr_t>(place.version));
  return (version[1] >> place.block_of_group & 1) != 0;
}

//   digest, rotated   | key (15) | .. | shard and prefix (depth + 6) |
//                                              block in its segment
constexpr GrowingPlace PlaceInSegment(uint64_t digest, uint64_t word) {
  const uint64_t rotated = std::rotl(digest, static_cast<int>(word & 63));
  const uint64_t block_idx = rotated & ((uint64_t{1} << SegmentBits(word)) - 1);
  const uint64_t address = SegmentAddress(word);
  return {address + block_idx * 64, VersionAddress(address, block_idx),
          static_cast<uint32_t>(rotated >> 49 << 1),
          static_cast<uint32_t>(block_idx % kGroupBlocks)};
}

struct GrowingBlocks {
  const uint64_t* root;
};

inline uint64_t LoadRoot(const GrowingBlocks& blocks) {
  return __atomic_load_n(blocks.root, __ATOMIC_ACQUIRE);
}
// The word of the digest's segment. Thread safety: beside updates.
inline uint64_t LoadSegmentWord(uint64_t root, uint64_t digest) {
  return __atomic_load_n(DirectoryWords(root) + DirectoryIndex(digest, DirectoryBits(root)),
                         __ATOMIC_ACQUIRE);
}

// How far an update came: keys [begin, end) are done, of which so many were inserted or erased.
struct GrowingProgress {
  size_t end;
  size_t num_changed;
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_GROWING_LAYOUT_H_
