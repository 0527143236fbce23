// The paper on split counting Bloom filters.
#include "bench/paper/scbf/scbf.h"

#include <numbers>

#include "bench/paper/report/random.h"
#include "bench/paper/report/report.h"
#include "bench/paper/report_checks.h"
#include "engine/src/classic/formulas.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("every reading of the text's rules loses live keys, the oldest rule none", "[paper]") {
  using classic::EraseRule;
  using classic::InsertRule;
  const auto run = [](InsertRule insert, EraseRule erase) {
    return RunErasing({400, 0x1p-4, insert, erase}, 2'000, RandomStream(Catch::rngSeed(), 6));
  };
  for (const auto erase : {EraseRule::kEverywhere, EraseRule::kNewest, EraseRule::kOldest}) {
    const ErasingTrial trial = run(InsertRule::kBelowHalf, erase);
    CHECK(trial.num_live == 2'000);
    CHECK(trial.num_lost > 0);
  }
  CHECK(run(InsertRule::kOldestShowing, EraseRule::kOldest).num_lost == 0);
}

TEST_CASE("rates of generations are modelled, and each row of erasing names its generations",
          "[paper]") {
  const Report report{.tables = ScbfGenerations({.seed = Catch::rngSeed(), .quick = true})};
  CheckNothingContradicts(report);
  // The text has no figure of P_d: nothing to agree with.
  for (const Row& row : report.tables[0].rows) CHECK(Judge(row) == Verdict::kAsModelled);
  for (const Row& row : report.tables[1].rows) {
    CHECK(row.note.find(" generations. ") != std::string::npos);
  }
  CHECK(VerdictOf(report, "Scalable filter: live", "into one below half, from the oldest") ==
        "source is wrong");
  CHECK(VerdictOf(report, "Scalable filter: live", "into the newest, from each") ==
        "source is silent");
  CHECK(RowOf(report, "Scalable filter: live", "into the oldest that shows").measured == 0);
}

TEST_CASE("the worked example of figures 1 to 5 agrees", "[paper]") {
  const Report report{.tables = {ScbfFigures({.seed = Catch::rngSeed(), .quick = true})}};
  CHECK(report.tables[0].rows.size() == 9);
  for (const Row& row : report.tables[0].rows) {
    INFO(row.what);
    CHECK(Judge(row) == Verdict::kAgrees);
  }
}

TEST_CASE("one minus the sum is the rounding step that Table 4 prints", "[paper]") {
  CHECK(TailBySubtraction(std::numbers::ln2, 2) == Catch::Approx(0.15343).epsilon(1e-4));
  CHECK(TailBySubtraction(std::numbers::ln2, 16) == 0x1p-52);
  CHECK(TailBySubtraction(0, 1) == 0);
}

TEST_CASE("overflow is the same in both structures, and Tables 2 and 3 lack a factor", "[paper]") {
  const Report report{.tables = ScbfOverflow({.seed = Catch::rngSeed(), .quick = true})};
  CheckNothingContradicts(report);
  for (const char* bits : {"1 bit:", "2 bits:", "3 bits:", "4 bits:", "5 bits:"}) {
    CHECK(VerdictOf(report, "Tables 2", bits) == "slip of the source");
    CHECK(RowOf(report, "Tables 2", bits).exact == RowOf(report, "Table 4", bits).exact);
  }
  CHECK(VerdictOf(report, "Table 4", "3 bits:") == "agrees");
  CHECK(VerdictOf(report, "Table 4", "4 bits:") == "source is wrong");
  CHECK(VerdictOf(report, "The maximum", "3 bits, split") == "source is wrong");
}

TEST_CASE("importance sampling estimates the binomial tail, near and far", "[paper]") {
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

TEST_CASE("all figures of Table 1 agree", "[paper]") {
  const Report report{.tables = {ScbfSizing({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  REQUIRE(report.tables[0].rows.size() == 16);
  for (const Row& row : report.tables[0].rows) {
    INFO(row.what);
    CHECK(Judge(row) == Verdict::kAgrees);
  }
}

TEST_CASE("the paper on split counting filters is reproduced", "[paper]") {
  const Report report = ScbfReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(report.tables.size() == 7);
}

}  // namespace

}  // namespace trommel::paper
