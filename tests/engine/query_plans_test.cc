// Plans of queries: right, in order, and kept within bounds, whatever is queried by many threads.
#include "engine/src/attributes/query_plans.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"

namespace trommel {
namespace {

std::vector<AttributeMask> PartsBy(const QueryPlans& plans, const AttributeSets& sets,
                                   AttributeMask asked, GracePeriods& grace_periods) {
  const GracePeriods::Reader inside = grace_periods.Enter();
  QueryPlans::Plan own;
  std::vector<AttributeMask> parts;
  for (const uint32_t set_idx : plans.Of(asked, inside, own)) {
    parts.push_back(sets.allowed()[set_idx]);
  }
  return parts;
}

std::vector<AttributeMask> Sorted(std::vector<AttributeMask> parts) {
  std::ranges::sort(parts);
  return parts;
}

TEST_CASE("plans have the parts of every query, lowest rate first", "[engine][attributes]") {
  const std::vector<AttributeMask> cuts = {0b0011, 0b0110};
  const AttributeSets sets = *AttributeSets::Create(4, cuts);
  std::vector<double> rates;
  for (size_t s = 0; s < sets.allowed().size(); ++s) {
    rates.push_back(1.0 / static_cast<double>(1 + s % 3));
  }
  GracePeriods grace_periods;
  const QueryPlans plans(sets, rates, grace_periods);
  for (int round = 0; round < 2; ++round) {
    for (AttributeMask asked = 0; asked <= sets.full(); ++asked) {
      const std::vector<AttributeMask> parts = PartsBy(plans, sets, asked, grace_periods);
      CHECK(std::ranges::is_sorted(parts, {},
                                   [&](AttributeMask part) { return rates[sets.IndexOf(part)]; }));
      CHECK(Sorted(parts) == Sorted(sets.PartsOf(asked)));
    }
  }
  const GracePeriods::Reader inside = grace_periods.Enter();
  QueryPlans::Plan own;
  CHECK(plans.Of(0b1111, inside, own).data() == plans.Of(0b1111, inside, own).data());  // kept
}

TEST_CASE("plans are made anew where more were queried than are kept",
          "[engine][attributes][attribute_filter]") {
  const AttributeSets sets = *AttributeSets::AtMost(24, 1);
  GracePeriods grace_periods;
  constexpr QueryPlans::Bounds kBounds{.num_plans = 5, .num_parts = 60};
  const QueryPlans plans(sets, std::vector<double>(sets.allowed().size(), 0.01), grace_periods,
                         kBounds);
  std::mt19937_64 random(7);
  size_t most_kept = 0;
  for (int i = 0; i < 2000; ++i) {
    const AttributeMask asked = random() & sets.full();
    REQUIRE(PartsBy(plans, sets, asked, grace_periods) == sets.PartsOf(asked));
    most_kept = std::max(most_kept, plans.num_kept());
  }
  CHECK(most_kept > kBounds.num_plans);
  CHECK(most_kept <= 2 * kBounds.num_plans);

  // While a reader holds a plan of the first cache, neither it nor more than a second one goes.
  const GracePeriods::Reader inside = grace_periods.Enter();
  QueryPlans::Plan own;
  const std::span<const uint32_t> held = plans.Of(0b111, inside, own);
  for (int i = 0; i < 100; ++i) (void)PartsBy(plans, sets, random() & sets.full(), grace_periods);
  CHECK(plans.num_kept() <= 2 * kBounds.num_plans);
  CHECK(std::ranges::equal(held, std::vector<uint32_t>{0, 1, 2}));
}

TEST_CASE("a plan that the system refuses memory for has all its parts or none, and is made later",
          "[engine][attributes][attribute_filter]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  const AttributeSets sets = *AttributeSets::AtMost(12, 2);
  GracePeriods grace_periods;
  constexpr QueryPlans::Bounds kBounds{.num_plans = 4, .num_parts = 400};
  size_t num_refused = 0;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; ++n) {
    CAPTURE(n);
    const QueryPlans plans(sets, std::vector<double>(sets.allowed().size(), 0.01), grace_periods,
                           kBounds);
    was_refused = false;
    for (uint32_t i = 0; i < 7; ++i) {  // more than are kept
      const AttributeMask asked = sets.full() >> i & ~AttributeMask{1};
      const std::vector<AttributeMask> wanted = Sorted(sets.PartsOf(asked));
      QueryPlans::Plan own;
      std::span<const uint32_t> parts;
      std::optional<PlanOfBatch> of_batch;
      const GracePeriods::Reader inside = grace_periods.Enter();
      {
        const tests::RefusedAllocation refused(n);
        parts = plans.Of(asked, inside, own);
        of_batch.emplace(plans, asked, grace_periods);
        was_refused |= refused.was_refused();
      }
      CHECK((parts.empty() || parts.size() == wanted.size()));
      CHECK((of_batch->parts().empty() || of_batch->parts().size() == wanted.size()));
      num_refused += size_t{parts.empty()};
      CHECK(Sorted(PartsBy(plans, sets, asked, grace_periods)) == wanted);
      CHECK(plans.num_kept() <= 2 * kBounds.num_plans);
    }
  }
  CHECK(num_refused > 0);
}

TEST_CASE("plans stay right while many threads query for more than are kept",
          "[engine][attributes][attribute_filter][threads]") {
  const AttributeSets sets = *AttributeSets::AtMost(18, 2);
  GracePeriods grace_periods;
  const QueryPlans plans(sets, std::vector<double>(sets.allowed().size(), 0.01), grace_periods,
                         {.num_plans = 8, .num_parts = 400});
  std::vector<AttributeMask> masks;
  std::vector<std::vector<AttributeMask>> wanted;
  std::mt19937_64 random(11);
  for (int i = 0; i < 60; ++i) {
    masks.push_back(random() & random() & sets.full());
    wanted.push_back(Sorted(sets.PartsOf(masks.back())));
  }
  std::atomic<int> num_wrong{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 3000; ++i) {
        const size_t m = (i * (2 * t + 1) + i / 60) % masks.size();
        if (Sorted(PartsBy(plans, sets, masks[m], grace_periods)) != wanted[m]) ++num_wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(num_wrong == 0);
  CHECK(plans.num_kept() <= 16);
}

}  // namespace
}  // namespace trommel
