#include "bench/attribute_trial.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the attribute trial measures every side and proves its answers",
          "[bench][attributes][threads]") {
  const AttributeTrialOutcome outcome =
      RunAttributeTrial({.num_tuples = 10'000, .num_questions = 5'000, .rounds = 1});
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
  CHECK(outcome.threads.size() == 10);
  CHECK(outcome.bytes.size() == AttributeSideNames().size());
}

TEST_CASE("what was asked of questions about attributes is judged by medians",
          "[bench][attributes]") {
  AttributeTrialOutcome outcome;
  outcome.indices = {{"i", {{100}, {5}}}};
  TrialRow query{"q", std::vector<Figures>(kNumAttributeSides, {10})};
  query.sides[kOneCutSide] = {13};
  query.sides[kLiteralSide] = {20};
  outcome.queries = {query};
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
  CHECK_THAT(line("t: one thread"), ContainsSubstring("NOT MET"));
  CHECK(verdicts.find("ceiling") == std::string::npos);
}

}  // namespace
}  // namespace trommel::bench
