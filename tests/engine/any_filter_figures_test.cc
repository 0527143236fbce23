// The measured figures of a filter: how many distinct keys it holds, for every type, however often
// each is in.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "support/window_slots.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/estimates.h"

namespace trommel {
namespace {

using Catch::Matchers::WithinRel;

uint64_t CountIn(const Figures& figures, std::string_view name) {
  return FigureOr<uint64_t>(figures, name, ~uint64_t{0});
}
double Measured(const Figures& figures, std::string_view name) {
  return static_cast<double>(CountIn(figures, name));
}
double RateIn(const Figures& figures, std::string_view name) {
  return FigureOr<double>(figures, name, -1);
}

AnyFilterPtr Make(int which) {
  const uint64_t capacity = 10'000;
  const auto counting = [&](std::string encoding) {
    return AnyFilter::Create(FilterType::kCounting,
                             {{"capacity", capacity}, {"encoding", std::move(encoding)}});
  };
  const auto window = [&](double target_fpr) {
    return AnyFilter::Create(
        FilterType::kWindow,
        {{"window", uint64_t{80}}, {"capacity", capacity}, {"target_fpr", target_fpr}});
  };
  switch (which) {
    case 0:
      return counting("runs").value();
    case 1:
      return counting("planes").value();
    case 2:
      return counting("dense").value();
    case 3:
      return counting("fingerprints16").value();
    case 4:
      return AnyFilter::Create(FilterType::kScalable, {{"first_capacity", uint64_t{100'000}}})
          .value();
    case 5:
      return window(tests::kRateOfSlots16).value();
    default:
      return window(tests::kRateOfSlots24).value();
  }
}

TEST_CASE("distinct keys are told apart from insertions in every type of filter",
          "[engine][any_filter]") {
  const int which = GENERATE(range(0, 7));
  CAPTURE(which);
  const AnyFilterPtr filter = Make(which);
  CHECK(CountIn(filter->GetFigures(true), "num_distinct_keys") == 0);
  const auto keys = tests::MemberKeys(10'000, 1);
  REQUIRE(filter->Insert(keys, {}, nullptr).ok());
  const Figures once = filter->GetFigures(true);
  CHECK_THAT(Measured(once, "num_distinct_keys"), WithinRel(10'000, 0.03));
  REQUIRE(filter->Insert(keys, {}, nullptr).ok());
  REQUIRE(filter->Insert(keys, {}, nullptr).ok());
  const Figures thrice = filter->GetFigures(true);
  CHECK(CountIn(thrice, "num_keys") == 30'000);
  CHECK_THAT(Measured(thrice, "num_distinct_keys"), WithinRel(10'000, 0.03));
  CHECK(CountIn(thrice, "least_distinct_keys") <= CountIn(thrice, "num_distinct_keys"));
  CHECK_THAT(Measured(thrice, "least_distinct_keys"), WithinRel(10'000, 0.05));
  CHECK(RateIn(thrice, "least_fpr") <= RateIn(thrice, "predicted_fpr"));
  CHECK_THAT(RateIn(thrice, "predicted_fpr"), WithinRel(RateIn(once, "predicted_fpr"), 0.2));
  if (const auto* counting = filter->As<CountingFilter>()) {
    const Estimate estimate = EstimateDistinctKeys(*counting);
    CHECK_THAT(Measured(thrice, "num_distinct_keys"), WithinRel(estimate.value, 0.002));
    CHECK_THAT(Measured(thrice, "least_distinct_keys"), WithinRel(estimate.low, 0.002));
  }
}

TEST_CASE("insertions that may all differ are all distinct", "[engine][any_filter]") {
  const AnyFilterPtr filter = AnyFilter::Of(CountingFilter::Create({.capacity = 5000}).value());
  REQUIRE(filter->Insert(tests::MemberKeys(5000, 9), {}, nullptr).ok());
  const Figures figures = filter->GetFigures(true);
  CHECK(CountIn(figures, "num_distinct_keys") == 5000);
  CHECK(RateIn(figures, "predicted_fpr") == RateIn(filter->GetFigures(false), "predicted_fpr"));
}

}  // namespace
}  // namespace trommel
