// The scalar reference.
#include "kernels/reference.h"

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/layout.h"

namespace trommel::kernels {

ReferenceFilter::ReferenceFilter(uint64_t num_blocks, Shape shape)
    : num_blocks_(num_blocks), shape_(shape), counters_(num_blocks * shape.num_counters(), 0) {}

uint64_t* ReferenceFilter::CounterOf(uint64_t digest, size_t slice_idx) {
  const uint64_t high = digest >> 32;
  const uint64_t block_idx = high * num_blocks_ / (uint64_t{1} << 32);
  const uint64_t low = digest % (uint64_t{1} << 32);
  uint64_t position = 0;
  if (shape_.positions() == 32) {
    const uint64_t product = low * kSalts[slice_idx] % (uint64_t{1} << 32);
    position = product / (uint64_t{1} << 27);
  } else {
    // Digits to the base of 64: the low half's own, and those of its product's top 30 bits.
    uint64_t digits = slice_idx < 5 ? low : low * kWideSalt / (uint64_t{1} << 34);
    for (size_t s = slice_idx % 5; s > 0; --s) digits /= 64;
    position = digits % 64;
  }
  return &counters_[block_idx * shape_.num_counters() + slice_idx * shape_.positions() + position];
}

void ReferenceFilter::Insert(uint64_t digest) {
  for (size_t s = 0; s < shape_.num_slices; ++s) *CounterOf(digest, s) += 1;
}

bool ReferenceFilter::InsertIfAbsent(uint64_t digest) {
  if (MayContain(digest)) return false;
  Insert(digest);
  return true;
}

bool ReferenceFilter::Erase(uint64_t digest) {
  if (!MayContain(digest)) return false;
  for (size_t s = 0; s < shape_.num_slices; ++s) *CounterOf(digest, s) -= 1;
  return true;
}

bool ReferenceFilter::MayContain(uint64_t digest) const { return CountEstimate(digest) > 0; }

uint64_t ReferenceFilter::CountEstimate(uint64_t digest) const {
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (size_t s = 0; s < shape_.num_slices; ++s) {
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
  ReferenceFilter half(num_blocks_ / 2, shape_);
  const size_t per_block = shape_.num_counters();
  for (uint64_t b = 0; b < half.num_blocks_ * 2; ++b) {
    for (size_t i = 0; i < per_block; ++i) {
      half.counters_[b / 2 * per_block + i] += counters_[b * per_block + i];
    }
  }
  return half;
}

bool ReferenceFilter::PlanesFit(uint64_t block_idx) const {
  bool slice0_is_full = true;
  for (size_t i = 0; i < shape_.num_counters(); ++i) {
    const uint64_t count = counters_[block_idx * shape_.num_counters() + i];
    if (count > 8) return false;
    if (i < shape_.positions() && count < 8) slice0_is_full = false;
  }
  return !slice0_is_full;
}

bool ReferenceFilter::BlockFits(uint64_t block_idx) const {
  if (!shape_.has_runs) return PlanesFit(block_idx);
  uint64_t num_keys = 0;
  for (size_t position = 0; position < shape_.positions(); ++position) {
    num_keys += counters_[block_idx * shape_.num_counters() + position];
  }
  const uint64_t string_bits = shape_.num_slices == 8 ? 32 : shape_.num_slices == 4 ? 64 : 38;
  return num_keys < string_bits;
}

std::vector<uint32_t> ReferenceFilter::PresenceWords() const {
  std::vector<uint32_t> words(counters_.size() / 32, 0);
  for (size_t i = 0; i < counters_.size(); ++i) {
    if (counters_[i] > 0) words[i / 32] |= 1U << (i % 32);
  }
  return words;
}

std::vector<uint32_t> ReferenceFilter::PlanesOfBlock(uint64_t block_idx) const {
  std::vector<uint32_t> words(kNumPlanes * shape_.num_slices, 0);
  for (size_t p = 0; p < kNumPlanes; ++p) {
    for (size_t s = 0; s < shape_.num_slices; ++s) {
      uint32_t& word = words[p * shape_.num_slices + s];
      if (!BlockFits(block_idx)) {
        word = s == 0 ? ~0U : 0U;
        continue;
      }
      for (size_t position = 0; position < 32; ++position) {
        const uint64_t count = counters_[(block_idx * shape_.num_slices + s) * 32 + position];
        if (count > 0 && ((count - 1) >> p & 1) == 1) word |= 1U << position;
      }
    }
  }
  return words;
}

// The string of each slice literally, bit by bit, then its bits where run_block.h has them.
std::vector<uint32_t> ReferenceFilter::RunsOfBlock(uint64_t block_idx) const {
  std::vector<uint32_t> words(CountWordsPerBlock(), 0);
  if (!BlockFits(block_idx)) return words;
  const auto set = [&words](size_t bit) { words[bit / 32] |= 1U << (bit % 32); };
  for (size_t s = 0; s < shape_.num_slices; ++s) {
    std::string runs;
    for (size_t position = 0; position < shape_.positions(); ++position) {
      const uint64_t count =
          counters_[block_idx * shape_.num_counters() + s * shape_.positions() + position];
      if (count > 0) runs += "1" + std::string(count - 1, '0');
    }
    if (!runs.empty()) runs += "1";
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs[i] == '0') continue;
      if (shape_.num_slices == 4) {
        set(64 * s + i);
      } else if (i < 32) {
        set(32 * s + i);
      } else {  // six high bits per slice, behind all low ones
        set(32 * shape_.num_slices + 6 * s + (i - 32));
      }
    }
  }
  return words;
}

size_t ReferenceFilter::CountWordsPerBlock() const {
  if (!shape_.has_runs) return kNumPlanes * shape_.num_slices;
  const size_t block_words = shape_.num_slices == 10 ? 32 : 16;
  return block_words - shape_.num_counters() / 32;
}

std::vector<uint32_t> ReferenceFilter::CountWords() const {
  std::vector<uint32_t> words;
  for (uint64_t b = 0; b < num_blocks_; ++b) {
    const auto of_block = shape_.has_runs ? RunsOfBlock(b) : PlanesOfBlock(b);
    words.insert(words.end(), of_block.begin(), of_block.end());
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
