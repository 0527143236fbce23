// Zipf's draws against the law they are to follow.
#include "bench/sweep/zipf.h"

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("every rank comes up as often as Zipf's law says", "[bench][zipf]") {
  const double skew = GENERATE(0.0, 0.5, 0.99, 1.0, 2.0);
  constexpr size_t kNumRanks = 50;
  constexpr double kNumDraws = 200'000;
  std::vector<double> law(kNumRanks);
  double sum = 0;
  for (size_t r = 0; r < kNumRanks; ++r)
    sum += law[r] = std::pow(static_cast<double>(r + 1), -skew);

  const Zipf zipf(kNumRanks, skew);
  std::mt19937_64 engine(7);
  std::vector<double> count(kNumRanks);
  for (double draw = 0; draw < kNumDraws; ++draw) {
    const uint64_t rank = zipf(engine);
    if (rank < kNumRanks) ++count[rank];
  }
  CHECK(std::accumulate(count.begin(), count.end(), 0.0) == kNumDraws);
  for (size_t r = 0; r < kNumRanks; ++r) {
    const double share = law[r] / sum;
    const double sigma = std::sqrt(kNumDraws * share * (1 - share));
    INFO("skew " << skew << " rank " << r);
    CHECK(std::abs(count[r] - kNumDraws * share) < 6 * sigma);
  }
}

TEST_CASE("one rank and billions of ranks can be drawn from", "[bench][zipf]") {
  std::mt19937_64 engine(7);
  CHECK(Zipf(1, 0.99)(engine) == 0);
  const Zipf zipf(uint64_t{1} << 40, 0.99);
  // The first rank's share is 1 / sum r^-0.99, about 1 / 32.
  int num_first = 0;
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t rank = zipf(engine);
    if (rank == 0) ++num_first;
    if (rank >= uint64_t{1} << 40) FAIL("rank " << rank);
  }
  CHECK(num_first > 150);
  CHECK(num_first < 500);
}

}  // namespace
}  // namespace trommel::bench
