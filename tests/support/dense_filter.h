// Digests in ranges of dense blocks.
#ifndef TROMMEL_TESTS_SUPPORT_DENSE_FILTER_H_
#define TROMMEL_TESTS_SUPPORT_DENSE_FILTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "engine/src/base/block_memory.h"
#include "engine/src/fingerprints/dense_range.h"
#include "kernels/dense_block.h"
#include "kernels/fingerprint_layout.h"
#include "support/catch.h"

namespace trommel::tests {

// A range with the memory of its blocks.
struct OwnedDenseRange {
  OwnedDenseRange(const DenseLayout& of, uint64_t num_blocks, uint64_t least_lines,
                  const std::optional<DenseLimit>& limit = std::nullopt)
      : layout(of),
        blocks(*BlockMemory::Allocate(kernels::kFingerprintBlockWords * num_blocks)),
        range(*DenseRange::Create(of, blocks.data(), num_blocks, least_lines)) {
    if (limit) range.Take(range.WithLimit(limit).value());
  }

  bool IsZero() const {
    const auto are_zero = [](const BlockMemory& memory) {
      return std::ranges::count(memory.bytes(), std::byte{}) == std::ssize(memory.bytes());
    };
    return are_zero(blocks) && are_zero(range.lines().memory()) && range.hidden().empty() &&
           range.counts().num_bytes() == 0;
  }
  // The bytes of blocks and of what is beside them.
  uint64_t num_bytes() const {
    constexpr uint64_t kBytesOfHidden = 64;  // a node of a map
    return blocks.num_bytes() + range.lines().memory().num_bytes() + range.counts().num_bytes() +
           kBytesOfHidden * range.hidden().size();
  }
  // The share of bins that are cut, in all blocks or in those that have hidden keys: so many
  // non-members do queries beside writers answer "maybe present" only because of these.
  double CutBins(bool of_spilled_alone) const {
    const uint32_t num_bins = layout.shape.bins;
    uint64_t num_cut = 0;
    for (uint64_t b = 0; b < range.num_blocks(); ++b) {
      const kernels::DenseBlock block(layout, range.BlockAt(b));
      if (block.is_spilled() || !of_spilled_alone) num_cut += num_bins - block.num_bins();
    }
    return static_cast<double>(num_cut) / static_cast<double>(range.num_blocks() * num_bins);
  }

  DenseLayout layout;
  BlockMemory blocks;
  DenseRange range;
};

// Ranges, and the digests that are in.
class DenseFilter {
 public:
  static constexpr uint64_t kBlocks = 1'024;

  DenseFilter(const DenseLayout& layout, uint64_t num_ranges, uint64_t num_blocks,
              uint64_t num_lines)
      : layout_(layout), num_blocks_(num_blocks) {
    for (uint64_t i = 0; i < num_ranges; ++i) ranges_.emplace_back(layout_, num_blocks, num_lines);
  }
  void Insert(uint64_t num_keys, uint64_t copies = 1) {
    for (uint64_t i = 0; i < num_keys; ++i) members_.push_back(random_());
    for (uint64_t c = 0; c < copies; ++c) {
      for (const uint64_t digest : members_) InsertOne(digest);
    }
  }
  void Replace(uint64_t num_keys) {
    for (uint64_t i = 0; i < num_keys; ++i) {
      uint64_t& digest = members_[random_() % members_.size()];
      const auto [range, place] = At(digest);
      if (!range.Erase(place.first, place.second)) FAIL("a member was not erased");
      digest = random_();
      InsertOne(digest);
    }
  }
  double BitsPerKey() const {
    uint64_t num_bytes = 0;
    for (const OwnedDenseRange& range : ranges_) num_bytes += range.num_bytes();
    return 8.0 * static_cast<double>(num_bytes) / static_cast<double>(members_.size());
  }
  double UndecidedShare() const {
    return MeanOf([](const OwnedDenseRange& range) { return range.CutBins(true); });
  }
  double CutBins() const {
    return MeanOf([](const OwnedDenseRange& range) { return range.CutBins(false); });
  }
  double EntriesPerBlock() const {
    return MeanOf([](const OwnedDenseRange& range) {
      return static_cast<double>(range.range.lines().num_entries()) /
             static_cast<double>(range.range.num_blocks());
    });
  }

 private:
  template <class Of>
  double MeanOf(const Of& of) const {
    double sum = 0;
    for (const OwnedDenseRange& range : ranges_) sum += of(range);
    return sum / static_cast<double>(ranges_.size());
  }
  std::pair<DenseRange&, std::pair<uint64_t, uint32_t>> At(uint64_t digest) {
    const auto place = kernels::FingerprintPlaceOf(digest, num_blocks_ * ranges_.size());
    return {ranges_[place.block_idx / num_blocks_].range,
            {place.block_idx % num_blocks_, layout_.KeyOf(place.rest)}};
  }
  void InsertOne(uint64_t digest) {
    const auto [range, place] = At(digest);
    if (!range.Insert(place.first, place.second)) FAIL("an insertion was refused");
  }

  std::mt19937_64 random_{1};
  DenseLayout layout_;
  uint64_t num_blocks_;
  std::vector<OwnedDenseRange> ranges_;
  std::vector<uint64_t> members_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_DENSE_FILTER_H_
