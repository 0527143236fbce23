// Tables and figures of the paper on cut Bloom filter matrices, at a small size.
#include "bench/paper/cbfm/cbfm.h"

#include <fstream>

#include "bench/paper/report/random.h"
#include "bench/paper/report_checks.h"
#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel::paper {
namespace {

// One small experiment of figures 7 to 10, for all tests of what is made of it.
const Options kQuickCbfm{.seed = 6, .quick = true};

const CbfmExperiment& QuickExperiment() {
  static const CbfmExperiment experiment(kQuickCbfm);
  return experiment;
}

TEST_CASE("tables 2 and 3 follow from the formulas except for two truncated figures",
          "[paper][cbfm]") {
  const Report report{.tables = CbfmSizing({.seed = Catch::rngSeed(), .quick = true})};
  REQUIRE(report.tables.size() == 3);
  CheckNothingContradicts(report);
  const struct {
    const char* eps;
    double bfm_tuples, cbfm_tuples, bfm_megabytes, cbfm_megabytes;
  } printed[] = {{"eps = 1e-1", 42, 604, 13'126.00, 2.74},
                 {"eps = 1e-2", 21, 302, 105'008.00, 10.96},
                 {"eps = 1e-3", 14, 201, 354'328.05, 24.65},
                 {"eps = 1e-4", 10, 151, 839'932.53, 43.81},
                 {"eps = 1e-5", 8, 121, 1'640'339.20, 68.46}};
  for (const auto& row : printed) {
    const std::string eps = row.eps;
    CHECK(RowOf(report, "Table 2", eps + ", BFM").formula == row.bfm_tuples);
    CHECK(RowOf(report, "Table 2", eps + ", CBFM").formula == row.cbfm_tuples);
    CHECK(*RowOf(report, "Table 3", eps + ", BFM").formula == Catch::Approx(row.bfm_megabytes));
    CHECK(*RowOf(report, "Table 3", eps + ", CBFM").formula == Catch::Approx(row.cbfm_megabytes));
    CHECK(VerdictOf(report, "Table 2", eps + ", BFM") == "agrees");
    CHECK(VerdictOf(report, "Table 2", eps + ", CBFM") == "agrees");
    CHECK(VerdictOf(report, "Table 3", eps + ", CBFM") == "agrees");
  }
  CHECK(VerdictOf(report, "Table 3", "eps = 1e-1, BFM") == "slip of the source");
  CHECK(VerdictOf(report, "Table 3", "eps = 1e-2, BFM") == "slip of the source");
  CHECK(VerdictOf(report, "Table 3", "eps = 1e-3, BFM") == "agrees");
}

TEST_CASE("figure 7 has a model beside every figure", "[paper][cbfm]") {
  Report report;
  CbfmSynthetic(kQuickCbfm, QuickExperiment(), report);
  CHECK(report.tables.size() == 5);
  CHECK(report.charts.size() == 3);
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Fig. 7a", "MDBF, alpha = 1") == "agrees");
  CHECK(VerdictOf(report, "Fig. 7b: the pair", "BFM, alpha = 1") == "agrees");
  CHECK(RowOf(report, "Fig. 7b: the pair", "CBFM, two cuts, alpha = 1").paper == 0.0021);
  CHECK(report.charts[0].x.size() == 11);
  CHECK(report.charts[0].lines.size() == 8);
  CHECK(report.charts[1].lines.size() == 7);  // SBF does not answer
}

TEST_CASE("the printed rate fits both cuts with all tuples, or one cut with half of them",
          "[paper][cbfm]") {
  const Report report{.tables = {CbfmReadings(QuickExperiment(), 3)}};
  CheckNothingContradicts(report);
  for (const char* fits : {"two cuts, 20,000", "one cut, 10,000"}) {
    CHECK(*RowOf(report, "What 0.21", fits).exact == Catch::Approx(0.0022).epsilon(0.15));
  }
  for (const char* no_fit : {"two cuts, 10,000", "one cut, 20,000"}) {
    CHECK(VerdictOf(report, "What 0.21", no_fit) == "shown");
  }
}

TEST_CASE("without a file triples are made, the same for the same seed", "[paper][cbfm]") {
  const TripleLog log = MakeTriples(3'000, 5);
  CHECK(log.triples == MakeTriples(3'000, 5).triples);
  CHECK(log.triples != MakeTriples(3'000, 6).triples);
  REQUIRE(log.triples.size() == 3'000);
  for (const Triple& triple : log.triples) {
    for (size_t i = 0; i < 3; ++i) REQUIRE(triple[i] < log.values[i].size());
  }
  // Values repeat, and most triples are new: some come again.
  const TripleSet different(0b111, log.triples);
  CHECK(different.size() > 1'000);
  CHECK(different.size() < 2'950);
  Report report;
  CbfmTriples({.seed = 5, .quick = true}, report);
  REQUIRE(report.tables.size() == 2);
  CheckNothingContradicts(report);
  CHECK(report.tables[0].text.find("made-up rows") != std::string::npos);
  // The paper compares no two structures there: nothing to agree with.
  CHECK(VerdictOf(report, "Fig. 8a", "sizes at which BFM has a lower") == "shown");
  CHECK(VerdictOf(report, "Fig. 8b", "sizes at which CBFM's") != "shown");
}

TEST_CASE("2 to 3 times are neither 1.9 nor 3.1", "[paper][cbfm]") {
  const auto verdict = [](double ratio, bool is_ours) {
    Row row{.measured = ratio};
    JudgeTwoToThree(row, is_ours);
    return Judge(row);
  };
  for (const bool is_ours : {false, true}) {
    CHECK(verdict(2, is_ours) == Verdict::kAgrees);
    CHECK(verdict(3, is_ours) == Verdict::kAgrees);
    CHECK(verdict(3.1, is_ours) == Verdict::kDoesNotReproduce);
  }
  CHECK(verdict(1.9, false) == Verdict::kDoesNotReproduce);
  CHECK(verdict(1.9, true) == Verdict::kSoundForm);
}

TEST_CASE("no weights give both printed gains", "[paper][cbfm]") {
  const Report report{.tables = CbfmWeights(kQuickCbfm, QuickExperiment())};
  CheckNothingContradicts(report);
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      if (row.what != "nearest reading: whole") CHECK(Judge(row) != Verdict::kAgrees);
    }
  }
  // What comes nearest: whole tuples gain what is printed, the pair one order at most.
  CHECK(VerdictOf(report, "Fig. 9: what weights", "nearest reading: whole") == "agrees");
  const Row pair = RowOf(report, "Fig. 9: what weights", "nearest reading: pair");
  CHECK(*pair.formula > 5);
  CHECK(*pair.formula < 50);
  CHECK(*RowOf(report, "Fig. 9: weights w", "w = 16, pair").exact > 5);
  CHECK(*RowOf(report, "Fig. 9: what weights", "two cuts, 20,000 tuples: pair").formula < 1.05);
}

TEST_CASE("the paper on cut matrices is reproduced with few tuples", "[paper][cbfm]") {
  const Report report = CbfmReport({.seed = 4, .quick = true, .tuples = 3000});
  CheckNothingContradicts(report);
  CHECK(report.tables.size() == 21);
  CHECK(report.charts.size() == 8);
}

}  // namespace

}  // namespace trommel::paper
