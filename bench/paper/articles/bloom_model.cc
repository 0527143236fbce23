#include "bench/paper/articles/bloom_model.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "bench/sides/fpr_bounds.h"
#include "engine/src/classic/filter.h"
#include "engine/src/classic/formulas.h"

namespace trommel::paper {
namespace {

constexpr uint32_t kMostHashes = 64;

}  // namespace

double BestBitsPerKey(double fpr) {
  return -std::log(fpr) / (std::numbers::ln2 * std::numbers::ln2);
}

double BitsPerKey(uint32_t num_hashes, double fpr) {
  const double k = num_hashes;
  return -k / std::log1p(-std::pow(fpr, 1 / k));
}

uint32_t BestHashes(double fpr) {
  uint32_t best = 1;
  for (uint32_t k = 2; k <= kMostHashes; ++k) {
    if (BitsPerKey(k, fpr) < BitsPerKey(best, fpr)) best = k;
  }
  return best;
}

double LeastBitsPerKey(double fpr) { return BitsPerKey(BestHashes(fpr), fpr); }

double FewestBitsPerKey(double fpr) { return std::log2(1 / fpr); }

double FprAt(double bits_per_key, uint32_t num_hashes) {
  const double k = num_hashes;
  return std::pow(-std::expm1(-k / bits_per_key), k);
}

double ExactFpr(uint32_t num_positions, uint32_t num_hashes, uint32_t num_keys) {
  const double m = num_positions;
  std::vector<double> chance(num_positions + 1,
                             0);  // [x]: the probability that x positions are set
  chance[0] = 1;
  for (uint32_t thrown = 0; thrown < num_hashes * num_keys; ++thrown) {
    for (uint32_t x = num_positions; x > 0; --x) {
      chance[x] = chance[x] * (x / m) + chance[x - 1] * (1 - (x - 1) / m);
    }
    chance[0] = 0;
  }
  double fpr = 0;
  for (uint32_t x = 0; x <= num_positions; ++x) fpr += chance[x] * std::pow(x / m, num_hashes);
  return fpr;
}

Row BloomRate(const std::string& what, const BloomTrial& trial, const RandomStream& members,
              const RandomStream& non_members) {
  classic::Filter filter({.kind = classic::Kind::kBloom,
                          .hashing = trial.hashing,
                          .num_hashes = trial.num_hashes,
                          .counter_bits = 1,
                          .num_positions = trial.num_positions});
  InsertRandom(filter, members, trial.num_keys);
  const double exact =
      classic::BloomFprSecondOrder(trial.num_hashes, trial.num_positions, trial.num_keys);
  Row row{.what = what, .exact = exact};
  row.measured = MeasuredFpr(filter, non_members, trial.num_non_members);
  if (trial.hashing == classic::Hashing::kMixed) {
    row.allowed = BinomialRange(
        exact, trial.num_non_members,
        bench::TextbookOwnSigma(trial.num_positions, trial.num_hashes, trial.num_keys));
  }
  return row;
}

}  // namespace trommel::paper
