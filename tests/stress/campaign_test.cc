// Rounds, one after another.
#include <vector>

#include "stress/faulty_rounds.h"
#include "support/catch.h"
#include "tools/stress/round.h"

namespace trommel::stress {
namespace {

struct LosesAll : FaultySubject {
  using FaultySubject::FaultySubject;
  uint64_t Insert(Keys) override { return 0; }
};

CampaignOptions TwoMixes() {
  CampaignOptions options;
  options.mixes = {SampleMix(), SampleMix()};
  for (Mix& mix : options.mixes) mix.keys_per_thread = 1000;
  options.mixes[1].name = "other";
  options.seed = 9;
  options.num_rounds = 5;
  options.num_writers = 2;
  return options;
}

TEST_CASE("a campaign takes its mixes in turn and adds up", "[stress][campaign][threads]") {
  uint64_t num_seen = 0;
  CampaignWatch watch;
  watch.on_working = [&](const RoundPlan&, uint64_t num_keys) { num_seen = num_keys; };
  const Result<CampaignResult> result = RunCampaign(TwoMixes(), RoundsWith(MakeLocked), watch);
  REQUIRE(result.ok());
  CHECK(result->num_rounds == 5);
  CHECK(result->mixes[0].num_rounds == 3);
  CHECK(result->mixes[1].num_rounds == 2);
  CHECK(result->mixes[0].totals.num_all_keys() + result->mixes[1].totals.num_all_keys() ==
        result->totals.num_all_keys());
  CHECK_FALSE(result->violation);
  CHECK(num_seen > 0);
}

TEST_CASE("a campaign gives each type a turn of all mixes", "[stress][campaign]") {
  CampaignOptions options = TwoMixes();
  options.types = {FilterType::kScalable, FilterType::kConcurrent};
  std::vector<FilterType> types;
  const auto note = [&](const RoundPlan& plan, const Watch&) -> Result<RoundResult> {
    types.push_back(plan.type);
    RoundResult result;
    result.growth.most_sizes = types.size();
    result.growth.num_grown = 1;
    return result;
  };
  const Result<CampaignResult> result = RunCampaign(options, note);
  REQUIRE(result.ok());
  CHECK(types == std::vector<FilterType>{FilterType::kScalable, FilterType::kScalable,
                                         FilterType::kConcurrent, FilterType::kConcurrent,
                                         FilterType::kScalable});
  CHECK(result->growth.most_sizes == 5);
  CHECK(result->growth.num_grown == 5);
  CHECK(result->mixes[1].growth.most_sizes == 4);
}

TEST_CASE("a campaign ends with the round that violates an invariant",
          "[stress][campaign][threads]") {
  CampaignOptions options = TwoMixes();
  options.only_round = 77;
  const Result<CampaignResult> result = RunCampaign(options, RoundsWith(MakeFaulty<LosesAll>));
  REQUIRE(result.ok());
  CHECK(result->num_rounds == 1);
  REQUIRE(result->violation);
  REQUIRE(result->broken_round);
  CHECK(result->broken_round->round == 77);
  CHECK(result->broken_round->mix.name == "sample");
}

}  // namespace
}  // namespace trommel::stress
