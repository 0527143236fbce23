#include "support/count_allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace trommel::tests {
namespace {

thread_local uint64_t num_allocations = 0;

}  // namespace

uint64_t NumAllocations() noexcept { return num_allocations; }

static void* CountedMalloc(size_t num_bytes) noexcept {
  num_allocations += 1;
  return std::malloc(num_bytes == 0 ? 1 : num_bytes);
}

static void* CountedNew(size_t num_bytes) {
  void* const memory = CountedMalloc(num_bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace trommel::tests

// All forms but those with an alignment, which the library does not use: sanitizers' own forms do
// not call each other.
void* operator new(size_t num_bytes) { return trommel::tests::CountedNew(num_bytes); }
void* operator new[](size_t num_bytes) { return trommel::tests::CountedNew(num_bytes); }
void* operator new(size_t num_bytes, const std::nothrow_t& /*tag*/) noexcept {
  return trommel::tests::CountedMalloc(num_bytes);
}
void* operator new[](size_t num_bytes, const std::nothrow_t& /*tag*/) noexcept {
  return trommel::tests::CountedMalloc(num_bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*num_bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t /*num_bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
