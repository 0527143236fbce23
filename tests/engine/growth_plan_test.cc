// The model of a filter that grows. That its rates are those of filters: growing_filter_test.cc.
#include "engine/src/scalable/growth_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/catch.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

GrowthPlan PlanOf(const ScalableConfig& config) { return GrowthPlan::Make(config).value(); }

std::string Refusal(const ScalableConfig& config) {
  const Result<GrowthPlan> plan = GrowthPlan::Make(config);
  return plan.ok() ? "" : plan.error().message;
}

}  // namespace

TEST_CASE("a filter that grows needs no first size", "[engine][scalable]") {
  CHECK(ScalableFilter::Create({})->first_capacity() ==
        ScalableFilter::Create({.first_capacity = 1})->first_capacity());
}

TEST_CASE("every rate from 0.001 to 10 percent is kept up to the largest size",
          "[engine][scalable]") {
  for (const double target_fpr : {1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1}) {
    CAPTURE(target_fpr);
    const ScalableConfig config{.first_capacity = 65'536, .target_fpr = target_fpr};
    const ScalableFilter filter = ScalableFilter::Create(config).value();
    CHECK(filter.first_capacity() >= 65'536);
    CHECK(filter.largest_capacity() == GrowthPlan::kUsualLargest);
    CHECK(filter.ForecastAt(filter.largest_capacity()).predicted_fpr <= target_fpr);
  }
}

TEST_CASE("a filter that grows refuses numbers out of range, naming them", "[engine][scalable]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(Refusal({.target_fpr = nan}), ContainsSubstring("target_fpr is nan"));
  CHECK_THAT(Refusal({.target_fpr = 0.7}), ContainsSubstring("target_fpr is 0.7"));
  CHECK_THAT(Refusal({.target_fpr = 1e-7}), ContainsSubstring("target_fpr is 1e-07"));
  CHECK_THAT(Refusal({.first_capacity = uint64_t{1} << 41}),
             ContainsSubstring("first_capacity is"));
  CHECK_THAT(Refusal({.max_capacity = uint64_t{1} << 41}), ContainsSubstring("max_capacity is"));
  CHECK(Refusal({.first_capacity = 10, .max_capacity = 5}) ==
        "max_capacity is 5; it must be at least first_capacity, 10");
  // Beyond the bits that a digest gives, with the most keys that it would keep the rate for.
  CHECK_THAT(Refusal({.target_fpr = 1e-4, .max_capacity = uint64_t{1} << 40}),
             ContainsSubstring("target_fpr is 1e-04: that is kept up to 112589990684 keys"));
}

TEST_CASE("a filter that grows keeps the bits that its target needs at its largest size",
          "[engine][scalable]") {
  for (const double target_fpr : {1e-5, 1.1e-4, 0.001, 0.01, 1.0 / 64, 0.1, 0.5}) {
    for (const uint64_t largest : {1'000ULL, 65'536ULL, 3'000'000ULL, 1'000'000'000ULL}) {
      CAPTURE(target_fpr, largest);
      const GrowthPlan plan = PlanOf({.target_fpr = target_fpr, .max_capacity = largest});
      const auto of_keys = static_cast<double>(largest);
      const double needed = std::log2(of_keys / target_fpr);
      const double least = std::max(needed, std::log2(of_keys) + 6.5);
      CHECK(plan.num_bits() == std::max(std::ceil(least - 1e-9), 7.0));
      CHECK(plan.num_bits() == plan.options().value_bits + GrowingStore::kShardBits);
      CHECK(plan.FprAt(largest) <= target_fpr);
      if (plan.FprAt(largest) > 0 && needed == least)
        CHECK(plan.FprAt(largest) > 0.49 * target_fpr);
      // Of fewer keys as many fewer; of more, what they give.
      const double full = GrowthPlan::FprOf(of_keys, plan.num_bits());
      CHECK(GrowthPlan::FprOf(of_keys / 8, plan.num_bits()) == Approx(full / 8).epsilon(0.3));
      CHECK(GrowthPlan::FprOf(1e30, plan.num_bits()) == 1);
      CHECK(GrowthPlan::CanBe(plan.options()));
    }
  }
}

TEST_CASE("the forecast of a filter that grows rises with the keys", "[engine][scalable]") {
  for (const double target_fpr : {1e-5, 1e-3, 0.1}) {
    const GrowthPlan plan = PlanOf({.target_fpr = target_fpr, .max_capacity = 30'000'000});
    double fpr = 0;
    uint64_t num_bytes = 0;
    for (uint64_t n = 1'000; n <= 30'000'000; n += n / 16) {
      CHECK(plan.FprAt(n) >= fpr);
      CHECK(plan.BytesAt(n) >= num_bytes);
      fpr = plan.FprAt(n);
      num_bytes = plan.ShareInBlocksAt(n) > 0.999999 ? plan.BytesAt(n) : 0;  // digests take more
    }
    // Whole digests have no false positives.
    CHECK(plan.FprAt(1'000) == 0);
    CHECK(plan.BytesAt(1'000) <= 12'000);
    CHECK(plan.FprAt(200'000'000) > fpr);
  }
}

TEST_CASE("the first size holds first_capacity, and the largest is max_capacity",
          "[engine][scalable]") {
  for (const uint64_t first : {uint64_t{0}, uint64_t{1}, uint64_t{200'000}, uint64_t{50'000'000}}) {
    for (const uint64_t times : {uint64_t{0}, uint64_t{1}, uint64_t{5}, uint64_t{1000}}) {
      const GrowthPlan plan = PlanOf({.first_capacity = first, .max_capacity = first * times});
      CHECK(plan.first_capacity() >= first);
      const uint64_t wanted = first * times == 0 ? GrowthPlan::kUsualLargest : first * times;
      CHECK(plan.largest_capacity() == std::max(first, wanted));
    }
  }
}

}  // namespace trommel::tests
