// How often the calling thread has called operator new.
#ifndef TROMMEL_TESTS_SUPPORT_COUNT_ALLOCATIONS_H_
#define TROMMEL_TESTS_SUPPORT_COUNT_ALLOCATIONS_H_

#include <cstdint>

namespace trommel::tests {

// Counts since the thread began. Test programs replace operator new for it.
uint64_t NumAllocations() noexcept;

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_COUNT_ALLOCATIONS_H_
