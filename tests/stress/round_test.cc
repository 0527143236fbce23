// Whole rounds: a correct filter passes, and a broken law comes with its trace.
#include "tools/stress/round.h"

#include <atomic>
#include <vector>

#include "stress/sample_rounds.h"
#include "support/catch.h"
#include "tools/stress/concurrent_subject.h"

namespace trommel::stress {
namespace {

TEST_CASE("every mix holds on a filter with one big lock", "[stress][round][threads]") {
  for (const Mix& mix : AllMixes()) {
    INFO(mix.name);
    const Result<RoundResult> result = RunRound(ShortPlan(mix, 1), MakeLocked, {});
    REQUIRE(result.ok());
    INFO((result->violation ? result->violation->detail : ""));
    CHECK_FALSE(result->violation);
    CHECK(result->totals.num_checked > 0);
    CHECK_FALSE(result->is_cut_short);
  }
}

TEST_CASE("every mix holds on a concurrent filter", "[stress][round][threads]") {
  const uint64_t seed = GENERATE(1u, 2u);
  for (const Mix& mix : AllMixes()) {
    INFO(mix.name << ", seed " << seed);
    const Result<RoundResult> result = RunRound(ShortPlan(mix, seed), MakeConcurrentSubject, {});
    REQUIRE(result.ok());
    INFO((result->violation ? result->violation->detail : ""));
    CHECK_FALSE(result->violation);
  }
}

TEST_CASE("every mix holds on a concurrent filter of runs", "[stress][round][threads]") {
  const uint32_t num_slices = GENERATE(4u, 5u, 8u, 10u);
  for (const Mix& mix : AllMixes()) {
    INFO(mix.name << ", " << num_slices << " slices");
    RoundPlan plan = ShortPlan(mix, num_slices, Encoding::kRuns);
    plan.config.num_slices = num_slices;
    const Result<RoundResult> result = RunRound(plan, MakeConcurrentSubject, {});
    REQUIRE(result.ok());
    INFO((result->violation ? result->violation->detail : ""));
    CHECK_FALSE(result->violation);
    CHECK(result->totals.num_checked > 0);
  }
}

// One writer alone: what two have in when they end is up to the scheduler, and may be little.
TEST_CASE("hot keys promote blocks of runs", "[stress][round]") {
  Mix mix = *FindMix("hot");
  mix.keys_per_thread = 20'000;
  RoundPlan plan = DrawPlan(mix, 1, 0, 1, 0, Encoding::kRuns);
  plan.config.num_slices = 8;  // the fewest keys a block
  const Result<RoundResult> result = RunRound(plan, MakeConcurrentSubject, {});
  REQUIRE(result.ok());
  CHECK(result->num_promoted > 0);
}

TEST_CASE("one writer without readers makes the same calls each time", "[stress][round]") {
  const RoundResult first = RunSample(SampleMix(), MakeLocked, 4, 1, 0);
  const RoundResult second = RunSample(SampleMix(), MakeLocked, 4, 1, 0);
  CHECK(first.totals.num_keys == second.totals.num_keys);
  CHECK(first.totals.num_calls == second.totals.num_calls);
  CHECK(first.totals.num_checked == second.totals.num_checked);
  CHECK(first.num_promoted == second.num_promoted);
}

TEST_CASE("hot keys promote blocks", "[stress][round]") {
  const RoundPlan plan = DrawPlan(SampleMix(), 1, 0, 1, 0, Encoding::kPlanes);
  const Result<RoundResult> result = RunRound(plan, MakeLocked, {});
  REQUIRE(result.ok());
  CHECK(result->num_promoted > 0);
}

// The erasure of one certain key is refused.
class RefusesOnce : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) override {
    if (!IsTurn(30)) return inner_->Erase(keys, erased);
    std::fill(erased.begin(), erased.end(), 0);
    return {0, keys.size()};
  }
};

TEST_CASE("a violation names law, key and thread, and the last calls", "[stress][round][threads]") {
  const RoundResult result = RunSample(SampleMix(), MakeFaulty<RefusesOnce>());
  REQUIRE(result.violation);
  const Violation& violation = *result.violation;
  CHECK(violation.law == Law::kEraseNotRefused);
  CHECK(violation.thread < 2);
  CHECK_FALSE(violation.detail.empty());
  CHECK_FALSE(violation.key.empty());
  REQUIRE(violation.events.size() >= 2);
  bool has_refusal = false;
  for (size_t i = 0; i < violation.events.size(); ++i) {
    const Event& event = violation.events[i];
    has_refusal |= event.op == Op::kErase && !event.answer && event.thread == violation.thread;
    CHECK(event.begin <= event.end);
    if (i > 0) CHECK(violation.events[i - 1].begin <= event.begin);
  }
  CHECK(has_refusal);
}

TEST_CASE("a round stops when told, and is checked all the same", "[stress][round][threads]") {
  Mix mix = SampleMix();
  mix.keys_per_thread = 10'000'000;
  const RoundPlan plan = DrawPlan(mix, 1, 0, 2, 1);
  int num_asked = 0;
  uint64_t num_keys = 0;
  Watch watch;
  watch.should_stop = [&] { return ++num_asked > 20; };
  watch.on_working = [&](uint64_t so_far) { num_keys = so_far; };
  const Result<RoundResult> result = RunRound(plan, MakeLocked, watch);
  REQUIRE(result.ok());
  CHECK(result->is_cut_short);
  CHECK_FALSE(result->violation);
  CHECK(result->totals.num_all_keys() < 30'000'000);
}

TEST_CASE("growth is seen by comparing looks", "[stress][round]") {
  GrowthSeen growth;
  for (const uint64_t num_generations : {1, 4, 4, 2, 3}) growth.Look(num_generations);
  CHECK(growth.most_generations == 4);
  CHECK(growth.num_added == 4);
  CHECK(growth.num_dropped == 2);
}

TEST_CASE("a filter that cannot be made is an error", "[stress][round]") {
  RoundPlan plan = DrawPlan(SampleMix(), 1, 0, 1, 1);
  plan.config.capacity = 0;
  CHECK_FALSE(RunRound(plan, MakeLocked, {}).ok());
}

}  // namespace
}  // namespace trommel::stress
