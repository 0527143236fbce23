#include "engine/src/growing/growing_directory.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/dense_block.h"
#include "kernels/targets.h"

namespace trommel {
namespace {

using kernels::kGrowingShardBits;

// A version that never changes, and a block that shows no bin.
struct alignas(kernels::kSegmentAlignment) NoSegment {
  NoSegment() {
    const kernels::DenseLayout layout{kernels::kDenseShapes[0], 1};
    kernels::DenseBlock cut(layout, block.data());
    cut.CutAt(0);
    cut.Store(block.data());
  }

  std::array<std::byte, kernels::kSegmentHeader> header{};
  std::array<uint32_t, kernels::kFingerprintBlockWords> block{};
  uint64_t version = 0;
};

uint64_t NoSegmentWord() {
  static const NoSegment segment;
  return kernels::SegmentWord({.address = reinterpret_cast<uintptr_t>(&segment),
                               .num_blocks = 1,
                               .prefix_bits = 0,
                               .remainder_bits = 1,
                               .shape_idx = 0});
}

}  // namespace

GrowingDirectory::GrowingDirectory(GrowingMemory& memory, uint32_t value_bits)
    : no_segment_(NoSegmentWord()), value_bits_(value_bits), memory_(memory) {}

GrowingDirectory::~GrowingDirectory() {
  if (root_ != 0) memory_.Free(words(), BytesOf(bits()));
}

bool GrowingDirectory::Begin() noexcept {
  uint64_t* first = memory_.Allocate(BytesOf(kGrowingShardBits));
  if (first == nullptr) return false;
  std::fill_n(first, kernels::kGrowingShards, no_segment_);
  root_ = kernels::DirectoryRoot(reinterpret_cast<uintptr_t>(first), kGrowingShardBits);
  tables_.fill(kernels::kTableBit);
  return true;
}

bool GrowingDirectory::Need(size_t shard_idx, uint32_t bits) noexcept {
  const std::lock_guard lock(changing_);
  const uint32_t before = needed_[shard_idx];
  needed_[shard_idx] = bits;
  const uint32_t most = *std::ranges::max_element(needed_);
  const uint32_t wanted = kGrowingShardBits + most;
  if (wanted == this->bits() || Resize(wanted)) return true;
  // What is too large will do as well.
  if (wanted < this->bits()) return true;
  needed_[shard_idx] = before;
  return false;
}

bool GrowingDirectory::Resize(uint32_t bits) noexcept {
  uint64_t* resized = memory_.Allocate(BytesOf(bits));
  if (resized == nullptr) return false;
  uint64_t* before = words();
  const uint32_t bits_before = this->bits();
  for (uint64_t i = 0; i < uint64_t{1} << bits; ++i) {
    resized[i] = before[bits < bits_before ? i << (bits_before - bits) : i >> (bits - bits_before)];
  }
  __atomic_store_n(&root_, kernels::DirectoryRoot(reinterpret_cast<uintptr_t>(resized), bits),
                   __ATOMIC_RELEASE);
  memory_.Retire(before, BytesOf(bits_before));
  return true;
}

void GrowingDirectory::Publish(size_t shard_idx, uint32_t bits, uint64_t prefix,
                               uint64_t word) noexcept {
  const std::lock_guard lock(changing_);
  const uint32_t shift = this->bits() - kGrowingShardBits - bits;
  const uint64_t first = (shard_idx << bits | prefix) << shift;
  for (uint64_t i = first; i < first + (uint64_t{1} << shift); ++i) {
    __atomic_store_n(words() + i, word, __ATOMIC_RELEASE);
  }
}

void GrowingDirectory::PublishDigests(size_t shard_idx, const DigestTable& table) noexcept {
  const bool had_segments = tables_[shard_idx] == 0;
  __atomic_store_n(&tables_[shard_idx],
                   reinterpret_cast<uintptr_t>(table.memory()) | kernels::kTableBit,
                   __ATOMIC_RELEASE);
  if (!had_segments) return;
  Publish(shard_idx, 0, 0, no_segment_);
  num_with_segments_.fetch_sub(1, std::memory_order_relaxed);
}

void GrowingDirectory::PublishNoDigests(size_t shard_idx) noexcept {
  if (tables_[shard_idx] == 0) return;
  num_with_segments_.fetch_add(1, std::memory_order_relaxed);
  __atomic_store_n(&tables_[shard_idx], 0, __ATOMIC_RELEASE);
}

}  // namespace trommel
