// Segment: a view of some growing blocks of one size and shape (kernels/growing_layout.h draws it)
// and the values of one prefix in them. What its blocks cannot keep is in a DenseRange, to which
// the header leads.
#ifndef TROMMEL_ENGINE_SRC_GROWING_SEGMENT_H_
#define TROMMEL_ENGINE_SRC_GROWING_SEGMENT_H_

#include <cstddef>
#include <cstdint>

#include "engine/src/fingerprints/dense_range.h"
#include "engine/src/growing/growth_ladder.h"
#include "kernels/growing_layout.h"

namespace trommel {

class Segment {
 public:
  static constexpr uint64_t kMostBlocks = kernels::kMaxSegmentBlocks;
  // Behind the versions, for the list of what is replaced (growing_memory.h).
  static constexpr uint64_t kBytesBehind = 64;

  // A multiple of kernels::kSegmentAlignment.
  static constexpr uint64_t BytesFor(uint64_t num_blocks) {
    const uint64_t num_versions = num_blocks / kernels::kGroupBlocks + 1;
    const uint64_t num_bytes =
        kernels::kSegmentHeader + 64 * num_blocks + 8 * num_versions + kBytesBehind;
    return (num_bytes + kernels::kSegmentAlignment - 1) / kernels::kSegmentAlignment *
           kernels::kSegmentAlignment;
  }
  // With the lines that the range of these blocks has at least.
  static constexpr uint64_t AllBytesFor(uint64_t num_blocks) {
    return BytesFor(num_blocks) + DenseLines::LeastLines(num_blocks) * DenseLines::kLineBytes;
  }
  // The most blocks that so many bytes have space for.
  static constexpr uint64_t BlocksWithin(uint64_t num_bytes) {
    uint64_t num_blocks = num_bytes / 64;
    while (BytesFor(num_blocks) > num_bytes) --num_blocks;
    return num_blocks;
  }

  // What the first line of its memory has.
  struct Header {
    DenseRange* range;  // its own; null before it has one
  };

  Segment() = default;
  explicit Segment(uint64_t word) : word_(word) {}
  Segment(std::byte* bytes, const GrowthLevel& level)
      : word_(kernels::SegmentWord(
            {.address = reinterpret_cast<uintptr_t>(bytes),
             .num_blocks = level.num_blocks,
             .prefix_bits = level.prefix_bits,
             .remainder_bits = level.layout.bits,
             .shape_idx = static_cast<uint32_t>(kernels::DenseShapeIdx(level.layout.shape))})) {}

  uint64_t word() const { return word_; }  // of a directory
  std::byte* bytes() const {
    return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(parts().address));
  }
  uint64_t num_blocks() const { return parts().num_blocks; }
  uint64_t num_bytes() const { return BytesFor(num_blocks()); }
  uint64_t all_bytes() const { return AllBytesFor(num_blocks()); }
  uint32_t prefix_bits() const { return parts().prefix_bits; }
  Header& header() const { return *reinterpret_cast<Header*>(bytes()); }
  DenseRange& range() const { return *header().range; }
  uint32_t* blocks() const {
    return reinterpret_cast<uint32_t*>(bytes() + kernels::kSegmentHeader);
  }
  uint64_t* versions() const {
    return reinterpret_cast<uint64_t*>(bytes() + kernels::kSegmentHeader + 64 * num_blocks());
  }

  // Where a value is, of which `p` bits are behind the segment's prefix.
  struct Place {
    uint64_t block_idx;
    uint32_t key;  // of the range
  };
  Place PlaceOf(uint64_t value, uint32_t p) const {
    const kernels::SegmentParts parts = this->parts();
    const auto [block_idx, bin] =
        kernels::BlockAndBinOf(value, p, parts.num_blocks, kernels::kDenseBins.of[parts.shape_idx]);
    const uint32_t remainder = static_cast<uint32_t>(value) & ((1U << parts.remainder_bits) - 1);
    return {block_idx, bin << parts.remainder_bits | remainder};
  }
  // Where a digest of the segment is, of which values have so many bits behind the shard's.
  Place PlaceOfDigest(uint64_t digest, uint32_t value_bits) const {
    const uint32_t p = value_bits - prefix_bits();
    return PlaceOf(kernels::ValueOf(digest, value_bits) & ((uint64_t{1} << p) - 1), p);
  }

 private:
  kernels::SegmentParts parts() const { return kernels::PartsOf(word_); }

  uint64_t word_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_SEGMENT_H_
