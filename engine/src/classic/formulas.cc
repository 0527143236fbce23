#include "engine/src/classic/formulas.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "engine/src/base/check.h"
#include "engine/src/classic/geometry.h"

namespace trommel::classic {
namespace {

constexpr double kLn2 = std::numbers::ln2;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The sum of a falling series whose first term is e^log_first and whose term i + 1 is term i times
// ratio(i), up to what a double can tell.
template <class Ratio>
double SumFrom(double log_first, const Ratio& ratio) {
  double term = 1;  // relative to the first: which may be far below the least double's square root
  double sum = 1;
  for (uint64_t i = 0; term > sum * 1e-18; ++i) {
    term *= ratio(i);
    sum += term;
  }
  return std::exp(log_first + std::log(sum));
}

// (x / j)^j / sqrt(2 pi j).
double StirlingTerm(double x, uint64_t count) {
  if (count == 0 || !(x >= 0)) return kNan;
  const auto j = static_cast<double>(count);
  return std::pow(x / j, j) / std::sqrt(2 * std::numbers::pi * j);
}

}  // namespace

uint32_t NumHashesFor(double target_fpr) {
  const double num_hashes = std::ceil(-std::log2(target_fpr));
  TROMMEL_CHECK(num_hashes >= 1 && num_hashes <= kMaxHashes,  // NaN fails, too
                "a rate must be below 1, and at least 2^-64");
  return static_cast<uint32_t>(num_hashes);
}

PublishedSplit PublishedSplitFor(uint64_t total_positions, double target_fpr) {
  const uint32_t num_hashes = NumHashesFor(target_fpr);
  TROMMEL_CHECK(total_positions >= num_hashes && total_positions <= uint64_t{1} << 48,
                "positions must be at least one per slice, and at most 2^48");
  const double capacity =
      static_cast<double>(total_positions) * kLn2 * kLn2 / -std::log(target_fpr);
  return {.num_hashes = num_hashes,
          .slice_positions = total_positions / num_hashes,
          .capacity = static_cast<uint64_t>(capacity)};
}

uint64_t SlicePositionsFor(uint32_t num_hashes, uint64_t num_keys, double target_fpr) {
  uint64_t low = 0;  // not enough
  uint64_t high = kMaxPositions;
  TROMMEL_CHECK(SplitFpr(num_hashes, high, num_keys) <= target_fpr,
                "no slice can have the positions that these keys need");
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (SplitFpr(num_hashes, middle, num_keys) <= target_fpr ? high : low) = middle;
  }
  return high;
}

double Fill(uint64_t num_positions, uint64_t num_hashed) {
  if (num_positions == 0) return kNan;
  if (num_hashed == 0) return 0;
  const double empty =
      static_cast<double>(num_hashed) * std::log1p(-1 / static_cast<double>(num_positions));
  return -std::expm1(empty);
}

double SplitFpr(uint32_t num_hashes, uint64_t slice_positions, uint64_t num_keys) {
  return std::pow(Fill(slice_positions, num_keys), num_hashes);
}

double BloomFprSecondOrder(uint32_t num_hashes, uint64_t num_positions, uint64_t num_keys) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  const bool is_countable = num_hashes == 0 || num_keys <= kMost / num_hashes;
  const uint64_t num_hashed = is_countable ? num_hashes * num_keys : kMost;
  const double fill = Fill(num_positions, num_hashed);
  const double first = std::pow(fill, num_hashes);
  if (num_hashed == 0 || num_positions <= 1 || num_hashes < 2) return first;
  // Var F with q = 1 - f the mean share of empty positions: two positions are both empty with
  // chance (1 - 2/M)^N = q^2 (1 - 1/(M-1)^2)^N, a little below q^2.
  const auto m = static_cast<double>(num_positions);
  const double empty = 1 - fill;
  const double pair =
      std::expm1(static_cast<double>(num_hashed) * std::log1p(-1 / ((m - 1) * (m - 1))));
  const double variance = empty * fill / m + empty * empty * (1 - 1 / m) * pair;
  const double k = num_hashes;
  return first + k * (k - 1) / 2 * std::pow(fill, k - 2) * variance;
}

double PoissonTail(double load, uint64_t count) {
  if (!(load >= 0)) return kNan;
  if (count == 0) return 1;
  if (load == 0) return 0;
  const auto j = static_cast<double>(count);
  // Up from j where terms fall, else down from j - 1: never over the hump.
  if (j > load) {
    return SumFrom(j * std::log(load) - load - std::lgamma(j + 1),
                   [=](uint64_t i) { return load / (j + 1 + static_cast<double>(i)); });
  }
  return 1 - SumFrom((j - 1) * std::log(load) - load - std::lgamma(j),
                     [=](uint64_t i) { return (j - 1 - static_cast<double>(i)) / load; });
}

double BinomialTail(uint64_t num_hashed, uint64_t num_positions, uint64_t count) {
  if (num_positions == 0) return kNan;
  if (count == 0) return 1;
  if (count > num_hashed) return 0;
  if (num_positions == 1) return 1;
  const auto n = static_cast<double>(num_hashed);
  const auto j = static_cast<double>(count);
  const double p = 1 / static_cast<double>(num_positions);
  const double odds = p / (1 - p);
  const auto log_chance = [=](double i) {  // of exactly i
    // Where i is small the factors of n! / (n - i)! are multiplied: lgamma(n) would be cancelled.
    double log_choices = -std::lgamma(i + 1);
    if (i < 1000) {
      for (int f = 0; f < static_cast<int>(i); ++f) log_choices += std::log(n - f);
    } else {
      log_choices += std::lgamma(n + 1) - std::lgamma(n - i + 1);
    }
    return log_choices + i * std::log(odds) + n * std::log1p(-p);
  };
  if (j > n * p) {
    return SumFrom(log_chance(j), [=](uint64_t i) {
      const double at = j + static_cast<double>(i);
      return (n - at) / (at + 1) * odds;
    });
  }
  return 1 - SumFrom(log_chance(j - 1), [=](uint64_t i) {
           const double at = j - 1 - static_cast<double>(i);
           return at / (n - at + 1) / odds;
         });
}

double OverflowBound(double load, uint64_t count) {
  return StirlingTerm(std::numbers::e * load, count);
}

double OverflowAsPrinted(double load, uint64_t count) { return StirlingTerm(load, count); }

}  // namespace trommel::classic
