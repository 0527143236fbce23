// Statistical bounds: the variances behind them.
#include "support/statistics.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "engine/src/sizing/block_load.h"
#include "kernels/layout.h"

namespace trommel::tests {
namespace {

double MeanProductMoment(const Geometry& geometry, uint64_t num_keys, int power) {
  return MeanOverKeys(num_keys, geometry.num_blocks, [&](uint64_t load) {
    return BlockProductMoment(load, geometry.num_slices, power);
  });
}

}  // namespace

double RateBound::margin() const {
  const double tail =
      num_trials == 0 ? 0 : num_sigmas * num_sigmas / 6 / static_cast<double>(num_trials);
  return num_sigmas * sigma + tail;
}

bool RateBound::ContainsHits(uint64_t num_hits) const {
  return Contains(static_cast<double>(num_hits) / static_cast<double>(num_trials));
}

std::ostream& operator<<(std::ostream& out, const RateBound& bound) {
  return out << bound.predicted << " +- " << bound.margin() << " (" << bound.num_sigmas
             << " sigma, " << bound.num_trials << " trials)";
}

RateBound BinomialBound(double chance, uint64_t num_trials, double num_sigmas) {
  const double variance = chance * (1 - chance) / static_cast<double>(num_trials);
  return {.predicted = chance,
          .sigma = std::sqrt(variance),
          .num_sigmas = num_sigmas,
          .num_trials = num_trials};
}

RateBound FprBound(const Geometry& geometry, uint64_t num_keys, uint64_t num_queries,
                   double num_sigmas) {
  RateBound bound = BinomialBound(PredictedFpr(geometry, num_keys), num_queries, num_sigmas);
  bound.sigma = std::sqrt(bound.sigma * bound.sigma + FilterVariance(geometry, num_keys));
  return bound;
}

RateBound FilterFprBound(const Geometry& geometry, uint64_t num_keys, double num_sigmas) {
  return {.predicted = MeanProductMoment(geometry, num_keys, 1),
          .sigma = std::sqrt(FilterVariance(geometry, num_keys)),
          .num_sigmas = num_sigmas,
          .num_trials = 0};
}

double FilterVariance(const Geometry& geometry, uint64_t num_keys) {
  const double mean = MeanProductMoment(geometry, num_keys, 1);
  const double mean_square = MeanProductMoment(geometry, num_keys, 2);
  const double variance = std::max(0.0, mean_square - mean * mean);  // 0 but for rounding when full
  return variance / static_cast<double>(geometry.num_blocks);
}

double BlockProductMoment(uint64_t load, uint32_t num_slices, int power) {
  const double i = static_cast<double>(load);
  const double m = kernels::SlicePositions(num_slices);
  const double empty = std::pow((m - 1) / m, i);
  const double empty_square = empty / m + (m - 1) / m * std::pow((m - 2) / m, i);
  const double moment = power == 1 ? 1 - empty : 1 - 2 * empty + empty_square;
  return std::pow(std::max(0.0, moment), static_cast<double>(num_slices));
}

}  // namespace trommel::tests
