// Every trial at a small size: all sides are measured, answers are proved, and targets are judged.
#include <algorithm>
#include <cmath>

#include "bench/trials/attribute_trial.h"
#include "bench/trials/encoding_trial.h"
#include "bench/trials/family_trial.h"
#include "bench/trials/thread_trials.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the encoding trial measures every side, and proves that all are emptied again",
          "[bench][encoding]") {
  const uint32_t run_slices = GENERATE(4U, 5U, 8U, 10U);
  const EncodingOutcome outcome = RunEncodingTrial({.num_keys = 20'000,
                                                    .target_fpr = 0.02,
                                                    .run_slices = run_slices,
                                                    .rounds = 2,
                                                    .num_non_members = 10'000,
                                                    .seconds_per_ceiling = 1e-4});
  REQUIRE(outcome.wrong == "");
  REQUIRE(outcome.rows.size() == kMissChurnedRow + 1);
  for (const TrialRow& row : outcome.rows) {
    INFO(row.label);
    REQUIRE(row.sides.size() == kEncodingColumns.size());
    for (const EncodingColumn column : {kPlanesColumn, kRunsColumn}) {
      CHECK(row.sides[column].size() == 2);
      CHECK(Median(row.sides[column]) > 0);
    }
  }
  CHECK(outcome.rows[kEraseRow].sides[kTextbookColumn].size() == 2);
  CHECK(outcome.rows[kEraseRow].sides[kSplitBlockColumn].empty());
  CHECK(outcome.rows[kQueryMissRow].sides[kCeilingColumn].size() == 2);
}

TEST_CASE("memory includes the side table, and runs take less than half of the memory of planes",
          "[bench][encoding]") {
  const EncodingOutcome outcome = RunEncodingTrial({.num_keys = 50'000,
                                                    .target_fpr = 0.004,
                                                    .rounds = 1,
                                                    .num_non_members = 100'000,
                                                    .seconds_per_ceiling = 1e-4});
  REQUIRE(outcome.wrong == "");
  REQUIRE(outcome.memory.size() == kCeilingColumn);
  for (const EncodingMemory& memory : outcome.memory) {
    INFO(memory.side);
    CHECK(memory.fresh_bits_per_key == Approx(memory.predicted_bits_per_key).epsilon(0.05));
    // Blocks of fingerprints are made of their keys alone, but the spare room of side lists is made
    // of how they came: it may also be less.
    const bool has_fingerprints =
        &memory == &outcome.memory[kWideColumn] || &memory == &outcome.memory[kDenseColumn];
    const double least = has_fingerprints ? 0.95 : 1;
    CHECK(memory.bits_per_key >= least * memory.fresh_bits_per_key);
    CHECK(std::abs(memory.measured_fpr - memory.predicted_fpr) < 6 * memory.fpr_sigma);
    CHECK(memory.predicted_fpr <= 0.004);
  }
  const EncodingMemory& runs = outcome.memory[kRunsColumn];
  CHECK(runs.side_table_bytes > 0);
  CHECK(runs.fresh_promoted_share > 0);
  CHECK(runs.fresh_promoted_share < 2 * runs.predicted_promoted_share);
  CHECK(runs.promoted_share > runs.fresh_promoted_share);
  CHECK(runs.bits_per_key < 0.5 * outcome.memory[kPlanesColumn].bits_per_key);
  const std::string table = FormatMemory(outcome);
  CHECK(table.find("split-block") != std::string::npos);
  CHECK(table.find("nan") == std::string::npos);
}

// All ratios of runs to planes are `ratio`.
EncodingOutcome Outcome(uint64_t num_keys, double ratio) {
  EncodingOutcome outcome;
  outcome.request.num_keys = num_keys;
  outcome.request.target_fpr = 0.004;
  outcome.memory.resize(kSplitBlockColumn + 1);
  outcome.memory[kRunsColumn].bits_per_key = 22.5;
  outcome.memory[kRunsColumn].measured_fpr = 0.00401;
  outcome.memory[kRunsColumn].fpr_sigma = 0.00001;
  // No figures of other columns: their ratios are NaN, and their targets not met.
  for (int row = kInsertRow; row <= kMissChurnedRow; ++row) {
    outcome.rows.push_back(
        {"row", {{10, 10, 10}, {10 * ratio, 10 * ratio, 10 * ratio}, {}, {}, {}, {}, {}}});
  }
  return outcome;
}

// The verdicts on runs: their memory, and their speed beside planes.
std::vector<TargetVerdict> JudgeRuns(const EncodingOutcome& outcome) {
  std::vector<TargetVerdict> verdicts = Judge(outcome);
  std::erase_if(verdicts, [](const TargetVerdict& verdict) {
    return verdict.text.find("runs / planes") == std::string::npos &&
           !verdict.text.starts_with("runs:");
  });
  return verdicts;
}

