#include "support/count_allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace trommel::tests {
namespace {

thread_local uint64_t num_allocations = 0;

}  // namespace

uint64_t NumAllocations() noexcept { return num_allocations; }

static void* CountedMalloc(size_t num_bytes) {
  num_allocations += 1;
  void* const memory = std::malloc(num_bytes == 0 ? 1 : num_bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace trommel::tests

// The other forms call these, but for those with an alignment, which the library does not use.
void* operator new(size_t num_bytes) { return trommel::tests::CountedMalloc(num_bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*num_bytes*/) noexcept { std::free(memory); }
