// A thread's allocations: how many there were, the most memory that they held at once, all that was
// asked for, and the refusal of one of them. Of operator new, and of mmap, from which blocks have
// their memory: both are replaced for the whole test program.
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
  // Of all allocations together, freed ones included: a measure of work.
  uint64_t num_bytes_in_all() const noexcept;

  // False with sanitizers, which replace the same functions: both are 0 then.
  static bool IsCounted() noexcept;
};

enum class Refused : uint8_t { kOne, kAllFrom };

// Refuses the n-th allocation of its thread from its construction on, n >= 1, and no other, or all
// that follow, too: operator new throws std::bad_alloc or returns null, mmap returns MAP_FAILED.
// One at a time in each thread; with sanitizers nothing is refused (AllocationPeak::IsCounted).
class RefusedAllocation {
 public:
  explicit RefusedAllocation(uint64_t n, Refused which = Refused::kOne) noexcept;
  ~RefusedAllocation();
  RefusedAllocation(const RefusedAllocation&) = delete;
  RefusedAllocation& operator=(const RefusedAllocation&) = delete;

  // Were there n allocations?
  bool was_refused() const noexcept;
};

// Calls body() with its n-th allocation refused. Returns whether it has so many.
template <class Body>
bool WasRefusedAt(uint64_t n, const Body& body) {
  const RefusedAllocation refused(n);
  body();
  return refused.was_refused();
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_ALLOCATION_PEAK_H_
