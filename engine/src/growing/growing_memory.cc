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

using kernels::kMaxSegmentBits;

constexpr uint64_t kHugePageBytes = uint64_t{2} << 20;
constexpr uint64_t kFullBytes = GrowingMemory::BytesOfSegment(kMaxSegmentBits);
// Freed segments that are kept whatever the number in use.
constexpr uint64_t kLeastKept = 2;
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
  if (budget_ != nullptr) budget_->Change(num_bytes(), 0);
}

bool GrowingMemory::Take(uint64_t num_bytes) noexcept {
  if (budget_ != nullptr && !budget_->Change(0, num_bytes)) return false;
  num_bytes_.fetch_add(num_bytes, std::memory_order_relaxed);
  return true;
}

void GrowingMemory::GiveBack(uint64_t num_bytes) noexcept {
  if (budget_ != nullptr) budget_->Change(num_bytes, 0);
  num_bytes_.fetch_sub(num_bytes, std::memory_order_relaxed);
}

bool GrowingMemory::Join(std::shared_ptr<MemoryBudget> budget) {
  if (!budget->Change(0, num_bytes())) return false;
  if (budget_ != nullptr) budget_->Change(num_bytes(), 0);
  budget_ = std::move(budget);
  return true;
}

uint64_t* GrowingMemory::Allocate(uint64_t num_bytes) noexcept {
  const uint64_t all_bytes = num_bytes + 64;  // a Piece, too
  static_assert(sizeof(Piece) <= 64);
  if (!Take(all_bytes)) return nullptr;
  void* memory = NewBytes(all_bytes, kPieceAlignment);
  if (memory == nullptr) GiveBack(all_bytes);
  return static_cast<uint64_t*>(memory);
}

void GrowingMemory::Free(uint64_t* memory, uint64_t num_bytes) noexcept {
  if (memory == nullptr) return;
  FreeBytes(memory, kPieceAlignment);
  GiveBack(num_bytes + 64);
}

std::byte* GrowingMemory::AllocateSegment(uint32_t bits) noexcept {
  if (bits == kMaxSegmentBits) {
    std::byte* full = TakeFull();
    return full == nullptr ? nullptr : full + BytesBefore(bits);
  }
  const uint64_t num_bytes = BytesOfSegment(bits);
  if (!Take(num_bytes)) return nullptr;
  void* memory = NewBytes(num_bytes, kernels::kSegmentAlignment);
  if (memory == nullptr) {
    GiveBack(num_bytes);
    return nullptr;
  }
  return static_cast<std::byte*>(memory) + BytesBefore(bits);
}

void GrowingMemory::FreeSegment(std::byte* blocks, uint32_t bits) noexcept {
  if (blocks == nullptr) return;
  if (bits == kMaxSegmentBits) return FreeFull(blocks - BytesBefore(bits));
  FreeBytes(blocks - BytesBefore(bits), kernels::kSegmentAlignment);
  GiveBack(BytesOfSegment(bits));
}

// --- Segments of full size.

std::byte* GrowingMemory::TakeFull() noexcept {
  const std::lock_guard lock(segments_);
  std::byte* memory = nullptr;
  if (kept_ != nullptr) {
    memory = kept_->memory;
    kept_ = kept_->next;
    num_kept_ -= 1;
  } else {
    if (!Take(kFullBytes)) return nullptr;
    if (!returned_.empty()) {
      memory = returned_.back();
      returned_.pop_back();
    } else {
      memory = NewFull();
    }
    if (memory == nullptr) GiveBack(kFullBytes);
  }
  num_in_use_ += static_cast<uint64_t>(memory != nullptr);
  return memory;
}

std::byte* GrowingMemory::NewFull() noexcept {
  if (chunks_.empty() || num_carved_ + kFullBytes > kChunkBytes) {
    constexpr uint64_t kMappingBytes = kChunkBytes + kHugePageBytes;
    try {
      chunks_.reserve(chunks_.size() + 1);
      returned_.reserve((chunks_.size() + 1) * (kChunkBytes / kFullBytes));
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
  num_carved_ += kFullBytes;
  return memory;
}

void GrowingMemory::FreeFull(std::byte* memory) noexcept {
  const std::lock_guard lock(segments_);
  num_in_use_ -= 1;
  if (num_kept_ < std::max(kLeastKept, num_in_use_ / 16)) {
    Piece* piece = PieceOf(memory, kFullBytes);
    *piece = {kept_, memory, kFullBytes, kMaxSegmentBits};
    kept_ = piece;
    num_kept_ += 1;
    return;
  }
  // Its whole pages: others are its neighbours' as well.
  constexpr uintptr_t kPageBytes = 4096;
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first_page = (address + kPageBytes - 1) / kPageBytes * kPageBytes;
  const uintptr_t end_page = (address + kFullBytes) / kPageBytes * kPageBytes;
  (void)madvise(reinterpret_cast<void*>(first_page), end_page - first_page, MADV_DONTNEED);
  returned_.push_back(memory);
  GiveBack(kFullBytes);
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

void GrowingMemory::RetireSegment(std::byte* blocks, uint32_t bits) noexcept {
  if (blocks != nullptr) List(blocks - BytesBefore(bits), BytesOfSegment(bits), bits);
}

void GrowingMemory::Retire(uint64_t* memory, uint64_t num_bytes) noexcept {
  if (memory != nullptr) List(reinterpret_cast<std::byte*>(memory), num_bytes + 64, 0);
}

void GrowingMemory::List(std::byte* memory, uint64_t num_bytes, uint32_t segment_bits) noexcept {
  Piece* piece = PieceOf(memory, num_bytes);
  const std::lock_guard lock(retiring_);
  *piece = {retired_, memory, num_bytes, segment_bits};
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
    if (piece.segment_bits != 0) {
      FreeSegment(piece.memory + BytesBefore(piece.segment_bits), piece.segment_bits);
    } else {
      Free(reinterpret_cast<uint64_t*>(piece.memory), piece.num_bytes - 64);
    }
  }
}

}  // namespace trommel