size_t NumMet(const EncodingOutcome& outcome) {
  const auto verdicts = JudgeRuns(outcome);
  return static_cast<size_t>(std::ranges::count(verdicts, true, &TargetVerdict::is_met));
}

TEST_CASE("updates may take as long as with planes in memory, 2.5 times in cache",
          "[bench][encoding]") {
  CHECK(JudgeRuns(Outcome(30'000'000, 1)).size() == 5);
  CHECK(NumMet(Outcome(30'000'000, 1)) == 5);
  CHECK(NumMet(Outcome(30'000'000, 1.1)) == 3);  // memory and both queries
  CHECK(NumMet(Outcome(1'000'000, 1.1)) == 5);
  CHECK(NumMet(Outcome(1'000'000, 2.4)) == 3);  // memory and both updates
  CHECK(NumMet(Outcome(1'000'000, 2.6)) == 1);
  CHECK(JudgeRuns(Outcome(5'000'000, 1)).size() == 3);  // neither: updates have no target
}

TEST_CASE("memory has a target at two rates, and a deviation by chance does not miss it",
          "[bench][encoding]") {
  EncodingOutcome outcome = Outcome(30'000'000, 1);
  outcome.memory[kRunsColumn].bits_per_key = 22.6;
  CHECK(NumMet(outcome) == 4);
  outcome = Outcome(30'000'000, 1);
  outcome.memory[kRunsColumn].measured_fpr = 0.00404;
  CHECK(NumMet(outcome) == 4);
  outcome.request.target_fpr = 0.0061;
  CHECK(NumMet(outcome) == 4);  // 22.5 bits are too many there
  outcome.memory[kRunsColumn].bits_per_key = 20;
  CHECK(NumMet(outcome) == 5);
  outcome.request.target_fpr = 0.01;
  CHECK(JudgeRuns(outcome).size() == 4);
  outcome.request.run_slices = 10;
  CHECK(JudgeRuns(outcome).empty());
}

