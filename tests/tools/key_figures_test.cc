// How many distinct keys a filter holds: for every type, however often each is in.
#include "tools/trommel/filters/key_figures.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "support/window_slots.h"
#include "trommel/estimates.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::WithinRel;

AnyFilter Make(int which) {
  const uint64_t capacity = 10'000;
  const auto counting = [&](Encoding encoding) {
    return AnyFilter(CountingFilter::Create({.capacity = capacity, .encoding = encoding}).value());
  };
  const auto scalable = [&](GrowthMode mode) {
    return AnyFilter(ScalableFilter::Create({.first_capacity = 1000, .mode = mode}).value());
  };
  const auto window = [&](double target_fpr) {
    return AnyFilter(
        WindowFilter::Create({.window = 80, .capacity = capacity, .target_fpr = target_fpr})
            .value());
  };
  switch (which) {
    case 0:
      return counting(Encoding::kRuns);
    case 1:
      return counting(Encoding::kPlanes);
    case 2:
      return counting(Encoding::kFingerprints8);
    case 3:
      return counting(Encoding::kFingerprints16);
    case 4:
      return scalable(GrowthMode::kGenerations);
    case 5:
      return window(tests::kRateOfSlots16);
    default:
      return window(tests::kRateOfSlots24);
  }
}

TEST_CASE("distinct keys are told apart from insertions in every type of filter",
          "[tools][key_figures]") {
  const int which = GENERATE(range(0, 7));
  CAPTURE(which);
  AnyFilter filter = Make(which);
  CHECK(FiguresOf(filter).distinct.value == 0);
  const auto keys = tests::MemberKeys(10'000, 1);
  const auto insert = [&] {
    std::visit(
        [&](auto& one) {
          if constexpr (requires { one.Insert(Keys(keys)); }) one.Insert(Keys(keys));
        },
        filter);
  };
  insert();
  const KeyFigures once = FiguresOf(filter);
  CHECK_THAT(static_cast<double>(once.distinct.value), WithinRel(10'000, 0.03));
  insert();
  insert();
  const KeyFigures thrice = FiguresOf(filter);
  CHECK(thrice.num_keys == 30'000);
  CHECK_THAT(static_cast<double>(thrice.distinct.value), WithinRel(10'000, 0.03));
  CHECK(thrice.distinct.at_least <= thrice.distinct.value);
  CHECK_THAT(static_cast<double>(thrice.distinct.at_least), WithinRel(10'000, 0.05));
  CHECK(thrice.least_fpr <= thrice.predicted_fpr);
  CHECK_THAT(thrice.predicted_fpr, WithinRel(once.predicted_fpr, 0.2));
  if (const auto* counting = std::get_if<CountingFilter>(&filter)) {
    const Estimate estimate = EstimateDistinctKeys(*counting);
    CHECK_THAT(static_cast<double>(thrice.distinct.value), WithinRel(estimate.value, 0.002));
    CHECK_THAT(static_cast<double>(thrice.distinct.at_least), WithinRel(estimate.low, 0.002));
  }
}

TEST_CASE("insertions that may all differ are all distinct", "[tools][key_figures]") {
  CountingFilter filter = CountingFilter::Create({.capacity = 5000}).value();
  filter.Insert(tests::MemberKeys(5000, 9));
  const KeyFigures figures = FiguresOf(filter, filter.MeasureFill());
  CHECK(figures.distinct.value == 5000);
  CHECK(figures.predicted_fpr == filter.GetStats().predicted_fpr);
}

}  // namespace
}  // namespace trommel::tool
