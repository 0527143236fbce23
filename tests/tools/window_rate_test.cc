// The rate of a window while keys come: the filter's own prediction, and its peak.
#include "tools/trommel/window_rate.h"

#include <cstdint>
#include <utility>

#include "support/catch.h"
#include "support/random_keys.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::WithinRel;

WindowFilter MakeFilter() {
  return std::move(WindowFilter::Create({.window = 80, .num_buckets = 8, .capacity = 9000}))
      .value();
}

void Insert(WindowFilter& filter, uint64_t num_keys, WindowRate& rate) {
  static uint64_t seed = 0;
  filter.Insert(tests::MemberKeys(num_keys, ++seed));
  rate.Add(filter, num_keys);
}

TEST_CASE("a window's highest rate is the filter's prediction when it was highest",
          "[tools][window_rate]") {
  WindowFilter filter = MakeFilter();
  WindowRate rate(filter);
  CHECK(rate.highest_fpr() == 0);
  for (uint64_t now = 0; now < 200; now += 10) {
    filter.Advance(now);
    Insert(filter, 500, rate);
    Insert(filter, 500, rate);
  }
  CHECK_THAT(rate.highest_fpr(), WithinRel(filter.GetStats().predicted_fpr, 1e-9));
  CHECK(rate.highest_fpr() <= filter.target_fpr());
  CHECK(rate.most_bucket_keys() == 1000);

  Insert(filter, 4000, rate);
  const double in_burst = filter.GetStats().predicted_fpr;
  CHECK(in_burst > filter.target_fpr());
  CHECK_THAT(rate.highest_fpr(), WithinRel(in_burst, 1e-9));
  CHECK(rate.most_bucket_keys() == 5000);
  filter.Advance(1000);
  Insert(filter, 10, rate);
  CHECK_THAT(rate.highest_fpr(), WithinRel(in_burst, 1e-9));
  CHECK(filter.GetStats().predicted_fpr < filter.target_fpr());
}

TEST_CASE("a window's rate begins with what a filter holds already", "[tools][window_rate]") {
  WindowFilter filter = MakeFilter();
  filter.Insert(tests::MemberKeys(3000, 77));
  WindowRate rate(filter);
  CHECK(rate.most_bucket_keys() == 3000);
  filter.Advance(20);
  Insert(filter, 1, rate);
  CHECK_THAT(rate.highest_fpr(), WithinRel(filter.GetStats().predicted_fpr, 1e-9));
}

TEST_CASE("what is expected to be taken for present does not depend on the batches",
          "[tools][window_rate]") {
  WindowFilter filter = MakeFilter();
  WindowRate at_once(filter);
  WindowRate in_parts(filter);
  at_once.Add(filter, 1000);
  for (int part = 0; part < 50; ++part) in_parts.Add(filter, 20);
  CHECK(in_parts.expected_wrongly_present() > 0);
  CHECK_THAT(at_once.expected_wrongly_present(),
             WithinRel(in_parts.expected_wrongly_present(), 0.03));
}

}  // namespace
}  // namespace trommel::tool
