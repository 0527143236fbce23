#include "engine/src/growing/growing_directory.h"

#include <algorithm>
#include <array>

namespace trommel {
namespace {

using kernels::kGrowingMark;
using kernels::kGrowingShardBits;
using kernels::kMinSegmentBits;
using kernels::kSegmentAlignment;

// Versions that never change, and marked blocks.
struct alignas(kSegmentAlignment) MarkedSegment {
  static constexpr size_t kNumBlocks = size_t{1} << kMinSegmentBits;

  std::array<uint64_t, kSegmentAlignment / sizeof(uint64_t)> versions{};
  std::array<std::array<uint32_t, kernels::kFingerprintBlockWords>, kNumBlocks> blocks{};
};

constexpr MarkedSegment MakeMarkedSegment() {
  MarkedSegment segment;
  for (auto& block : segment.blocks) block.back() = kGrowingMark << 16;
  return segment;
}

constinit const MarkedSegment kMarkedSegment = MakeMarkedSegment();

}  // namespace

GrowingDirectory::GrowingDirectory(GrowingMemory& memory)
    : memory_(memory),
      no_segment_(kernels::SegmentWord(reinterpret_cast<uintptr_t>(kMarkedSegment.blocks.data()),
                                       kMinSegmentBits, kMinSegmentBits)) {}

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
