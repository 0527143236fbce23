// The table of mixes, and rounds drawn from it.
#include "tools/stress/mix.h"

#include <numeric>
#include <set>
#include <string_view>

#include "support/catch.h"

namespace trommel::stress {
namespace {

TEST_CASE("every mix has a name of its own and is found by it", "[stress][mix]") {
  std::set<std::string_view> names;
  for (const Mix& mix : AllMixes()) {
    INFO(mix.name);
    CHECK(names.insert(mix.name).second);
    CHECK(FindMix(mix.name) == &mix);
    CHECK_FALSE(mix.what.empty());
    CHECK(mix.keys_per_writer > 0);
    CHECK(mix.min_batch >= 1);
    CHECK(mix.max_batch >= mix.min_batch);
    CHECK(std::accumulate(mix.weights.begin(), mix.weights.end(), 0) > 0);
    // A claim counts its copies in 24 bits.
    CHECK(mix.keys_per_thread + mix.max_batch < (1u << 24));
    CHECK(SizeFor({.capacity = mix.capacity, .target_fpr = mix.target_fpr}).ok());
  }
  CHECK(FindMix("no such mix") == nullptr);
}

TEST_CASE("a plan is drawn from seed and round alone", "[stress][mix]") {
  const Mix& mix = *FindMix("everything");
  const RoundPlan plan = DrawPlan(mix, 7, 3, 2, 2);
  const RoundPlan again = DrawPlan(mix, 7, 3, 2, 2);
  CHECK(again.config.num_slices == plan.config.num_slices);
  CHECK(again.config.route == plan.config.route);
  CHECK(again.kind == plan.kind);
  CHECK(again.executor_threads == plan.executor_threads);
  CHECK(again.RandomOf(1).Next() == plan.RandomOf(1).Next());
  CHECK(plan.RandomOf(0).Next() != plan.RandomOf(1).Next());
  CHECK(DrawPlan(mix, 7, 4, 2, 2).RandomOf(0).Next() != plan.RandomOf(0).Next());
  CHECK(DrawPlan(mix, 8, 3, 2, 2).RandomOf(0).Next() != plan.RandomOf(0).Next());
}

TEST_CASE("more writers get a larger filter, very many fewer keys each", "[stress][mix]") {
  const Mix& mix = *FindMix("split");
  CHECK(DrawPlan(mix, 1, 0, 1, 1).config.capacity == mix.capacity);
  CHECK(DrawPlan(mix, 1, 0, 8, 1).config.capacity == 4 * mix.capacity);
  CHECK(DrawPlan(mix, 1, 0, 8, 1).num_private() == 8 * mix.keys_per_writer);
  CHECK(DrawPlan(mix, 1, 0, 256, 1).config.capacity == 8 * mix.capacity);
  CHECK(DrawPlan(mix, 1, 0, 256, 1).num_private() <= 16 * mix.keys_per_writer);
}

TEST_CASE("a few dozen rounds have every kind of key, route, slice count and executor",
          "[stress][mix]") {
  std::set<KeyKind> kinds;
  std::set<Route> routes;
  std::set<uint32_t> slices;
  std::set<uint32_t> threads;
  for (uint64_t round = 0; round < 60; ++round) {
    const RoundPlan plan = DrawPlan(*FindMix("everything"), 1, round, 2, 2, Encoding::kPlanes);
    kinds.insert(plan.kind);
    routes.insert(plan.config.route);
    slices.insert(plan.config.num_slices);
    threads.insert(plan.executor_threads);
    CHECK_FALSE(KindName(plan.kind).empty());
    CHECK_FALSE(RouteName(plan.config.route).empty());
  }
  CHECK(kinds.size() == 5);
  CHECK(routes.size() == 3);
  CHECK(slices == std::set<uint32_t>{8, 16});
  CHECK(threads == std::set<uint32_t>{0, 2});
}

TEST_CASE("rounds of runs have the slices of runs", "[stress][mix]") {
  std::set<uint32_t> slices;
  for (uint64_t round = 0; round < 60; ++round) {
    const RoundPlan plan = DrawPlan(*FindMix("everything"), 1, round, 2, 2, Encoding::kRuns);
    CHECK(plan.config.encoding == Encoding::kRuns);
    slices.insert(plan.config.num_slices);
  }
  CHECK(slices == std::set<uint32_t>{4, 5, 8, 10});
  CHECK(DrawPlan(*FindMix("hot"), 1, 0, 2, 2).config.encoding == CountingConfig{}.encoding);
}

TEST_CASE("skewed numbers stay in range and prefer small ones", "[stress][mix]") {
  Random random(5);
  int num_small = 0;
  for (int i = 0; i < 10'000; ++i) {
    const uint32_t skewed = random.SkewedBelow(1600);
    REQUIRE(skewed < 1600);
    REQUIRE(random.Below(3) < 3);
    num_small += skewed < 100;
  }
  CHECK(num_small > 4700);  // half of them expected: 6 sigma are 300
  CHECK(num_small < 5300);
}

}  // namespace
}  // namespace trommel::stress
