#include "support/allocation_peak.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "support/sanitized.h"

namespace trommel::tests {
namespace {

// Of this thread. Held may be below zero: what another thread allocated can be freed here.
thread_local int64_t held_bytes = 0;
thread_local int64_t peak_bytes = 0;
thread_local uint64_t bytes_in_all = 0;
thread_local bool is_counting = false;
thread_local uint64_t num_allocations = 0;
thread_local uint64_t num_until_refused = 0;  // 0: none is refused
thread_local bool are_all_refused = false;    // from then on
thread_local bool was_one_refused = false;

[[maybe_unused]] void CountAllocation() noexcept { num_allocations += 1; }

[[maybe_unused]] void CountHeld(int64_t num_bytes) noexcept {
  if (!is_counting) return;
  held_bytes += num_bytes;
  if (num_bytes > 0) bytes_in_all += static_cast<uint64_t>(num_bytes);
  peak_bytes = std::max(peak_bytes, held_bytes);
}

// Is the allocation that begins the one to refuse?
[[maybe_unused]] bool IsRefused() noexcept {
  if (num_until_refused == 0 || --num_until_refused != 0) return false;
  if (are_all_refused) num_until_refused = 1;
  was_one_refused = true;
  return true;
}

}  // namespace

uint64_t NumAllocations() noexcept { return num_allocations; }

AllocationPeak::AllocationPeak() noexcept {
  held_bytes = peak_bytes = 0;
  bytes_in_all = 0;
  is_counting = true;
}

AllocationPeak::~AllocationPeak() { is_counting = false; }

uint64_t AllocationPeak::num_bytes() const noexcept { return static_cast<uint64_t>(peak_bytes); }

uint64_t AllocationPeak::num_bytes_in_all() const noexcept { return bytes_in_all; }

bool AllocationPeak::IsCounted() noexcept { return !TROMMEL_TESTS_SANITIZED; }

RefusedAllocation::RefusedAllocation(uint64_t n, Refused which) noexcept {
  num_until_refused = n;
  are_all_refused = which == Refused::kAllFrom;
  was_one_refused = false;
}
RefusedAllocation::~RefusedAllocation() { num_until_refused = 0; }
bool RefusedAllocation::was_refused() const noexcept { return was_one_refused; }

}  // namespace trommel::tests

#if !TROMMEL_TESTS_SANITIZED

extern "C" size_t malloc_usable_size(void* memory) noexcept;  // <malloc.h>, of glibc and musl

namespace {

using trommel::tests::CountAllocation;
using trommel::tests::CountHeld;
using trommel::tests::IsRefused;

void* AlignedMemory(size_t alignment, size_t num_bytes) noexcept {
  void* memory = nullptr;
  return posix_memalign(&memory, std::max(alignment, sizeof(void*)), num_bytes) == 0 ? memory
                                                                                     : nullptr;
}

void* CountedAllocation(size_t num_bytes, size_t alignment) {
  CountAllocation();
  if (IsRefused()) throw std::bad_alloc();
  num_bytes = std::max<size_t>(num_bytes, 1);
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(num_bytes)
                                                        : AlignedMemory(alignment, num_bytes);
  if (memory == nullptr) throw std::bad_alloc();
  CountHeld(static_cast<int64_t>(malloc_usable_size(memory)));
  return memory;
}

void CountedFree(void* memory) noexcept {
  if (memory != nullptr) CountHeld(-static_cast<int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}

}  // namespace

void* operator new(size_t num_bytes) { return CountedAllocation(num_bytes, 1); }
void* operator new(size_t num_bytes, std::align_val_t alignment) {
  return CountedAllocation(num_bytes, static_cast<size_t>(alignment));
}
void* operator new(size_t num_bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  try {
    return CountedAllocation(num_bytes, static_cast<size_t>(alignment));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { CountedFree(memory); }
void operator delete(void* memory, size_t) noexcept { CountedFree(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { CountedFree(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { CountedFree(memory); }

// The system's allocator has calls of its own, so nothing is counted twice.
extern "C" void* mmap(void* address, size_t num_bytes, int protection, int flags, int fd,
                      off_t offset) noexcept {
  if (IsRefused()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  const long mapped = syscall(SYS_mmap, address, num_bytes, protection, flags, fd, offset);
  if (mapped != -1) CountHeld(static_cast<int64_t>(num_bytes));
  return reinterpret_cast<void*>(mapped);
}

extern "C" int munmap(void* address, size_t num_bytes) noexcept {
  const auto result = static_cast<int>(syscall(SYS_munmap, address, num_bytes));
  if (result == 0) CountHeld(-static_cast<int64_t>(num_bytes));
  return result;
}

#endif
