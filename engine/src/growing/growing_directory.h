// GrowingDirectory: what queries begin with. One array for all shards (kernels/growing_layout.h),
// so that a query needs two loads to know its block. A shard with 2^n segments, or places for such,
// has 2^n words there, or each of them several times where another shard has more:
//
//   digest's first bits   | shard (6) | n bits | ..
//   words                 | shard 0: a a b b | shard 1: a b c d | ...       8 bits; shard 0 needs 7
//
// Shards change their own words under their own locks; the array is replaced under a lock of the
// directory's, which words are stored under as well.
#ifndef TROMMEL_ENGINE_SRC_GROWING_GROWING_DIRECTORY_H_
#define TROMMEL_ENGINE_SRC_GROWING_GROWING_DIRECTORY_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "engine/src/growing/digest_table.h"
#include "engine/src/growing/growing_memory.h"
#include "kernels/growing_layout.h"
#include "kernels/targets.h"

namespace trommel {

// Thread safety: any thread; changes of a shard's words, bits or table by one at a time. Arrays and
// tables that are loaded stay as long as the thread is inside of a grace period of the memory.
class GrowingDirectory {
 public:
  // Requires the kernels of dense blocks.
  GrowingDirectory(GrowingMemory& memory, uint32_t value_bits);
  GrowingDirectory(const GrowingDirectory&) = delete;
  GrowingDirectory& operator=(const GrowingDirectory&) = delete;
  ~GrowingDirectory();

  // All shards without segments, and without tables. Returns false if there is no memory.
  [[nodiscard]] bool Begin() noexcept;

  // The shard needs so many bits behind its own, from now on. Returns false, and changes nothing,
  // if there is no memory for more.
  [[nodiscard]] bool Need(size_t shard_idx, uint32_t bits) noexcept;
  // The segment of digests of the shard that begin with `prefix` of so many bits.
  void Publish(size_t shard_idx, uint32_t bits, uint64_t prefix, uint64_t word) noexcept;
  // The shard has no segments, but this table.
  void PublishDigests(size_t shard_idx, const DigestTable& table) noexcept;
  // It has segments, which are published, and no table any more.
  void PublishNoDigests(size_t shard_idx) noexcept;

  kernels::GrowingBlocks blocks() const {
    return {&root_, value_bits_, kernels::ChosenKernels().dense_cuts};
  }
  uint64_t WordOf(uint64_t digest) const {
    return kernels::LoadSegmentWord(kernels::LoadRoot(blocks()), digest);
  }
  // Does the word lead to a segment, or has the shard had a table when it was loaded?
  bool IsSegment(uint64_t word) const { return word != no_segment_; }
  // Returns false if the shard has segments now.
  bool LoadTable(uint64_t digest, DigestTable& table) const {
    const uint64_t loaded = __atomic_load_n(&tables_[kernels::ShardOf(digest)], __ATOMIC_ACQUIRE);
    table = DigestTable(
        reinterpret_cast<uint64_t*>(static_cast<uintptr_t>(loaded & ~kernels::kTableBit)));
    return loaded != 0;
  }
  // Of so many bits behind the shards'.
  static uint64_t AllBytesOf(uint32_t bits) {
    return GrowingMemory::AllBytesOf(BytesOf(kernels::kGrowingShardBits + bits));
  }
  // The words of all shards' tables, for kernels.
  const uint64_t* tables() const { return tables_.data(); }
  // Does a shard have segments? If none has, the tables have all answers.
  bool has_segments() const { return num_with_segments_.load(std::memory_order_relaxed) > 0; }

 private:
  bool Resize(uint32_t bits) noexcept;
  uint64_t* words() const { return const_cast<uint64_t*>(kernels::DirectoryWords(root_)); }
  uint32_t bits() const { return kernels::DirectoryBits(root_); }
  static uint64_t BytesOf(uint32_t bits) { return sizeof(uint64_t) << bits; }

  // A line of what queries read; the lock, which changes, is in another.
  alignas(64) uint64_t root_ = 0;
  // Leads to a segment whose block shows no bin, so that kernels are unsure of every key.
  const uint64_t no_segment_;
  const uint32_t value_bits_;
  std::atomic<size_t> num_with_segments_{0};  // shards
  GrowingMemory& memory_;
  std::array<uint32_t, kernels::kGrowingShards> needed_{};  // bits behind the shard's
  std::mutex changing_;
  // The words of digest tables (kernels/growing_layout.h).
  alignas(64) std::array<uint64_t, kernels::kGrowingShards> tables_{};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_GROWING_DIRECTORY_H_
