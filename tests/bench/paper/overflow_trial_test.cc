// Counters of filled filters, and the tail by tilted sampling.
#include "bench/paper/overflow_trial.h"

#include "bench/paper/range.h"
#include "support/catch.h"
#include "trommel/classic/formulas.h"

namespace trommel::paper {
namespace {

TEST_CASE("tilted sampling meets the binomial tail, near and far", "[paper]") {
  for (const uint32_t count : {1, 2, 8, 16, 32}) {
    const double exact = classic::BinomialTail(700, 1'000, count);
    const TailEstimate estimate =
        EstimateTail(700, 1'000, count, 20'000, RandomStream(Catch::rngSeed(), count));
    INFO(count << ": " << estimate.chance << " of " << exact);
    CHECK(SigmaRange(exact, estimate.sigma).Contains(estimate.chance));
    CHECK(estimate.sigma < 0.05 * exact);
    CHECK(estimate.sigma > 0);
  }
}

TEST_CASE("counters of both structures are counted, each filter on its own", "[paper]") {
  for (const auto kind : {classic::Kind::kSplitCounting, classic::Kind::kCountingBloom}) {
    const bool split = kind == classic::Kind::kSplitCounting;
    const auto trial = RunOverflow({.kind = kind,
                                    .hashing = classic::Hashing::kMixed,
                                    .num_hashes = 4,
                                    .num_positions = split ? uint64_t{1'000} : uint64_t{4'000}},
                                   693, 10, Catch::rngSeed());
    CHECK(trial.num_counters == 40'000);
    CHECK(trial.CounterShare(0) == 1);
    CHECK(trial.FilterShare(1) == 1);
    CHECK(trial.FilterShare(200) == 0);
    const double half = classic::BinomialTail(693, 1'000, 1);
    CHECK(BinomialRange(half, trial.num_counters).Contains(trial.CounterShare(1)));
    const double two = classic::BinomialTail(693, 1'000, 2);
    CHECK(BinomialRange(two, trial.num_counters, 1e-3).Contains(trial.CounterShare(2)));
  }
}

}  // namespace
}  // namespace trommel::paper
