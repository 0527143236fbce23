#include "bench/sides/fpr_bounds.h"

#include <cmath>
#include <vector>

#include "bench/sides/workload.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

TEST_CASE("the binomial part is the textbook's", "[bench][fpr]") {
  CHECK(BinomialSigma(0.5, 100) == Catch::Approx(0.05));
  CHECK(BinomialSigma(0, 100) == 0);
}

TEST_CASE("filters vary by as much as the bound says", "[bench][fpr]") {
  // The exact rate of many small filters: its spread is the filter-to-filter part.
  constexpr uint64_t kNumKeys = 2000;
  constexpr size_t kNumFilters = 400;
  const Geometry geometry{.num_blocks = 100};
  double sum = 0;
  double sum_square = 0;
  for (size_t f = 0; f < kNumFilters; ++f) {
    auto filter = CountingFilter::CreateWithGeometry(geometry, {});
    REQUIRE(filter.ok());
    filter->Insert(Population(f * kNumKeys, kNumKeys).batch().keys);
    const double fpr = filter->MeasureFill().current_fpr;
    sum += fpr;
    sum_square += fpr * fpr;
  }
  const double mean = sum / kNumFilters;
  const double spread = std::sqrt(sum_square / kNumFilters - mean * mean);
  const double sigma = BlockFprSigma(geometry, kNumKeys, uint64_t{1} << 62);
  CHECK(mean == Catch::Approx(PredictedFpr(geometry, kNumKeys)).epsilon(6 * sigma / mean / 20));
  // Blocks of one filter share a fixed number of keys, so the bound is slightly too large.
  CHECK(spread < sigma * 1.2);
  CHECK(spread > sigma * 0.5);
}

}  // namespace
}  // namespace trommel::bench
