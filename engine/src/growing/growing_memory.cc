#include "engine/src/growing/growing_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <new>
#include <utility>

#include "engine/src/base/block_memory.h"

namespace trommel {
namespace {

constexpr uint64_t kHugePageBytes = uint64_t{2} << 20;
// Of freed segments, which are kept whatever is in use.
constexpr uint64_t kLeastKeptBytes = uint64_t{1} << 20;
constexpr uint64_t kPieceAlignment = 64;

// Null if the system refuses it.
void* NewBytes(uint64_t num_bytes, uint64_t alignment) noexcept {
  return ::operator new(num_bytes, std::align_val_t(alignment), std::nothrow);
}

void FreeBytes(void* memory, uint64_t alignment) noexcept {
  ::operator delete(memory, std::align_val_t(alignment));
}

}  // namespace

GrowingMemory::~GrowingMemory() {
  Drain();
  for (const Chunk& chunk : chunks_) munmap(chunk.mapping, kChunkBytes + kHugePageBytes);
}

bool GrowingMemory::Take(uint64_t num_bytes) noexcept {
  uint64_t sum = num_bytes_.load(std::memory_order_relaxed);
  do {
    if (num_bytes > limit_bytes_ - sum) return false;
  } while (!num_bytes_.compare_exchange_weak(sum, sum + num_bytes, std::memory_order_relaxed));
  return true;
}

void GrowingMemory::GiveBack(uint64_t num_bytes) noexcept {
  num_bytes_.fetch_sub(num_bytes, std::memory_order_relaxed);
}

uint64_t* GrowingMemory::Allocate(uint64_t num_bytes) noexcept {
  const uint64_t all_bytes = AllBytesOf(num_bytes);
  static_assert(sizeof(Piece) <= 64);
  if (!Take(all_bytes)) return nullptr;
  void* memory = NewBytes(all_bytes, kPieceAlignment);
  if (memory == nullptr) GiveBack(all_bytes);
  return static_cast<uint64_t*>(memory);
}

void GrowingMemory::Free(uint64_t* memory, uint64_t num_bytes) noexcept {
  if (memory == nullptr) return;
  FreeBytes(memory, kPieceAlignment);
  GiveBack(AllBytesOf(num_bytes));
}

std::byte* GrowingMemory::AllocateSegment(uint64_t num_bytes) noexcept {
  if (!Take(LineBytes(num_bytes))) return nullptr;
  std::byte* memory = nullptr;
  if (IsLarge(num_bytes)) {
    memory = TakeLarge(num_bytes);
  } else if (Take(num_bytes)) {
    memory = static_cast<std::byte*>(NewBytes(num_bytes, kernels::kSegmentAlignment));
    if (memory == nullptr) GiveBack(num_bytes);
  }
  if (memory == nullptr) {
    GiveBack(LineBytes(num_bytes));
  } else {
    reinterpret_cast<Segment::Header*>(memory)->range = nullptr;
  }
  return memory;
}

void GrowingMemory::FreeSegment(std::byte* segment, uint64_t num_bytes) noexcept {
  if (segment == nullptr) return;
  delete reinterpret_cast<Segment::Header*>(segment)->range;
  GiveBack(LineBytes(num_bytes));
  if (IsLarge(num_bytes)) return FreeLarge(segment, num_bytes);
  FreeBytes(segment, kernels::kSegmentAlignment);
  GiveBack(num_bytes);
}

// --- Large segments.

std::byte* GrowingMemory::TakeLarge(uint64_t num_bytes) noexcept {
  const std::lock_guard lock(segments_);
  FreeList& list = free_[num_bytes / kPageBytes];
  std::byte* memory = nullptr;
  if (list.kept != nullptr) {
    memory = std::exchange(list.kept, list.kept->next)->memory;
    kept_bytes_ -= num_bytes;
  } else {
    if (!Take(num_bytes)) return nullptr;
    if (!list.returned.empty()) {
      memory = list.returned.back();
      list.returned.pop_back();
    } else {
      memory = CarveLarge(num_bytes);
    }
    if (memory == nullptr) GiveBack(num_bytes);
  }
  in_use_bytes_ += memory != nullptr ? num_bytes : 0;
  return memory;
}

std::byte* GrowingMemory::CarveLarge(uint64_t num_bytes) noexcept {
  if (chunks_.empty() || num_carved_ + num_bytes > kChunkBytes) {
    constexpr uint64_t kMappingBytes = kChunkBytes + kHugePageBytes;
    try {
      chunks_.reserve(chunks_.size() + 1);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    void* mapping = mmap(nullptr, kMappingBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    const auto address = reinterpret_cast<uintptr_t>(mapping);
    auto* begin = static_cast<std::byte*>(mapping) +
                  ((address + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes - address);
    // If this fails everything works, only slower.
    (void)madvise(begin, kChunkBytes, MADV_HUGEPAGE);
    chunks_.push_back({mapping, begin});
    num_carved_ = 0;
  }
  auto* memory = chunks_.back().begin + num_carved_;
  num_carved_ += num_bytes;
  return memory;
}

void GrowingMemory::FreeLarge(std::byte* memory, uint64_t num_bytes) noexcept {
  const std::lock_guard lock(segments_);
  in_use_bytes_ -= num_bytes;
  FreeList& list = free_[num_bytes / kPageBytes];
  if (kept_bytes_ + num_bytes > std::max(kLeastKeptBytes, in_use_bytes_ / 32)) {
    try {
      list.returned.push_back(memory);
      (void)madvise(memory, num_bytes, MADV_DONTNEED);
      return GiveBack(num_bytes);
    } catch (const std::bad_alloc&) {  // then it is kept
    }
  }
  Piece* piece = PieceOf(memory, num_bytes);
  *piece = {list.kept, memory, num_bytes, true};
  list.kept = piece;
  kept_bytes_ += num_bytes;
}

uint64_t GrowingMemory::HugePageBytes() const {
  const std::lock_guard lock(segments_);
  uint64_t num_bytes = 0;
  for (const Chunk& chunk : chunks_) {
    std::ifstream smaps("/proc/self/smaps");
    const auto first = reinterpret_cast<uintptr_t>(chunk.begin);
    if (smaps) num_bytes += HugePageBytesIn(smaps, first, first + kChunkBytes);
  }
  return num_bytes;
}

// --- Replaced memory.

void GrowingMemory::RetireSegment(std::byte* segment, uint64_t num_bytes) noexcept {
  if (segment != nullptr) List(segment, num_bytes, true);
}

void GrowingMemory::Retire(uint64_t* memory, uint64_t num_bytes) noexcept {
  if (memory != nullptr) List(reinterpret_cast<std::byte*>(memory), num_bytes + 64, false);
}

void GrowingMemory::List(std::byte* memory, uint64_t num_bytes, bool is_segment) noexcept {
  Piece* piece = PieceOf(memory, num_bytes);
  const std::lock_guard lock(retiring_);
  *piece = {retired_, memory, num_bytes, is_segment};
  retired_ = piece;
  has_retired_.store(true, std::memory_order_relaxed);
}

void GrowingMemory::PollRetired() noexcept {
  std::unique_lock lock(retiring_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  Piece* over = nullptr;
  // Twice: what was listed since may be free as well.
  for (int i = 0; i < 2; ++i) {
    if (waiting_ == nullptr) {
      waiting_ = std::exchange(retired_, nullptr);
      period_ = GracePeriods::Period();
    }
    if (waiting_ == nullptr || !grace_periods_.Poll(period_)) break;
    Piece* last = waiting_;
    while (last->next != nullptr) last = last->next;
    last->next = over;
    over = std::exchange(waiting_, nullptr);
  }
  has_retired_.store(waiting_ != nullptr || retired_ != nullptr, std::memory_order_relaxed);
  lock.unlock();
  FreeAll(over);
}

void GrowingMemory::Drain() noexcept {
  std::unique_lock lock(retiring_);
  Piece* waiting = std::exchange(waiting_, nullptr);
  Piece* retired = std::exchange(retired_, nullptr);
  has_retired_.store(false, std::memory_order_relaxed);
  lock.unlock();
  if (waiting == nullptr && retired == nullptr) return;
  grace_periods_.Synchronize();
  FreeAll(waiting);
  FreeAll(retired);
}

void GrowingMemory::FreeAll(Piece* pieces) noexcept {
  while (pieces != nullptr) {
    const Piece piece = *pieces;
    pieces = piece.next;
    if (piece.is_segment) {
      FreeSegment(piece.memory, piece.num_bytes);
    } else {
      Free(reinterpret_cast<uint64_t*>(piece.memory), piece.num_bytes - 64);
    }
  }
}

}  // namespace trommel
