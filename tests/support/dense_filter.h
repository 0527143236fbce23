// Digests in ranges of dense blocks.
#ifndef TROMMEL_TESTS_SUPPORT_DENSE_FILTER_H_
#define TROMMEL_TESTS_SUPPORT_DENSE_FILTER_H_

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "engine/src/fingerprints/dense_range.h"
#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/dense_program.h"

namespace trommel::tests {

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
    return MeanOf([](const OwnedDenseRange& range) { return range.UndecidedShare(); });
  }
  double CutBins() const {
    return MeanOf([](const OwnedDenseRange& range) { return range.CutBins(); });
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
