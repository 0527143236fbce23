// The rates that a window had while keys went in.
#include "tools/trommel/filters/window_rate.h"

#include <cstdint>

#include "support/catch.h"
#include "support/random_keys.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::WithinRel;

AnyFilterPtr MakeFilter() {
  return AnyFilter::Create(FilterType::kWindow,
                           {{"window", uint64_t{80}}, {"capacity", uint64_t{9000}}})
      .value();
}

double PredictedFprOf(const AnyFilter& filter) {
  return FigureOr<double>(filter.GetFigures(false), "predicted_fpr", 0);
}

double TargetFprOf(const AnyFilter& filter) {
  return FigureOr<double>(filter.GetFigures(false), "target_fpr", 0);
}

void Insert(AnyFilter& filter, uint64_t num_keys, WindowRate& rate) {
  static uint64_t seed = 0;
  (void)filter.Insert(tests::MemberKeys(num_keys, ++seed), {}, nullptr);
  rate.Add(num_keys);
}

TEST_CASE("a window's highest rate is the filter's prediction when it was highest",
          "[tools][window_rate]") {
  const AnyFilterPtr filter = MakeFilter();
  WindowRate rate(*filter);
  CHECK(rate.highest_fpr() == 0);
  for (uint64_t now = 0; now < 200; now += 10) {
    (void)filter->Advance(now);
    Insert(*filter, 500, rate);
    Insert(*filter, 500, rate);
  }
  CHECK_THAT(rate.highest_fpr(), WithinRel(PredictedFprOf(*filter), 1e-9));
  CHECK(rate.highest_fpr() <= TargetFprOf(*filter));

  Insert(*filter, 14'000, rate);
  const double in_burst = PredictedFprOf(*filter);
  CHECK(in_burst > TargetFprOf(*filter));
  // Beyond the requested rate it was measured.
  CHECK_THAT(rate.highest_fpr(), WithinRel(in_burst, 0.05));
  (void)filter->Advance(1000);
  Insert(*filter, 10, rate);
  CHECK_THAT(rate.highest_fpr(), WithinRel(in_burst, 0.05));
  CHECK(PredictedFprOf(*filter) < TargetFprOf(*filter));
}

TEST_CASE("what is expected to be taken for present does not depend on the batches",
          "[tools][window_rate]") {
  const AnyFilterPtr filter = MakeFilter();
  WindowRate at_once(*filter);
  WindowRate in_parts(*filter);
  at_once.Add(1000);
  for (int part = 0; part < 50; ++part) in_parts.Add(20);
  CHECK(in_parts.expected_wrongly_present() > 0);
  CHECK_THAT(at_once.expected_wrongly_present(),
             WithinRel(in_parts.expected_wrongly_present(), 0.03));
}

}  // namespace
}  // namespace trommel::tool
