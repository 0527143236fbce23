// Ranges hold what chance gives, and no more.
#include "bench/paper/range.h"

#include "bench/paper/random_stream.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("ranges are six standard deviations wide on each side", "[paper]") {
  const Range sigma = SigmaRange(10, 0.5);
  CHECK(sigma.low == Catch::Approx(7));
  CHECK(sigma.high == Catch::Approx(13));
  CHECK(sigma.Contains(7.01));
  CHECK_FALSE(sigma.Contains(6.99));
  CHECK_FALSE(sigma.Contains(13.01));
  // sqrt(0.25 / 10000) = 0.005, and six trials.
  CHECK(BinomialRange(0.5, 10'000).high == Catch::Approx(0.5 + 0.03 + 0.0006));
  CHECK(BinomialRange(0.5, 10'000, 0.12).low == Catch::Approx(0.5 - 6 * 0.1201041 - 0.0006));
  CHECK(PoissonRange(4, 100).high == Catch::Approx(4 + 6 * 0.2 + 0.06));
  CHECK(Exactly(3).Contains(3));
  CHECK_FALSE(Exactly(3).Contains(3.0000001));
}

TEST_CASE("shares of random events fall into their range, and others do not", "[paper]") {
  RandomStream random(Catch::rngSeed(), 1);
  constexpr uint64_t kNumTrials = 200'000;
  for (const double chance : {0.5, 0.01, 1e-5}) {
    uint64_t num_events = 0;
    for (uint64_t i = 0; i < kNumTrials; ++i) {
      num_events += static_cast<double>(random.Next() >> 11) * 0x1p-53 < chance;
    }
    const double share = static_cast<double>(num_events) / kNumTrials;
    CHECK(BinomialRange(chance, kNumTrials).Contains(share));
    CHECK_FALSE(BinomialRange(chance / 2 + 0.001, kNumTrials).Contains(share));
  }
}

}  // namespace
}  // namespace trommel::paper
