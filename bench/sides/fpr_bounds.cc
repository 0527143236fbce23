#include "bench/sides/fpr_bounds.h"

#include <algorithm>
#include <cmath>

namespace trommel::bench {
namespace {

// Calls visit(i, P(i)) for the loads of a block that matter: Binomial(num_keys, 1 / num_blocks).
template <class Visit>
void ForEachLoad(uint64_t num_keys, uint64_t num_blocks, const Visit& visit) {
  const double n = static_cast<double>(num_keys);
  const double p = 1 / static_cast<double>(num_blocks);
  if (num_blocks == 1) return visit(n, 1.0);
  const double mean = n * p;
  const double reach = 12 * std::sqrt(mean) + 40;
  const double last = std::min(n, std::floor(mean + reach));
  for (double i = std::max(0.0, std::floor(mean - reach)); i <= last; ++i) {
    const double log_choose = std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1);
    visit(i, std::exp(log_choose + i * std::log(p) + (n - i) * std::log1p(-p)));
  }
}

}  // namespace

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
  double mean = 0;
  double mean_square = 0;
  ForEachLoad(num_keys, geometry.num_blocks, [&](double i, double chance) {
    const double one_empty = std::pow(1 - 1 / m, i);
    const double two_empty = std::pow(1 - 2 / m, i);
    const double fill = 1 - one_empty;
    const double both_set = 1 - 2 * one_empty + two_empty;  // of two different positions
    const double fill_square = (fill + (m - 1) * both_set) / m;
    mean += chance * std::pow(fill, k);
    mean_square += chance * std::pow(fill_square, k);
  });
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
