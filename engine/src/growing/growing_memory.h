// GrowingMemory: what a GrowingStore's segments, directories and digest tables are made of, and
// when it may be used again.
//
// *Segments of full size* come from chunks of addresses on huge pages, which take physical memory
// only where they are used. Freed ones are kept for the next doubling; beyond a sixteenth of
// those in use their memory goes back to the system, while their addresses stay. Smaller segments
// come from the system's allocator.
//
// *Replaced* memory is freed after a grace period: Retire lists it, and Poll frees what no query
// can be reading, without waiting. The list goes through the memory itself, which has space for
// that behind what queries read (a Piece), so that retiring needs no memory:
//
//   retired_ -> piece -> piece       waiting_ -> piece -> piece
//       listed since period_ began       freed when period_ is over
#ifndef TROMMEL_ENGINE_SRC_GROWING_GROWING_MEMORY_H_
#define TROMMEL_ENGINE_SRC_GROWING_GROWING_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/src/base/memory_budget.h"
#include "kernels/growing_layout.h"
#include "trommel/sync/grace_periods.h"

namespace trommel {

// Thread safety: any thread, but for Join and JoinSame.
class GrowingMemory {
 public:
  GrowingMemory() = default;
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;
  ~GrowingMemory();  // requires that all pieces are freed or retired

  // What a segment takes, a multiple of kernels::kSegmentAlignment. Of full size an odd one, so
  // that the same parts of neighbouring segments are not in the same sets of a cache.
  static constexpr uint64_t BytesOfSegment(uint32_t bits) {
    constexpr uint64_t kAlignment = kernels::kSegmentAlignment;
    const uint64_t num_bytes = BytesBefore(bits) + kernels::SegmentEnd(bits) + sizeof(Piece);
    const uint64_t num_units = (num_bytes + kAlignment - 1) / kAlignment;
    return (bits == kernels::kMaxSegmentBits ? num_units | 1 : num_units) * kAlignment;
  }

  // Memory with any content, or null: the budget or the system refuses it. A segment's is the
  // address of its first block.
  std::byte* AllocateSegment(uint32_t bits) noexcept;
  // A multiple of 64 bytes, aligned so.
  uint64_t* Allocate(uint64_t num_bytes) noexcept;

  // Of what one of these returned; null is nothing. Free requires that no query can read it.
  void FreeSegment(std::byte* blocks, uint32_t bits) noexcept;
  void Free(uint64_t* memory, uint64_t num_bytes) noexcept;
  // Frees it later. Requires that queries that begin from now on do not find it.
  void RetireSegment(std::byte* blocks, uint32_t bits) noexcept;
  void Retire(uint64_t* memory, uint64_t num_bytes) noexcept;

  GracePeriods::Reader Enter() noexcept { return grace_periods_.Enter(); }
  // Frees what can be freed. Cost: one load if nothing is retired.
  void Poll() noexcept {
    if (has_retired_.load(std::memory_order_relaxed)) PollRetired();
  }
  // Waits for queries, and frees all that is retired. Requires that the thread has none under way.
  void Drain() noexcept;

  bool Join(std::shared_ptr<MemoryBudget> budget);
  // The budget of another one, if that has one.
  bool JoinSame(const GrowingMemory& other) {
    return other.budget_ == nullptr || Join(other.budget_);
  }
  // Of all pieces, retired ones and freed ones that are kept included.
  uint64_t num_bytes() const { return num_bytes_.load(std::memory_order_relaxed); }
  uint64_t HugePageBytes() const;

 private:
  // At the end of a segment, and behind other memory.
  struct Piece {
    Piece* next;
    std::byte* memory;  // where it begins
    uint64_t num_bytes;
    uint32_t segment_bits;  // 0: no segment
  };
  // Bytes in front of a segment's blocks: its versions, aligned as the segment.
  static constexpr uint64_t BytesBefore(uint32_t bits) {
    constexpr uint64_t kAlignment = kernels::kSegmentAlignment;
    return (kernels::VersionBytes(bits) + kAlignment - 1) / kAlignment * kAlignment;
  }
  static constexpr uint64_t kChunkBytes = uint64_t{32} << 20;
  struct Chunk {
    void* mapping;
    std::byte* begin;
  };

  static Piece* PieceOf(std::byte* memory, uint64_t num_bytes) {
    return reinterpret_cast<Piece*>(memory + num_bytes) - 1;
  }
  bool Take(uint64_t num_bytes) noexcept;  // false: the budget refuses
  void GiveBack(uint64_t num_bytes) noexcept;
  std::byte* TakeFull() noexcept;
  std::byte* NewFull() noexcept;
  void FreeFull(std::byte* memory) noexcept;
  void List(std::byte* memory, uint64_t num_bytes, uint32_t segment_bits) noexcept;
  void PollRetired() noexcept;
  void FreeAll(Piece* pieces) noexcept;

  std::atomic<uint64_t> num_bytes_{0};
  std::shared_ptr<MemoryBudget> budget_;

  mutable std::mutex segments_;  // for what follows
  std::vector<Chunk> chunks_;
  uint64_t num_carved_ = 0;  // bytes of the last chunk
  uint64_t num_in_use_ = 0;  // full segments
  uint64_t num_kept_ = 0;    // freed, with their memory
  Piece* kept_ = nullptr;
  std::vector<std::byte*> returned_;  // addresses without memory; has capacity for all

  mutable GracePeriods grace_periods_;
  std::mutex retiring_;  // for what follows
  Piece* retired_ = nullptr;
  Piece* waiting_ = nullptr;
  GracePeriods::Period period_;
  std::atomic<bool> has_retired_{false};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_GROWING_MEMORY_H_