TEST_CASE("the family trial measures every filter type beside a counting filter",
          "[bench][family]") {
  const FamilyOutcome outcome = RunFamilyTrial({.num_keys = 100'000}, 1);
  REQUIRE(outcome.wrong.empty());
  REQUIRE(outcome.rows.size() == std::size(kAllOps));
  for (const TrialRow& row : outcome.rows) {
    REQUIRE(row.sides.size() == kNumFamilySides);
    for (const Figures& figures : row.sides) {
      REQUIRE(figures.size() == 1);
      CHECK(figures[0] > 0);
    }
  }
  CHECK(FamilyColumns().size() == kNumFamilySides);
  CHECK(FamilyRatios().size() == kNumFamilySides - 1);
  CHECK_THAT(FormatFamilyMemory(outcome), ContainsSubstring("bits per key"));
}

TEST_CASE("the targets of queries of a window are multiples of a counting filter's time",
          "[bench][family]") {
  FamilyOutcome outcome;
  for (const Op op : {Op::kQueryHit, Op::kQueryMiss}) {
    outcome.rows.push_back({std::string(OpName(op)), std::vector<Figures>(kNumFamilySides, {10})});
  }
  outcome.rows[1].sides[kWindowSide] = {16};
  const std::string verdicts = JudgeFamily(outcome);
  CHECK_THAT(verdicts, ContainsSubstring("query hit of 8 buckets / counting <= 1.50: 1.00  met"));
  CHECK_THAT(verdicts, ContainsSubstring("query miss of 8 buckets / counting <= 1.50: 1.60  NOT"));
}

TEST_CASE("the attribute trial measures every side and proves its answers",
          "[bench][attributes][threads]") {
  const AttributeTrialOutcome outcome =
      RunAttributeTrial({.num_tuples = 10'000, .num_queries = 5'000, .rounds = 1});
  REQUIRE(outcome.wrong.empty());
  REQUIRE(outcome.indices.size() == 2);
  for (const TrialRow& row : outcome.indices) {
    REQUIRE(row.sides.size() == kIndexSides.size());
    for (const Figures& figures : row.sides) CHECK(figures.size() == 1);
  }
  REQUIRE(outcome.queries.size() == 4);
  for (const TrialRow& row : outcome.queries) {
    REQUIRE(row.sides.size() == kNumAttributeSides);
    for (size_t side = 0; side < kNumAttributeSides; ++side) {
      const bool is_full = side == kBfmSide && row.label.starts_with("{1,2}");
      INFO(row.label << ", side " << side);
      CHECK(row.sides[side].size() == (is_full ? 0 : 1));
    }
  }
  REQUIRE(outcome.singles.size() == 4);
  for (const TrialRow& row : outcome.singles) {
    REQUIRE(row.sides.size() == kSingleSides.size());
    for (const Figures& figures : row.sides) CHECK(figures.size() == 1);
  }
  REQUIRE(outcome.updates.size() == 2);
  for (const TrialRow& row : outcome.updates) {
    REQUIRE(row.sides.size() == 2);
    for (const Figures& figures : row.sides) CHECK(figures.size() == 1);
  }
  CHECK(outcome.threads.size() == 10);
  CHECK(outcome.bytes.size() == AttributeSideNames().size());
}

TEST_CASE("the targets of queries about attributes are judged by medians", "[bench][attributes]") {
  AttributeTrialOutcome outcome;
  outcome.indices = {{"i", {{100}, {5}}}};
  TrialRow query{"q", std::vector<Figures>(kNumAttributeSides, {10})};
  query.sides[kOneCutSide] = {13};
  query.sides[kLiteralSide] = {20};
  outcome.queries = {query};
  outcome.singles = {{"s", {{3}, {5}, {2}}}, {"slow", {{3}, {2}, {4}}}};
  outcome.updates = {{"u", {{3}, {8}}}, {"many", {{3}, {10}}}};
  outcome.threads = {{"t", {{3}, {2}}}, {"ceiling: line", {{3}, {3}}}};
  const std::string verdicts = JudgeAttributes(outcome);
  const auto line = [&](const std::string& what) {
    const size_t at = verdicts.find(what);
    REQUIRE(at != std::string::npos);
    return verdicts.substr(at, verdicts.find('\n', at) - at);
  };
  CHECK_THAT(line("i: literal / planned"),
             ContainsSubstring(" 20.00 ") && !ContainsSubstring("NOT"));
  CHECK_THAT(line("q: CBFM, one cut / BFM"), ContainsSubstring("NOT MET"));
  CHECK_THAT(line("q: CBFM, two cuts / BFM"), !ContainsSubstring("NOT MET"));
  CHECK_THAT(line("q: AttributeFilter / literal"), !ContainsSubstring("NOT MET"));
  CHECK_THAT(line("q: AttributeFilter / our"), ContainsSubstring("NOT MET"));
  CHECK_THAT(line("s, one at a time"), !ContainsSubstring("NOT MET"));
  CHECK_THAT(line("slow, one at a time"), ContainsSubstring("NOT MET"));
  CHECK_THAT(line("u: erase / insert"), !ContainsSubstring("NOT MET"));
  CHECK_THAT(line("many: erase / insert"), ContainsSubstring("NOT MET"));
  CHECK_THAT(line("t: one thread"), ContainsSubstring("NOT MET"));
  CHECK(verdicts.find("ceiling") == std::string::npos);
}

TEST_CASE("the route trial measures every side, the textbook filter only on request",
          "[bench][trial]") {
  const bool with_textbook = GENERATE(false, true);
  const Encoding encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  const auto rows = RunRouteTrial(20'000, {0.5, 1}, 2, with_textbook, encoding);
  REQUIRE(rows.size() == 4);  // insert and erase of two batches
  for (const TrialRow& row : rows) {
    REQUIRE(row.sides.size() == kRouteSides.size());
    for (size_t side = 0; side < 3; ++side) CHECK(row.sides[side].size() == 2);
    CHECK(row.sides[3].size() == (with_textbook ? 2 : 0));
    CHECK(Median(row.sides[0]) > 0);
  }
}

TEST_CASE("the sharing trials measure both sides of every row", "[bench][trial]") {
  const Encoding encoding =
      GENERATE(Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16, Encoding::kDense);
  const auto check = [](const std::vector<TrialRow>& rows, size_t num_rows, size_t num_sides) {
    REQUIRE(rows.size() == num_rows);
    for (const TrialRow& row : rows) {
      INFO(row.label);
      REQUIRE(row.sides.size() == num_sides);
      for (const Figures& figures : row.sides) CHECK(figures.size() == 1);
    }
  };
  check(RunSharedTrial(50'000, {64, 4096}, 1, encoding), 10, kSharedSides.size());
  check(RunCallerTrial(50'000, 2, 1, encoding), 4, kCallerSides.size());
}

TEST_CASE("the reader trial measures a reader alone and beside writers", "[bench][trial]") {
  const auto rows = RunReaderTrial(100'000, 1, Encoding::kFingerprints16);
  REQUIRE(rows.size() == 2);  // hits and misses
  for (const TrialRow& row : rows) {
    INFO(row.label);
    REQUIRE(row.sides.size() == kReaderSides.size());
    for (const Figures& figures : row.sides) {
      REQUIRE(figures.size() == 1);
      CHECK(figures[0] > 0);
    }
  }
}

TEST_CASE("the thread trial measures both sides of every row", "[bench][trial]") {
  for (const TrialRow& row : RunThreadTrial(100'000, 2, 1, Encoding::kRuns)) {
    INFO(row.label);
    REQUIRE(row.sides.size() == kThreadSides.size());
    for (const Figures& figures : row.sides) {
      REQUIRE(figures.size() == 1);
      CHECK(figures[0] > 0);
    }
  }
}

}  // namespace

}  // namespace trommel::bench
