// A thread's allocations: how many there were, and the most memory that they held at once. Of
// operator new, and of mmap, from which blocks have their memory; both are replaced for the whole
// test program.
#ifndef TROMMEL_TESTS_SUPPORT_ALLOCATION_PEAK_H_
#define TROMMEL_TESTS_SUPPORT_ALLOCATION_PEAK_H_

#include <cstdint>

namespace trommel::tests {

// Calls of operator new since the thread began; 0 with sanitizers.
uint64_t NumAllocations() noexcept;

// From its construction on, in its thread. One at a time in each thread.
class AllocationPeak {
 public:
  AllocationPeak() noexcept;
  ~AllocationPeak();
  AllocationPeak(const AllocationPeak&) = delete;
  AllocationPeak& operator=(const AllocationPeak&) = delete;

  // Less what was held when it was constructed.
  uint64_t num_bytes() const noexcept;

  // False with sanitizers, which replace the same functions: num_bytes() is 0 then.
  static bool IsCounted() noexcept;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_ALLOCATION_PEAK_H_
