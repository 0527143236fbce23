// Estimates of real filters: within their errors, blind to copies and erased keys, and refused
// where filters cannot be compared.
#include "trommel/estimates.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "support/sample_filters.h"
#include "support/shapes.h"

namespace trommel {
namespace {

void CheckWithin(const Estimate& estimate, double truth) {
  INFO(estimate.value << " +- " << estimate.standard_error << " for " << truth);
  CHECK(std::abs(estimate.value - truth) < 6 * estimate.standard_error + 1);
  CHECK(estimate.low <= estimate.value);
  CHECK(estimate.value <= estimate.high);
}

TEST_CASE("the distinct keys of a filter are estimated within the error",
          "[engine][estimates][long]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const double load = GENERATE(0.01, 0.5, 1.5);
  const Geometry geometry = tests::GeometryOf(shape, 512, 3);
  const auto num_keys = static_cast<size_t>(512.0 * geometry.slice_positions() * load);
  CountingFilter filter = tests::MakeFilter(geometry);
  const auto keys = tests::MemberKeys(num_keys, Catch::rngSeed());
  filter.Insert(keys);
  const Estimate once = EstimateDistinctKeys(filter);
  CheckWithin(once, static_cast<double>(num_keys));
  CHECK(once.standard_error < 0.05 * once.value + 1);
  // Copies mark nothing new; what came and went leaves nothing.
  filter.Insert(keys);
  CHECK(EstimateDistinctKeys(filter).value == once.value);
  const auto gone = tests::MemberKeys(num_keys, Catch::rngSeed(), num_keys);
  filter.Insert(gone);
  CHECK(EstimateDistinctKeys(filter).value > once.value);
  filter.Erase(gone);
  CHECK(EstimateDistinctKeys(filter).value == once.value);
}

TEST_CASE("an empty filter holds no keys for certain, a full one any number",
          "[engine][estimates]") {
  CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 2});
  CHECK(EstimateDistinctKeys(filter).value == 0);
  CHECK(EstimateDistinctKeys(filter).high == 0);
  filter.Insert(tests::MemberKeys(5000, Catch::rngSeed()));
  const Estimate full = EstimateDistinctKeys(filter);
  CHECK(std::isinf(full.high));
  CHECK(full.low > 64);
  CHECK(full.low < 5000);
}

std::vector<Geometry> GeometriesOf512() {
  std::vector<Geometry> geometries = {tests::FingerprintsOf(Encoding::kFingerprints16, 512, 3),
                                      tests::FingerprintsOf(Encoding::kDense, 512, 3)};
  for (const kernels::Shape& shape : tests::AllShapes()) {
    geometries.push_back(tests::GeometryOf(shape, 512, 3));
  }
  return geometries;
}

TEST_CASE("what two filters share is estimated within the error", "[engine][estimates]") {
  const Geometry geometry = GENERATE(from_range(GeometriesOf512()));
  const auto [only_a, only_b, shared] =
      GENERATE(table<size_t, size_t, size_t>({{4000, 3000, 2000}, {9000, 0, 500}, {300, 5000, 0}}));
  const uint64_t seed = Catch::rngSeed();
  CountingFilter a = tests::MakeFilter(geometry);
  CountingFilter b = tests::MakeFilter(geometry);
  a.Insert(tests::MemberKeys(only_a + shared, seed));
  b.Insert(tests::MemberKeys(shared + only_b, seed, only_a));
  const auto overlap = EstimateOverlap(a, b);
  REQUIRE(overlap.ok());
  const double of_a = static_cast<double>(only_a + shared);
  const double of_b = static_cast<double>(only_b + shared);
  const double both = static_cast<double>(shared);
  const double either = of_a + of_b - both;
  CheckWithin(overlap->keys_of_a, of_a);
  CheckWithin(overlap->keys_of_b, of_b);
  CheckWithin(overlap->union_keys, either);
  CheckWithin(overlap->intersection_keys, both);
  CHECK(std::abs(overlap->jaccard.value - both / either) <
        6 * overlap->jaccard.standard_error + 1 / either);
  CHECK(std::abs(overlap->a_in_b.value - both / of_a) <
        6 * overlap->a_in_b.standard_error + 1 / of_a);
  CHECK(std::abs(overlap->b_in_a.value - both / of_b) <
        6 * overlap->b_in_a.standard_error + 1 / of_b);
}

TEST_CASE("a filter shares all its keys with itself, and none with an empty one",
          "[engine][estimates]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const Geometry geometry = tests::GeometryOf(shape, 64);
  CountingFilter filter = tests::MakeFilter(geometry);
  const CountingFilter empty = tests::MakeFilter(geometry);
  filter.Insert(tests::MemberKeys(900, Catch::rngSeed()));
  const auto same = EstimateOverlap(filter, filter);
  CHECK(same->intersection_keys.value == same->keys_of_a.value);
  CHECK(same->jaccard.value == Catch::Approx(1));
  CHECK(same->a_in_b.value == Catch::Approx(1));
  CHECK(same->jaccard.standard_error < 1e-3);
  const auto none = EstimateOverlap(filter, empty);
  CHECK(none->intersection_keys.value == Catch::Approx(0).margin(1e-6));
  CHECK(none->jaccard.value == Catch::Approx(0).margin(1e-9));
  CHECK(none->b_in_a.value == 0);
  const auto nothing = EstimateOverlap(empty, empty);
  CHECK(nothing->union_keys.high == 0);
  CHECK(nothing->jaccard.value == 0);
}

TEST_CASE("full filters share an unknown number of keys", "[engine][estimates]") {
  CountingFilter full = tests::MakeFilter({.num_slices = 8, .num_blocks = 2});
  full.Insert(tests::MemberKeys(5000, Catch::rngSeed()));
  const auto overlap = EstimateOverlap(full, full);
  CHECK(std::isinf(overlap->union_keys.high));
  CHECK(std::isinf(overlap->intersection_keys.high));
  CHECK(overlap->intersection_keys.low == 0);
  CHECK(overlap->jaccard.low == 0);
  CHECK(overlap->jaccard.high == 1);
}

TEST_CASE("filters of other geometries or digests are not compared", "[engine][estimates]") {
  const CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 4});
  const auto other = EstimateOverlap(filter, tests::MakeFilter({.num_slices = 8, .num_blocks = 6}));
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().code == ErrorCode::kMismatch);
  CHECK_THAT(other.error().message, Catch::Contains("num_blocks differs"));
  const auto seeded =
      EstimateOverlap(filter, tests::MakeFilter({.num_slices = 8, .num_blocks = 4}, {.seed = 3}));
  CHECK_THAT(seeded.error().message, Catch::Contains("seed differs"));
}

}  // namespace
}  // namespace trommel
