#include "bench/paper/range.h"

#include <cmath>

namespace trommel::paper {
namespace {

constexpr double kSigmas = 6;

}  // namespace

Range SigmaRange(double mean, double sigma) {
  return {mean - kSigmas * sigma, mean + kSigmas * sigma};
}

Range BinomialRange(double chance, uint64_t num_trials, double extra_sigma) {
  const double n = static_cast<double>(num_trials);
  const double sigma = std::hypot(std::sqrt(chance * (1 - chance) / n), extra_sigma);
  const double margin = kSigmas * sigma + kSigmas * kSigmas / 6 / n;
  return {chance - margin, chance + margin};
}

Range PoissonRange(double mean, uint64_t num_trials) {
  const double n = static_cast<double>(num_trials);
  const double margin = kSigmas * std::sqrt(mean / n) + kSigmas * kSigmas / 6 / n;
  return {mean - margin, mean + margin};
}

}  // namespace trommel::paper
