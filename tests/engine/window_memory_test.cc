// A window for which the system refuses all memory on the calling thread. (Batches of every type:
// scratch_memory_test.cc; insertions within a limit: tests/promises/kept_limits_test.cc.)
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/window_slots.h"
#include "trommel/executor.h"
#include "trommel/outcomes.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::AllocationPeak;
using tests::Refused;
using tests::RefusedAllocation;

TEST_CASE("the clock of a window advances without memory", "[engine][window]") {
  if (!AllocationPeak::IsCounted()) return;
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter filter = WindowFilter::Create({.window = 80,
                                              .num_buckets = 8,
                                              .capacity = 20'000,
                                              .target_fpr = rate,
                                              .executor = Executor::Create(3).value()})
                            .value();
  const auto keys = tests::MemberKeys(10'000, Catch::rngSeed());
  std::vector<uint64_t> bits(BitmapWords(keys.size()));
  for (uint64_t time = 0; time < 300; time += 10) {
    size_t num_present = 0;
    bool has_advanced = false;
    {
      const RefusedAllocation refused(1, Refused::kAllFrom);
      has_advanced = filter.Advance(time);
      num_present = filter.Query(keys, bits);
    }
    REQUIRE(has_advanced);
    if (time % 100 == 0) {
      filter.Insert(keys);
    } else if (time % 100 < 80) {
      REQUIRE(num_present == keys.size());
    }
  }
}

}  // namespace
}  // namespace trommel
