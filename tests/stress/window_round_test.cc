// Rounds with windows: a correct one passes, and faulty ones are found.
#include "tools/stress/window_round.h"

#include <atomic>
#include <set>

#include "stress/sample_rounds.h"
#include "support/catch.h"
#include "tools/stress/window_board.h"

namespace trommel::stress {
namespace {

Mix SlidingMix() {
  Mix mix = SampleMix();
  mix.keys_per_thread = 10'000;
  mix.max_heat = 20;
  mix.weights = {5, 3, 3, 3, 1, 1, 2};
  return mix;
}

// The law that the first round breaks, of so many with windows of several equal buckets.
std::optional<Law> LawBrokenByWindow(const MakeWindow& make, uint64_t num_rounds) {
  for (uint64_t seed = 1; num_rounds > 0; ++seed) {
    const RoundPlan plan = DrawPlan(SlidingMix(), seed, 0, 2, 2);
    // Where it does not divide, the faulty window's buckets would begin at other ticks, too.
    const WindowConfig config = DrawWindow(plan);
    if (config.num_buckets < 3 || config.window % config.num_buckets != 0) continue;
    --num_rounds;
    const Result<RoundResult> result = RunWindowRound(plan, make, {});
    REQUIRE(result.ok());
    if (result->violation) return result->violation->law;
  }
  return std::nullopt;
}

// A window of as long buckets, of more or fewer of them than it is asked for.
MakeWindow WindowWithBuckets(int num_more) {
  return [=](const WindowConfig& config) {
    WindowConfig other = config;
    other.num_buckets = static_cast<uint32_t>(static_cast<int>(config.num_buckets) + num_more);
    other.window = config.window / config.num_buckets * other.num_buckets;
    return WindowFilter::Create(other);
  };
}

TEST_CASE("every mix holds on a window", "[stress][window][threads]") {
  const auto encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  for (const Mix& mix : AllMixes()) {
    INFO(mix.name);
    const Result<RoundResult> result =
        RunWindowRound(ShortPlan(mix, 5, encoding), WindowFilter::Create, {});
    REQUIRE(result.ok());
    INFO((result->violation ? result->violation->detail : ""));
    CHECK_FALSE(result->violation);
    CHECK(result->totals.num_checked > 0);
    CHECK_FALSE(result->is_cut_short);
  }
}

TEST_CASE("a window's round asks, races and audits", "[stress][window][threads]") {
  const RoundPlan plan = DrawPlan(SlidingMix(), 2, 0, 2, 2);
  const Result<RoundResult> result = RunWindowRound(plan, WindowFilter::Create, {});
  REQUIRE(result.ok());
  CHECK_FALSE(result->violation);
  for (const uint64_t num_keys : result->totals.num_keys) CHECK(num_keys > 0);
  CHECK(result->totals.num_races > 0);
  CHECK(result->totals.num_audits > 0);
}

TEST_CASE("a bucket that goes one too early is found", "[stress][window][threads]") {
  const std::optional<Law> law = LawBrokenByWindow(WindowWithBuckets(-1), 5);
  REQUIRE(law);
  INFO(LawName(*law));
  const std::set<Law> apt = {Law::kWithinWindow, Law::kCountNotBelow, Law::kNewOnlyIfAbsent,
                             Law::kNewToldOnce,  Law::kWholeFilter,   Law::kEraseNotRefused,
                             Law::kNumKeysExact};
  CHECK(apt.count(*law) == 1);
}

TEST_CASE("a bucket that stays one too long is found", "[stress][window][threads]") {
  const std::optional<Law> law = LawBrokenByWindow(WindowWithBuckets(1), 5);
  REQUIRE(law);
  INFO(LawName(*law));
  CHECK((*law == Law::kExpiredIsGone || *law == Law::kWholeFilter));
}

TEST_CASE("drawn windows have one bucket and many, and such as do not divide", "[stress][window]") {
  std::set<uint32_t> num_buckets;
  bool has_uneven = false;
  for (uint64_t round = 0; round < 100; ++round) {
    const WindowConfig config = DrawWindow(DrawPlan(SlidingMix(), 1, round, 2, 2));
    num_buckets.insert(config.num_buckets);
    has_uneven |= config.window % config.num_buckets != 0;
    const WindowSpan span{config.window, config.num_buckets};
    for (uint64_t bucket = 0; bucket < 70; ++bucket) {
      REQUIRE(span.Bucket(span.FirstTick(bucket)) == bucket);
      if (bucket > 0) REQUIRE(span.Bucket(span.FirstTick(bucket) - 1) == bucket - 1);
    }
  }
  CHECK(num_buckets.size() == 6);
  CHECK(has_uneven);
}

TEST_CASE("a claim that came back does not hold", "[stress][window]") {
  WindowClaim claim;
  CHECK_FALSE(WindowClaim::IsKnown(claim.Look()));
  claim.Publish(0);
  const uint64_t seen = claim.Look();
  CHECK(WindowClaim::IsKnown(seen));
  CHECK(WindowClaim::Tick(seen) == 0);
  CHECK(claim.StillHolds(seen));
  claim.Withdraw();
  claim.Publish(0);
  CHECK(WindowClaim::Tick(claim.Look()) == 0);
  CHECK_FALSE(claim.StillHolds(seen));
}

TEST_CASE("a window that cannot be made is an error", "[stress][window]") {
  RoundPlan plan = DrawPlan(SlidingMix(), 1, 0, 1, 1);
  plan.config.capacity = 0;
  CHECK_FALSE(RunWindowRound(plan, WindowFilter::Create, {}).ok());
}

}  // namespace
}  // namespace trommel::stress
