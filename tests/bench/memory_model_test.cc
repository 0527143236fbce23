// The models of the memory figure, against values worked out by other means.
#include "bench/memory_model.h"

#include <algorithm>
#include <string_view>

#include "support/catch.h"
#include "trommel/sizing.h"

namespace trommel::bench {
namespace {

double BitsOf(std::string_view name, double target_fpr) {
  const auto curves = MemoryCurves();
  const auto found = std::ranges::find(curves, name, &MemoryCurve::name);
  REQUIRE(found != curves.end());
  return found->bits_per_key(target_fpr);
}

TEST_CASE("published formulas give what their papers say", "[bench][memory]") {
  CHECK(BitsOf("Bloom", 0.01) == Approx(9.585).epsilon(1e-3));
  CHECK(BitsOf("counting Bloom", 0.01) == Approx(38.34).epsilon(1e-3));
  CHECK(BitsOf("cuckoo", 1.0 / 1024) == Approx(13 / 0.95));
  CHECK(BitsOf("cuckoo, semi-sorted", 1.0 / 1024) == Approx(12 / 0.95));
  CHECK(BitsOf("counting quotient", 1.0 / 1024) == Approx(12.125 / 0.95));
}

TEST_CASE("fewer false positives never need less memory", "[bench][memory]") {
  for (const MemoryCurve& curve : MemoryCurves()) {
    INFO(curve.name);
    CHECK(curve.bits_per_key(0.1) <= curve.bits_per_key(0.01));
    CHECK(curve.bits_per_key(0.01) < curve.bits_per_key(0.0001));
    CHECK_FALSE(curve.source.empty());
  }
}

TEST_CASE("the model of any shape agrees with sizing where sizing has the shape",
          "[bench][memory]") {
  const double target_fpr = GENERATE(0.01, 0.004, 0.001);
  const RunShape shape = RunShapes().front();
  REQUIRE(shape.num_slices == 5);
  const Sizing sizing = SizeFor({.capacity = 30'000'000,
                                 .target_fpr = target_fpr,
                                 .num_slices = 5,
                                 .encoding = Encoding::kRuns})
                            .value();
  CHECK(ShapeBitsPerKey(shape, target_fpr) == Approx(sizing.bits_per_key).epsilon(0.01));
}

}  // namespace
}  // namespace trommel::bench
