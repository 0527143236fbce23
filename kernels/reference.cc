// The scalar reference.
#include "kernels/reference.h"

#include <algorithm>
#include <limits>

#include "kernels/layout.h"

namespace trommel::kernels {

ReferenceFilter::ReferenceFilter(uint64_t num_blocks, size_t num_slices)
    : num_blocks_(num_blocks),
      num_slices_(num_slices),
      counters_(num_blocks * num_slices * kPositions, 0) {}

uint64_t* ReferenceFilter::CounterOf(uint64_t digest, size_t slice_idx) {
  const uint64_t high = digest >> 32;
  const uint64_t block_idx = high * num_blocks_ / (uint64_t{1} << 32);
  const uint64_t low = digest % (uint64_t{1} << 32);
  const uint64_t product = low * kSalts[slice_idx] % (uint64_t{1} << 32);
  const uint64_t position = product / (uint64_t{1} << 27);
  return &counters_[(block_idx * num_slices_ + slice_idx) * kPositions + position];
}

void ReferenceFilter::Insert(uint64_t digest) {
  for (size_t s = 0; s < num_slices_; ++s) *CounterOf(digest, s) += 1;
}

bool ReferenceFilter::InsertIfAbsent(uint64_t digest) {
  if (MayContain(digest)) return false;
  Insert(digest);
  return true;
}

bool ReferenceFilter::Erase(uint64_t digest) {
  if (!MayContain(digest)) return false;
  for (size_t s = 0; s < num_slices_; ++s) *CounterOf(digest, s) -= 1;
  return true;
}

bool ReferenceFilter::MayContain(uint64_t digest) const { return CountEstimate(digest) > 0; }

uint64_t ReferenceFilter::CountEstimate(uint64_t digest) const {
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (size_t s = 0; s < num_slices_; ++s) {
    least = std::min(least, *const_cast<ReferenceFilter*>(this)->CounterOf(digest, s));
  }
  return least;
}

void ReferenceFilter::Merge(const ReferenceFilter& other) {
  for (size_t i = 0; i < counters_.size(); ++i) counters_[i] += other.counters_[i];
}

bool ReferenceFilter::CanSubtract(const ReferenceFilter& other) const {
  for (size_t i = 0; i < counters_.size(); ++i) {
    if (counters_[i] < other.counters_[i]) return false;
  }
  return true;
}

void ReferenceFilter::Subtract(const ReferenceFilter& other) {
  for (size_t i = 0; i < counters_.size(); ++i) counters_[i] -= other.counters_[i];
}

ReferenceFilter ReferenceFilter::Folded() const {
  ReferenceFilter half(num_blocks_ / 2, num_slices_);
  const size_t per_block = num_slices_ * kPositions;
  for (uint64_t b = 0; b < half.num_blocks_ * 2; ++b) {
    for (size_t i = 0; i < per_block; ++i) {
      half.counters_[b / 2 * per_block + i] += counters_[b * per_block + i];
    }
  }
  return half;
}

bool ReferenceFilter::BlockFits(uint64_t block_idx) const {
  const size_t per_block = num_slices_ * kPositions;
  bool slice0_is_full = true;
  for (size_t i = 0; i < per_block; ++i) {
    const uint64_t count = counters_[block_idx * per_block + i];
    if (count > 8) return false;
    if (i < kPositions && count < 8) slice0_is_full = false;
  }
  return !slice0_is_full;
}

std::vector<uint32_t> ReferenceFilter::PresenceWords() const {
  std::vector<uint32_t> words(num_blocks_ * num_slices_, 0);
  for (size_t i = 0; i < counters_.size(); ++i) {
    if (counters_[i] > 0) words[i / kPositions] |= 1U << (i % kPositions);
  }
  return words;
}

std::vector<uint32_t> ReferenceFilter::PlaneWords() const {
  std::vector<uint32_t> words(num_blocks_ * kNumPlanes * num_slices_, 0);
  for (uint64_t b = 0; b < num_blocks_; ++b) {
    for (size_t p = 0; p < kNumPlanes; ++p) {
      for (size_t s = 0; s < num_slices_; ++s) {
        uint32_t& word = words[(b * kNumPlanes + p) * num_slices_ + s];
        if (!BlockFits(b)) {
          word = s == 0 ? ~0U : 0U;
          continue;
        }
        for (size_t position = 0; position < kPositions; ++position) {
          const uint64_t count = counters_[(b * num_slices_ + s) * kPositions + position];
          if (count > 0 && ((count - 1) >> p & 1) == 1) word |= 1U << position;
        }
      }
    }
  }
  return words;
}

std::vector<uint64_t> ReferenceFilter::PromotedBlocks() const {
  std::vector<uint64_t> promoted;
  for (uint64_t b = 0; b < num_blocks_; ++b) {
    if (!BlockFits(b)) promoted.push_back(b);
  }
  return promoted;
}

}  // namespace trommel::kernels
