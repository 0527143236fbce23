// Filters that grow behind the door of a Subject, and their rounds.
#include "tools/stress/scalable_subject.h"

#include <algorithm>
#include <vector>

#include "stress/locked_generations.h"
#include "stress/sample_rounds.h"
#include "support/catch.h"
#include "support/random_keys.h"

namespace trommel::stress {
namespace {

// Keys enough for several generations, most of which go again.
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

// Few keys: the filter is empty now and then.
Mix ShrinkingMix() {
  Mix mix = GrowingMix();
  mix.capacity = 100;
  mix.keys_per_writer = 120;
  mix.weights = {3, 3, 12, 2, 1, 3, 1};
  return mix;
}

template <GrowthFault kFault>
std::optional<Law> LawBrokenByGrowth(const Mix& mix, uint64_t num_rounds) {
  for (uint64_t seed = 1; seed <= num_rounds; ++seed) {
    const RoundResult result = RunSample(mix, MakeLockedGenerations<kFault>, seed);
    if (result.violation) return result.violation->law;
  }
  return std::nullopt;
}

TEST_CASE("a scalable filter is made as asked, and grows", "[stress][subject][threads]") {
  const uint32_t executor_threads = GENERATE(0u, 2u);
  CountingConfig config;
  config.capacity = 10'000;
  config.num_slices = 8;
  config.route = GENERATE(Route::kAutomatic, Route::kDirect);  // direct: identical generations
  config.encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  Result<std::unique_ptr<Subject>> made = MakeScalableSubject(config, executor_threads);
  REQUIRE(made.ok());
  Subject& subject = **made;
  CHECK(subject.grows());
  CHECK(subject.geometry().num_slices == 8);
  CHECK(subject.geometry().encoding == config.encoding);
  const std::vector<std::byte> as_new = subject.Serialize();
  const std::vector<uint64_t> keys = tests::MemberKeys(8000, 1);
  subject.Insert(keys);
  CHECK(subject.num_generations() > 2);
  CHECK(subject.num_refused_inserts() == 0);
  const Stats stats = subject.GetStats();
  CHECK(stats.num_keys == 8000);
  CHECK(stats.fill_ratio > 0);
  CHECK(stats.fill_ratio < 1);
  const Result<std::unique_ptr<Subject>> loaded = subject.Load(subject.Serialize());
  REQUIRE(loaded.ok());
  CHECK((*loaded)->num_keys() == 8000);
  CHECK((*loaded)->Serialize() == subject.Serialize());
  std::vector<uint64_t> erased(BitmapWords(keys.size()));
  CHECK(subject.Erase(keys, erased).num_erased == 8000);
  CHECK(subject.num_generations() == 1);
  CHECK(subject.Serialize() == as_new);
  CHECK_FALSE(subject.Load(std::span(as_new).first(10)).ok());
  config.capacity = 0;
  CHECK_FALSE(MakeScalableSubject(config, executor_threads).ok());
}

TEST_CASE("every mix holds on a scalable filter", "[stress][scalable][threads]") {
  const auto encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  for (const Mix& mix : AllMixes()) {
    INFO(mix.name);
    const Result<RoundResult> result =
        RunRound(ShortPlan(mix, 3, encoding), MakeScalableSubject, {});
    REQUIRE(result.ok());
    INFO((result->violation ? result->violation->detail : ""));
    CHECK_FALSE(result->violation);
    CHECK(result->totals.num_checked > 0);
    CHECK(result->growth.most_generations > 0);
  }
}

TEST_CASE("a filter that grows by the book breaks no law", "[stress][scalable][threads]") {
  const Mix mix = GENERATE(GrowingMix(), ShrinkingMix());
  const RoundResult result = RunSample(mix, MakeLockedGenerations<GrowthFault::kNone>);
  INFO((result.violation ? result.violation->detail : ""));
  CHECK_FALSE(result.violation);
  CHECK(result.growth.most_generations > 1);
  CHECK(result.totals.num_races > 0);
}

TEST_CASE("a generation dropped with a key in it is found", "[stress][scalable][threads]") {
  CHECK(LawBrokenByGrowth<GrowthFault::kDropsLastKey>(ShrinkingMix(), 5));
}

TEST_CASE("taking keys from the newest generation is found", "[stress][scalable][threads]") {
  CHECK(LawBrokenByGrowth<GrowthFault::kErasesNewest>(GrowingMix(), 5));
}

TEST_CASE("bits that the newest generation gains for keys of old ones are found",
          "[stress][scalable][threads]") {
  CHECK(LawBrokenByGrowth<GrowthFault::kAddsToNewest>(GrowingMix(), 5));
}

TEST_CASE("a refused insertion is found", "[stress][scalable][threads]") {
  CHECK(LawBrokenByGrowth<GrowthFault::kRefuses>(GrowingMix(), 5) == Law::kRoomForAll);
}

TEST_CASE("empty generations that stay are found", "[stress][scalable][threads]") {
  CHECK(LawBrokenByGrowth<GrowthFault::kNeverDrops>(GrowingMix(), 5) == Law::kEmptyAfterDraining);
}

}  // namespace
}  // namespace trommel::stress
