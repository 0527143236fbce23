// Rounds with filters that grow: a correct one holds, and faulty ones are found.
#include "stress/faulty_rounds.h"
#include "stress/locked_generations.h"
#include "support/catch.h"
#include "tools/stress/subjects/subjects.h"

namespace trommel::stress {
namespace {

// Keys enough for several generations, most of which are dropped again.
Mix GrowingMix() {
  Mix mix = SampleMix();
  mix.capacity = 3000;
  mix.keys_per_writer = 2000;
  mix.num_races = 4;
  mix.keys_per_thread = 30'000;
  mix.max_batch = 512;
  mix.weights = {4, 3, 7, 2, 1, 1, 1};
  return mix;
}

// So few keys that the filter is empty at times.
Mix ShrinkingMix() {
  Mix mix = GrowingMix();
  mix.capacity = 100;
  mix.keys_per_writer = 120;
  mix.weights = {3, 3, 12, 2, 1, 3, 1};
  return mix;
}

TEST_CASE("every mix holds on a scalable filter", "[stress][scalable][threads]") {
  const auto encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  for (const Mix& mix : AllMixes()) {
    for (const uint64_t round : {0, 1}) {  // doubling, generations
      RoundPlan plan = ShortPlan(mix, 3, encoding);
      plan.round = round;
      CHECK(CheckHolds(plan, MakeScalableSubject).growth.most_generations > 0);
    }
  }
}

TEST_CASE("a correct filter that grows violates no invariant", "[stress][scalable][threads]") {
  const Mix mix = GENERATE(GrowingMix(), ShrinkingMix());
  const RoundResult result = RunSample(mix, MakeLockedGenerations<GrowthFault::kNone>);
  INFO((result.violation ? result.violation->detail : ""));
  CHECK_FALSE(result.violation);
  CHECK(result.growth.most_generations > 1);
  CHECK(result.totals.num_races > 0);
}

TEST_CASE("a generation dropped with a key in it is found", "[stress][scalable][threads]") {
  CHECK(Violated(ShrinkingMix(), MakeLockedGenerations<GrowthFault::kDropsLastKey>, 5));
}

TEST_CASE("taking keys from the newest generation is found", "[stress][scalable][threads]") {
  CHECK(Violated(GrowingMix(), MakeLockedGenerations<GrowthFault::kErasesNewest>, 5));
}

TEST_CASE("bits that the newest generation gains for keys of old ones are found",
          "[stress][scalable][threads]") {
  CHECK(Violated(GrowingMix(), MakeLockedGenerations<GrowthFault::kAddsToNewest>, 5));
}

TEST_CASE("a refused insertion is found", "[stress][scalable][threads]") {
  CHECK(Violated(GrowingMix(), MakeLockedGenerations<GrowthFault::kRefuses>, 5) ==
        Invariant::kNoRefusedInsert);
}

TEST_CASE("empty generations that stay are found", "[stress][scalable][threads]") {
  CHECK(Violated(GrowingMix(), MakeLockedGenerations<GrowthFault::kNeverDrops>, 5) ==
        Invariant::kEmptyAfterDraining);
}

}  // namespace
}  // namespace trommel::stress
