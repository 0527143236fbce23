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

TEST_CASE("filters reach the rates of Table 3 in a hundredth of its memory", "[paper][cbfm]") {
  const Report report{.tables = CbfmSizing({.seed = Catch::rngSeed(), .quick = true})};
  for (const auto& [eps, rate] : {std::pair("eps = 1e-1", 0.1), std::pair("eps = 1e-2", 0.01)}) {
    const Row cells = RowOf(report, "Table 3", std::string(eps) + ", CBFM");
    CHECK(*cells.instead * 100 <= *cells.formula);
    const Row worst =
        RowOf(report, "The rates that the MB", std::string(eps) + ", AttributeFilter");
    CHECK(*worst.measured <= rate);
    CHECK(*worst.measured > 0);
  }
  CHECK(*RowOf(report, "The rates that the MB", "eps = 1e-1, the allowed pair").exact ==
        Catch::Approx(2.2e-12).epsilon(0.05));
}

TEST_CASE("a pair that no cut contains has a far lower rate in a cut matrix than in a whole one",
          "[paper][cbfm]") {
  const CbfmExperiment& experiment = QuickExperiment();
  CHECK(experiment.sides().size() == 8);
  const auto rate = [&](const char* name, size_t queried_idx, size_t step) {
    return experiment.At(experiment.SideNamed(name), queried_idx, step).answers.rate();
  };
  for (size_t step = 0; step <= kAlphaSteps; ++step) {
    CHECK(rate("CBFM, two cuts", 1, step) < 0.02 * rate("BFM", 1, step));
    CHECK(rate("CBFM, two cuts", 2, step) > 0.99);  // a pair that is cut
    CHECK(experiment.At(experiment.SideNamed("SBF"), 1, step).answers.num_queried == 0);
  }
}

TEST_CASE("separate attributes answer \"maybe present\" for any combination of values that are in",
          "[paper][cbfm]") {
  const CbfmExperiment& experiment = QuickExperiment();
  const size_t mdbf = experiment.SideNamed("MDBF");
  const bench::NonMemberAnswers all = experiment.At(mdbf, 0, kAlphaSteps).answers;
  CHECK(all.num_maybe == all.num_queried);
  CHECK(all.num_combination == all.num_queried);
  const bench::NonMemberAnswers none = experiment.At(mdbf, 0, 0).answers;
  CHECK(none.num_combination == 0);
  CHECK(none.rate() < 0.02);
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

TEST_CASE("a split query for parts of different tuples is a false positive", "[paper][cbfm]") {
  const Report report{.tables = {CbfmCombinations(QuickExperiment())}};
  CheckNothingContradicts(report);
  for (const char* split : {"MDBF", "CBFM, two cuts", "AttributeFilter"}) {
    CHECK(RowOf(report, "Combination", split).measured == 1);
  }
  for (const char* whole : {"SBF", "CMDBF", "BFM", "CBFM, one cut"}) {
    CHECK(RowOf(report, "Combination", whole).measured == 0);
  }
}

TEST_CASE("filters reach a matrix's rate with more memory where tuples are as many as cells",
          "[paper][cbfm]") {
  Report report;
  CbfmCrossover(kQuickCbfm, QuickExperiment(), report);
  CheckNothingContradicts(report);
  const char* table = "Crossover: the memory";
  CHECK(RowOf(report, table, "query {0}, MB").formula == 0);  // the matrix says nothing
  const double pair = *RowOf(report, table, "query {1,2}, MB").formula;
  CHECK(pair > 16.0 * 20'000 / 1e7);
  CHECK(RowOf(report, table, "query {0,1,2}, MB").formula == pair);
  const double tuples = *RowOf(report, "Crossover by tuples", "tuples at which").formula;
  CHECK(tuples > 500'000);
  CHECK(tuples < 10'000'000);
}

TEST_CASE("a filter for a rate of one half or more takes no memory", "[paper][cbfm]") {
  CHECK(FilterBytes(1000, 1) == 0);
  CHECK(FilterBytes(1000, 0.1) > 0);
  CHECK(FilterBytes(1'000'000, 1e-4) > FilterBytes(1'000'000, 1e-2));
  CHECK(FilterBytes(1000, 1e-30) == FilterBytes(1000, 1e-6));
}

TEST_CASE("later triples are queried after earlier ones were inserted", "[paper][cbfm]") {
  const tests::ScratchFolder folder;
  const std::string path = (folder / "triples.tsv").string();
  {
    std::ofstream file(path);
    file << "src_ip\tdst_ip\tdomain\n";
    RandomStream random(1, 1);
    for (int i = 0; i < 4000; ++i) {
      file << "s" << random.Below(60) << "\td" << random.Below(40) << "\tn" << random.Below(300)
           << "\n";
    }
  }
  Report report;
  CbfmTriples({.seed = 1, .quick = true, .triples = path}, report);
  REQUIRE(report.tables.size() == 2);
  REQUIRE(report.charts.size() == 2);
  CheckNothingContradicts(report);
  const Chart& pair = report.charts[1];
  const auto line = [&](std::string_view name) {
    for (const Line& one : pair.lines) {
      if (one.name == name) return one.y;
    }
    return std::vector<double>();
  };
  const std::vector<double> cbfm = line("CBFM, two cuts");
  const std::vector<double> mdbf = line("MDBF");
  REQUIRE(cbfm.size() == pair.x.size());
  CHECK(cbfm.back() < 0.01);  // with memory, only what hashes do
  CHECK(mdbf.back() > 0.99);  // every value is in: combinations
  CHECK(line("BFM")[1] > cbfm[1]);
  CHECK(line("AttributeFilter, no cuts").back() < 0.01);
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

TEST_CASE("single queries and threads are timed beside BFM", "[paper][cbfm]") {
  const Report alone{.tables = {CbfmTimesAlone(kQuickCbfm, QuickExperiment())}};
  CheckNothingContradicts(alone);
  for (const char* what : {"negatives: CBFM, one cut / BFM", "positives: CBFM, two cuts / MDBF",
                           "positives: AttributeFilter, MayContain /"}) {
    CHECK(*RowOf(alone, "Fig. 10: ns per query, one", what).measured > 0);
  }
  const Report shared{.tables = {CbfmTimesShared(kQuickCbfm, QuickExperiment())}};
  CheckNothingContradicts(shared);
  CHECK(*RowOf(shared, "Fig. 10: ns per query, with", "CBFM, one cut, all threads / BFM").measured >
        0);
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

TEST_CASE("memory against attributes is formula (4)'s, and a cut saves two orders",
          "[paper][cbfm]") {
  Report report;
  CbfmMemory({.seed = 1, .quick = true}, report);
  CheckNothingContradicts(report);
  const Row four = RowOf(report, "Fig. 11", "4 attributes, CBFM");
  CHECK(*four.formula == Catch::Approx(481.0 * 481 * (481.0 * 481 - 480.0 * 480) / 8));
  CHECK(*four.formula == Catch::Approx(*four.exact));
  CHECK(*four.measured == Catch::Approx(*four.exact).epsilon(1e-3));
  CHECK(*four.instead < *four.measured / 500);
  CHECK(VerdictOf(report, "Fig. 11", "4 attributes: BFM over") == "agrees");
}

TEST_CASE("the paper on cut matrices is reproduced with few tuples", "[paper][cbfm]") {
  const Report report = CbfmReport({.seed = 4, .quick = true, .tuples = 3000});
  CheckNothingContradicts(report);
  CHECK(report.tables.size() == 21);
  CHECK(report.charts.size() == 8);
}

}  // namespace

}  // namespace trommel::paper
