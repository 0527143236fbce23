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

TEST_CASE("with one block and infinitely many queries only the block's own variance is left",
          "[bench][fpr]") {
  // One key in one block: every slice has one of 32 positions. No variance.
  const Geometry geometry{.num_blocks = 1};
  CHECK(BlockFprSigma(geometry, 1, uint64_t{1} << 62) < 1e-15);
  // Two keys: a slice holds one position with chance 1/32, else two.
  const double fill_square = (1.0 / 32) * (1.0 / 1024) + (31.0 / 32) * (4.0 / 1024);
  const double fill = (1.0 / 32) * (1.0 / 32) + (31.0 / 32) * (2.0 / 32);
  const double variance = std::pow(fill_square, 8) - std::pow(fill, 16);
  CHECK(BlockFprSigma(geometry, 2, uint64_t{1} << 62) ==
        Catch::Approx(std::sqrt(variance)).epsilon(1e-4));
}

TEST_CASE("slices of 64 positions have their own variance", "[bench][fpr]") {
  const Geometry geometry{.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 1};
  const double fill_square = (1.0 / 64) * (1.0 / 4096) + (63.0 / 64) * (4.0 / 4096);
  const double fill = (1.0 / 64) * (1.0 / 64) + (63.0 / 64) * (2.0 / 64);
  const double variance = std::pow(fill_square, 5) - std::pow(fill, 10);
  CHECK(BlockFprSigma(geometry, 2, uint64_t{1} << 62) ==
        Catch::Approx(std::sqrt(variance)).epsilon(1e-4));
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

TEST_CASE("the textbook bound falls with counters and queries", "[bench][fpr]") {
  CHECK(TextbookFprSigma(1'000'000, 7, 100'000, 1'000'000) <
        TextbookFprSigma(1'000'000, 7, 100'000, 100'000));
  CHECK(TextbookFprSigma(10'000, 7, 1'000, uint64_t{1} << 62) >
        TextbookFprSigma(1'000'000, 7, 100'000, uint64_t{1} << 62));
  CHECK(TextbookFprSigma(10'000, 7, 1'000, uint64_t{1} << 62) ==
        Catch::Approx(TextbookOwnSigma(10'000, 7, 1'000)));
}

}  // namespace
}  // namespace trommel::bench
