#include "bench/sides/fpr_bounds.h"

#include <algorithm>
#include <cmath>

#include "engine/src/sizing/block_load.h"

namespace trommel::bench {

double BinomialSigma(double fpr, uint64_t num_queries) {
  return std::sqrt(fpr * (1 - fpr) / static_cast<double>(num_queries));
}

double BlockFprSigma(const Geometry& geometry, uint64_t num_keys, uint64_t num_queries) {
  if (HasFingerprints(geometry.encoding)) {
    const double fpr = PredictedFpr(geometry, num_keys);
    return std::hypot(BinomialSigma(fpr, num_queries), fpr / std::sqrt(num_keys));
  }
  const double k = geometry.num_slices;
  const double m = geometry.slice_positions();
  // The mean over blocks of the product of their slices' fills, or of its square.
  const auto moment = [&](bool is_square) {
    return MeanOverKeys(num_keys, geometry.num_blocks, [&](uint64_t load) {
      const auto i = static_cast<double>(load);
      const double one_empty = std::pow(1 - 1 / m, i);
      const double fill = 1 - one_empty;
      if (!is_square) return std::pow(fill, k);
      const double both_set = 1 - 2 * one_empty + std::pow(1 - 2 / m, i);  // different positions
      return std::pow((fill + (m - 1) * both_set) / m, k);
    });
  };
  const double mean = moment(false);
  const double mean_square = moment(true);
  const double variance =
      std::max(0.0, mean_square - mean * mean) / static_cast<double>(geometry.num_blocks);
  return std::hypot(BinomialSigma(mean, num_queries), std::sqrt(variance));
}

namespace {

double TextbookFill(uint64_t num_counters, uint32_t num_hashes, uint64_t num_keys) {
  const double k = num_hashes;
  return -std::expm1(-k * static_cast<double>(num_keys) / static_cast<double>(num_counters));
}

}  // namespace

double TextbookOwnSigma(uint64_t num_counters, uint32_t num_hashes, uint64_t num_keys) {
  const double k = num_hashes;
  const double fill = TextbookFill(num_counters, num_hashes, num_keys);
  const double fill_sigma = std::sqrt(fill * (1 - fill) / static_cast<double>(num_counters));
  return k * std::pow(fill, k - 1) * fill_sigma;
}

double TextbookFprSigma(uint64_t num_counters, uint32_t num_hashes, uint64_t num_keys,
                        uint64_t num_queries) {
  const double fpr = std::pow(TextbookFill(num_counters, num_hashes, num_keys), num_hashes);
  return std::hypot(BinomialSigma(fpr, num_queries),
                    TextbookOwnSigma(num_counters, num_hashes, num_keys));
}

}  // namespace trommel::bench
