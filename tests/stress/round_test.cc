// Whole rounds: a correct filter holds, and a violation comes with its trace.
#include "tools/stress/round.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "stress/faulty_rounds.h"
#include "support/catch.h"
#include "tools/stress/subjects/subject.h"

namespace trommel::stress {
namespace {

TEST_CASE("all jobs begin together and are waited for", "[stress][round][threads]") {
  RoundState state;
  std::atomic<int> num_here = 0;
  const auto job = [&] {
    ++num_here;
    while (num_here.load() < 3) std::this_thread::yield();  // ends only if all run
  };
  int num_looks = 0;
  const Result<bool> was_told = RunThreads(state, {job, job, job}, {}, [&] { ++num_looks; });
  REQUIRE(was_told.ok());
  CHECK_FALSE(*was_told);
  CHECK(state.num_finished.load() == 3);
}

TEST_CASE("every mix holds on a concurrent filter", "[stress][round][threads]") {
  const uint64_t seed = GENERATE(1u, 2u);
  for (const Mix& mix : AllMixes()) CheckHolds(ShortPlan(mix, seed), MakeConcurrentSubject);
}

TEST_CASE("every mix holds on a concurrent filter of runs", "[stress][round][threads]") {
  const uint32_t num_slices = GENERATE(4u, 5u, 8u, 10u);
  for (const Mix& mix : AllMixes()) {
    RoundPlan plan = ShortPlan(mix, num_slices, Encoding::kRuns);
    plan.config.num_slices = num_slices;
    CheckHolds(plan, MakeConcurrentSubject);
  }
}

TEST_CASE("every mix holds on a concurrent filter of fingerprints", "[stress][round][threads]") {
  const auto encoding = GENERATE(Encoding::kFingerprints16, Encoding::kDense);
  const uint64_t seed = GENERATE(1u, 2u);
  for (const Mix& mix : AllMixes()) {
    RoundPlan plan = ShortPlan(mix, seed, encoding);
    plan.side_records = 0;
    CHECK(CheckHolds(plan, MakeConcurrentSubject).totals.num_refused == 0);
  }
}

TEST_CASE("every mix holds with a limit of side memory, and some insertions are refused",
          "[stress][round][threads]") {
  const auto encoding = GENERATE(Encoding::kFingerprints16, Encoding::kDense);
  uint64_t num_refused = 0;
  for (const Mix& mix : AllMixes()) {
    RoundPlan plan = ShortPlan(mix, 3, encoding);
    plan.side_records = 1;
    num_refused += CheckHolds(plan, MakeConcurrentSubject).totals.num_refused;
  }
  CHECK(num_refused > 0);
}

TEST_CASE("crowds promote blocks of fingerprints", "[stress][round]") {
  const auto encoding = GENERATE(Encoding::kFingerprints16, Encoding::kDense);
  Mix mix = *FindMix("crowds");
  mix.keys_per_thread = 200'000;  // so many that blocks are as full as they will be
  uint64_t num_promoted = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    RoundPlan plan = DrawPlan(mix, seed, 0, 1, 0, encoding);
    plan.side_records = 0;
    const Result<RoundResult> result = RunRound(plan, MakeConcurrentSubject);
    REQUIRE(result.ok());
    num_promoted += result->num_promoted;
  }
  CHECK(num_promoted > 0);
}

TEST_CASE("threads that signals interrupt finish their work", "[stress][round][threads]") {
  struct sigaction before = {};
  sigaction(SIGUSR1, nullptr, &before);
  RoundState state;
  std::atomic<uint64_t> num_steps = 0;
  const auto job = [&] {
    for (int i = 0; i < 100'000; ++i) num_steps.fetch_add(1);
  };
  CHECK(RunThreads(state, {job, job, [] {}}, {}, {}, 20).ok());
  CHECK(num_steps.load() == 200'000);
  struct sigaction after = {};
  sigaction(SIGUSR1, nullptr, &after);
  CHECK(after.sa_handler == before.sa_handler);
}

// One writer: how many keys two have in when they end depends on the scheduler.
TEST_CASE("one writer without readers makes the same calls each time", "[stress][round]") {
  const RoundResult first = RunSample(SampleMix(), MakeLocked, 4, 1, 0);
  const RoundResult second = RunSample(SampleMix(), MakeLocked, 4, 1, 0);
  CHECK(first.totals.num_keys == second.totals.num_keys);
  CHECK(first.totals.num_calls == second.totals.num_calls);
  CHECK(first.totals.num_checked == second.totals.num_checked);
  CHECK(first.num_promoted == second.num_promoted);
}

// Refuses one erasure in 30.
struct RefusesOnce : FaultySubject {
  using FaultySubject::FaultySubject;
  EraseOutcome Erase(Keys keys, uint64_t time, std::span<uint64_t> erased) override {
    if (!IsTurn(30)) return LockedSubject::Erase(keys, time, erased);
    std::fill(erased.begin(), erased.end(), 0);
    return {0, keys.size()};
  }
};

TEST_CASE("a violation names its invariant, key and thread, and the last calls",
          "[stress][round][threads]") {
  const RoundResult result = RunSample(SampleMix(), MakeFaulty<RefusesOnce>);
  REQUIRE(result.violation);
  const Violation& violation = *result.violation;
  CHECK(violation.invariant == Invariant::kEraseNotRefused);
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

TEST_CASE("a round that is told to stop is checked nevertheless", "[stress][round][threads]") {
  Mix mix = SampleMix();
  mix.keys_per_thread = 10'000'000;
  const RoundPlan plan = DrawPlan(mix, 1, 0, 2, 1);
  int num_calls = 0;
  uint64_t num_keys = 0;
  Watch watch;
  watch.should_stop = [&] { return ++num_calls > 20; };
  watch.on_working = [&](uint64_t so_far) { num_keys = so_far; };
  const Result<RoundResult> result = RunRound(plan, MakeLocked, watch);
  REQUIRE(result.ok());
  CHECK(result->is_cut_short);
  CHECK_FALSE(result->violation);
  CHECK(result->totals.num_all_keys() < 30'000'000);
}

}  // namespace
}  // namespace trommel::stress
