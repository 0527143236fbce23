#include "bench/sweep/zipf.h"

#include <algorithm>
#include <cmath>

namespace trommel::bench {
namespace {

// log1p(x) / x and expm1(x) / x, also at 0, which is the case of skew 1.
double LogQuotient(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x / 2; }
double ExpQuotient(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x / 2; }

}  // namespace

// Ranks are counted from 1 here. Rank k has the part of the curve x^-skew from k - 1/2 to k + 1/2,
// whose area is larger than k^-skew; the excess is rejected. Rank 1's part is cut so that it is
// exactly 1.
Zipf::Zipf(uint64_t num_ranks, double skew)
    : num_ranks_(num_ranks),
      skew_(skew),
      first_area_(Area(1.5) - 1),
      last_area_(Area(static_cast<double>(num_ranks) + 0.5)),
      accept_width_(2 - InverseArea(Area(2.5) - std::exp(-skew * std::log(2.0)))) {}

uint64_t Zipf::operator()(std::mt19937_64& engine) const {
  for (;;) {
    const double uniform = std::uniform_real_distribution<double>()(engine);
    const double area = last_area_ + uniform * (first_area_ - last_area_);
    const double x = InverseArea(area);
    const double rank = std::clamp(std::round(x), 1.0, static_cast<double>(num_ranks_));
    // Most draws need only the first test.
    if (rank - x <= accept_width_ || area >= Area(rank + 0.5) - std::exp(-skew_ * std::log(rank))) {
      return std::min(static_cast<uint64_t>(rank), num_ranks_) - 1;
    }
  }
}

double Zipf::Area(double x) const {
  const double log_x = std::log(x);
  return ExpQuotient((1 - skew_) * log_x) * log_x;
}

double Zipf::InverseArea(double area) const {
  const double t = std::max(-1.0, area * (1 - skew_));
  return std::exp(LogQuotient(t) * area);
}

}  // namespace trommel::bench
