// Exact counters of any size, against plain integers.
#include "engine/src/blocks/exact_counters.h"

#include <cstdint>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"

namespace trommel {
namespace {

std::vector<uint64_t> CountersOf(const ExactCounters& exact, ExactCounters::Id id, size_t size) {
  std::vector<uint64_t> counters(size, 99);
  exact.CopyTo(id, counters);
  return counters;
}

TEST_CASE("exact counters that the system refuses memory stay as they were",
          "[engine][exact_counters]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  std::vector<uint64_t> large(8, uint64_t{1} << 40);
  const std::vector<uint64_t> small(8, 255);
  const std::vector<uint16_t> first{0};
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; ++n) {
    CAPTURE(n);
    ExactCounters exact(8);
    const ExactCounters::Id id = exact.Make(small).value();
    const uint64_t num_bytes = exact.num_bytes();
    bool is_replaced = false;
    {
      const tests::RefusedAllocation refused(n);
      is_replaced = exact.Replace(id, large);
      was_refused = refused.was_refused();
    }
    CHECK(is_replaced != was_refused);
    CHECK(CountersOf(exact, id, 8) == (was_refused ? small : large));
    CHECK(exact.num_bytes() == exact.CountBytes());
    CHECK(exact.num_bytes() >= num_bytes);
    bool is_incremented = false, is_made = true, is_decremented = true;
    {
      // No assertion in here: reporters allocate.
      const tests::RefusedAllocation refused(1, tests::Refused::kAllFrom);
      is_incremented = exact.Increment(id, first);
      is_made = exact.Make(small).has_value();
      is_decremented = exact.Decrement(id, 0);
      exact.Remove(id);
    }
    CHECK(is_incremented == !was_refused);
    CHECK_FALSE(is_made);
    CHECK_FALSE(is_decremented);
    CHECK(exact.num_bytes() == 0);
    CHECK(exact.Make(large).has_value());
  }
}

}  // namespace
}  // namespace trommel
