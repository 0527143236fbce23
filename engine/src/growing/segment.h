// Segment: a view of 2^bits blocks of one depth, with their overflow lines and versions
// (kernels/growing_layout.h draws it), and the strings of bits that blocks hold.
#ifndef TROMMEL_ENGINE_SRC_GROWING_SEGMENT_H_
#define TROMMEL_ENGINE_SRC_GROWING_SEGMENT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/src/fingerprints/line_entries.h"
#include "kernels/group_versions.h"
#include "kernels/growing_layout.h"
#include "kernels/presence_words.h"

namespace trommel {

// A *string* is what is known of a key's y: its bits from the top, then a 1, then zeros.

// The string of a code of the block with this prefix of `depth` bits.
constexpr uint64_t StringOf(uint64_t prefix, uint32_t depth, uint32_t code) {
  return (prefix << 1 << (63 - depth)) | uint64_t{code} << (48 - depth);
}
// The code that a block of this depth has for a string: at most 15 bits of it. Requires that the
// string is longer than the depth.
constexpr uint32_t CodeAt(uint64_t string, uint32_t depth) {
  const uint64_t bits = string << depth;
  const auto code = static_cast<uint32_t>(bits >> 48);
  return bits << 16 == 0 ? code : kernels::NewCode(code & 0xfffe);
}
// With 0 bits of depth: 0.
constexpr uint64_t PrefixOf(uint64_t y, uint32_t depth) { return y >> 1 >> (63 - depth); }

using kernels::WholeString;

class Segment {
 public:
  Segment() = default;
  explicit Segment(uint64_t word) : word_(word) {}
  Segment(std::byte* bytes, uint32_t depth, uint32_t bits)
      : word_(kernels::SegmentWord(reinterpret_cast<uintptr_t>(bytes), depth, bits)) {}

  uint64_t word() const { return word_; }  // of a directory
  // The address of its first block.
  std::byte* bytes() const {
    return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(kernels::SegmentAddress(word_)));
  }
  uint32_t bits() const { return kernels::SegmentBits(word_); }
  uint32_t depth() const { return kernels::SegmentDepth(word_); }
  uint64_t num_blocks() const { return uint64_t{1} << bits(); }

  // Of the block of these bits: y or a string.
  uint64_t IndexOf(uint64_t y) const { return PrefixOf(y, depth()) & (num_blocks() - 1); }

  uint32_t* BlockAt(uint64_t idx) const {
    return reinterpret_cast<uint32_t*>(bytes()) + idx * kernels::kFingerprintBlockWords;
  }
  OverflowLine& LineOf(uint64_t idx) const {
    return *reinterpret_cast<OverflowLine*>(bytes() + kernels::LinesOffset(bits()) +
                                            idx / kernels::kGroupBlocks * sizeof(OverflowLine));
  }
  // The version of the block's group, as GroupChange and GroupReads know it: with index 0.
  kernels::FingerprintBlocks VersionOf(uint64_t idx) const {
    const uint64_t address = kernels::VersionAddress(kernels::SegmentAddress(word_), idx);
    return {.words = BlockAt(0),
            .num_blocks = num_blocks(),
            .fingerprint_bits = 0,
            .versions = reinterpret_cast<uint64_t*>(static_cast<uintptr_t>(address))};
  }

  // Which blocks have counts in the side table. Require the lock of the shard.
  uint64_t& CountedOf(uint64_t idx) const {
    const uint64_t address = kernels::VersionAddress(kernels::SegmentAddress(word_), idx);
    return reinterpret_cast<uint64_t*>(static_cast<uintptr_t>(address))[1];
  }
  bool IsCounted(uint64_t idx) const {
    return (CountedOf(idx) >> (idx % kernels::kGroupBlocks) & 1) != 0;
  }
  void SetCounted(uint64_t idx, bool is_counted) const {
    const uint64_t at = idx % kernels::kGroupBlocks;
    uint64_t& counted = CountedOf(idx);
    counted = (counted & ~(uint64_t{1} << at)) | uint64_t{is_counted} << at;
  }

  // All blocks and lines empty, all versions 0. Requires that there are no readers.
  void Clear() const {
    const uint64_t version_bytes = kernels::VersionBytes(bits());
    std::memset(bytes() - version_bytes, 0, version_bytes + kernels::SegmentEnd(bits()));
  }
  // The blocks and lines of another one of as many. Requires that there are no readers.
  void CopyFrom(const Segment& other) const {
    std::memcpy(bytes(), other.bytes(), kernels::SegmentEnd(bits()));
    for (uint64_t idx = 0; idx < num_blocks(); idx += kernels::kGroupBlocks) {
      CountedOf(idx) = other.CountedOf(idx);
    }
  }
  // Empties a block. Requires a change of its group, and that the side table is emptied.
  void ClearBlock(uint64_t idx) const {
    for (size_t i = 0; i < kernels::kFingerprintBlockWords; ++i) {
      kernels::StorePresenceWord(0, BlockAt(idx) + i);
    }
    OverflowLine& line = LineOf(idx);
    for (size_t i = 0; i < kLineEntries; ++i) {
      if (IsOf(line, i, idx)) ClearEntry(line, i);
    }
    __atomic_store_n(&line.undecided, 0, __ATOMIC_RELAXED);
    SetCounted(idx, false);
  }

 private:
  uint64_t word_ = 0;
};

// A change of a block's group, for its lifetime.
class BlockChange : public kernels::GroupChange {
 public:
  BlockChange(const Segment& segment, uint64_t idx) : GroupChange(segment.VersionOf(idx), 0) {}
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_SEGMENT_H_
