// GrowingMemory: what a GrowingStore's segments, directories and digest tables are made of, and
// when it may be used again.
//
// *Large segments* come from chunks of addresses on huge pages, which take physical memory only
// where they are used. Freed ones are kept, by their number of pages, for the next of that size;
// beyond a 32nd of the bytes in use their memory goes back to the system, while their addresses
// stay. Smaller segments come from the system's allocator.
//
// *Replaced* memory is freed after a grace period: Retire lists it, and Poll frees what no query
// can be reading, without waiting. The list goes through the memory itself, which has space for
// that behind what queries read (a Piece), so that retiring needs no memory:
//
//   retired_ -> piece -> piece       waiting_ -> piece -> piece
//       listed since period_ began       freed when period_ is over
#ifndef TROMMEL_ENGINE_SRC_GROWING_GROWING_MEMORY_H_
#define TROMMEL_ENGINE_SRC_GROWING_GROWING_MEMORY_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/src/growing/segment.h"
#include "kernels/growing_layout.h"
#include "trommel/sync/grace_periods.h"

namespace trommel {

// Thread safety: any thread.
class GrowingMemory {
 public:
  // Has at most so many bytes at a time.
  explicit GrowingMemory(uint64_t limit_bytes = ~uint64_t{0}) : limit_bytes_(limit_bytes) {}
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;
  ~GrowingMemory();  // requires that all pieces are freed or retired

  // Memory with any content, or null: the limit or the system refuses it. Of a segment, so many
  // bytes as Segment::BytesFor says, with a header without a range.
  std::byte* AllocateSegment(uint64_t num_bytes) noexcept;
  // A multiple of 64 bytes, aligned so.
  uint64_t* Allocate(uint64_t num_bytes) noexcept;
  static constexpr uint64_t AllBytesOf(uint64_t num_bytes) {
    return num_bytes + 64;
  }  // a Piece, too

  // Of what one of these returned; null is nothing. A segment is freed with its range. Free
  // requires that no query can read it.
  void FreeSegment(std::byte* segment, uint64_t num_bytes) noexcept;
  void Free(uint64_t* memory, uint64_t num_bytes) noexcept;
  // Frees it later. Requires that queries that begin from now on do not find it.
  void RetireSegment(std::byte* segment, uint64_t num_bytes) noexcept;
  void Retire(uint64_t* memory, uint64_t num_bytes) noexcept;

  GracePeriods& periods() noexcept { return grace_periods_; }
  GracePeriods::Reader Enter() noexcept { return grace_periods_.Enter(); }
  // Frees what can be freed. Cost: one load if nothing is retired.
  void Poll() noexcept {
    if (has_retired_.load(std::memory_order_relaxed)) PollRetired();
  }
  // Waits for queries, and frees all that is retired. Requires that the thread has none under way.
  void Drain() noexcept;

  // Of all pieces, retired ones and freed ones that are kept included; and of the lines that
  // segments in use have at least.
  uint64_t num_bytes() const { return num_bytes_.load(std::memory_order_relaxed); }
  uint64_t HugePageBytes() const;

 private:
  // At the end of a segment, and behind other memory.
  struct Piece {
    Piece* next;
    std::byte* memory;  // where it begins
    uint64_t num_bytes;
    bool is_segment;
  };
  static_assert(sizeof(Piece) <= Segment::kBytesBehind);
  static constexpr uint64_t kPageBytes = kernels::kSegmentAlignment;
  // Of segments in chunks.
  static constexpr uint64_t kLeastPages = 16;
  static constexpr uint64_t kMostPages = Segment::BytesFor(Segment::kMostBlocks) / kPageBytes;
  static constexpr uint64_t kChunkBytes = uint64_t{32} << 20;
  struct Chunk {
    void* mapping;
    std::byte* begin;
  };
  // Freed segments of one size.
  struct FreeList {
    Piece* kept = nullptr;  // with their memory
    std::vector<std::byte*> returned;
  };

  static Piece* PieceOf(std::byte* memory, uint64_t num_bytes) {
    return reinterpret_cast<Piece*>(memory + num_bytes) - 1;
  }
  bool Take(uint64_t num_bytes) noexcept;  // false: beyond the limit
  void GiveBack(uint64_t num_bytes) noexcept;
  // Of a segment of so many bytes.
  static constexpr uint64_t LineBytes(uint64_t num_bytes) {
    const uint64_t num_blocks = std::min(Segment::BlocksWithin(num_bytes), Segment::kMostBlocks);
    return Segment::AllBytesFor(num_blocks) - Segment::BytesFor(num_blocks);
  }
  static bool IsLarge(uint64_t num_bytes) { return num_bytes >= kLeastPages * kPageBytes; }
  std::byte* TakeLarge(uint64_t num_bytes) noexcept;
  std::byte* CarveLarge(uint64_t num_bytes) noexcept;
  void FreeLarge(std::byte* memory, uint64_t num_bytes) noexcept;
  void List(std::byte* memory, uint64_t num_bytes, bool is_segment) noexcept;
  void PollRetired() noexcept;
  void FreeAll(Piece* pieces) noexcept;

  const uint64_t limit_bytes_;
  std::atomic<uint64_t> num_bytes_{0};

  mutable std::mutex segments_;  // for what follows
  std::vector<Chunk> chunks_;
  uint64_t num_carved_ = 0;    // bytes of the last chunk
  uint64_t in_use_bytes_ = 0;  // of large segments
  uint64_t kept_bytes_ = 0;
  std::array<FreeList, kMostPages + 1> free_{};  // by pages

  mutable GracePeriods grace_periods_;
  std::mutex retiring_;  // for what follows
  Piece* retired_ = nullptr;
  Piece* waiting_ = nullptr;
  GracePeriods::Period period_;
  std::atomic<bool> has_retired_{false};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_GROWING_MEMORY_H_
