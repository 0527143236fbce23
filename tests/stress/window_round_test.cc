// Rounds with windows: a correct one holds, and faulty ones are found.
#include <memory>
#include <set>
#include <utility>

#include "stress/faulty_rounds.h"
#include "support/catch.h"
#include "tools/stress/subjects/subject.h"

namespace trommel::stress {
namespace {

Mix SlidingMix() {
  Mix mix = SampleMix();
  mix.keys_per_thread = 10'000;
  mix.max_hot_batch = 20;
  mix.weights = {5, 3, 3, 3, 1, 1, 2};
  return mix;
}

Result<std::unique_ptr<Subject>> MakeWindow(const RoundPlan& plan) {
  return MakeWindowSubject(plan);
}

// A window with num_more buckets more than it is asked for, of the same length. The invariant that
// it violates in one of five rounds.
std::optional<Invariant> ViolatedWithBuckets(int num_more) {
  const auto create = [=](const Figures& description, std::shared_ptr<Executor> executor) {
    const auto num_buckets = FigureOr<uint64_t>(description, "num_buckets", 0);
    const uint64_t num_others = num_buckets + static_cast<uint64_t>(num_more);
    Figures other = description;
    for (auto& [name, value] : other) {
      if (name == "num_buckets") value = num_others;
      if (name == "window") value = std::get<uint64_t>(value) / num_buckets * num_others;
    }
    return CreateWindow(other, std::move(executor));
  };
  uint64_t num_rounds = 0;
  for (uint64_t seed = 1; num_rounds < 5; ++seed) {
    const RoundPlan plan = DrawPlan(SlidingMix(), seed, 0, 2, 2);
    // With buckets of unequal lengths the faulty window's would begin at other ticks.
    const Figures drawn = DrawWindow(plan);
    const auto num_buckets = FigureOr<uint64_t>(drawn, "num_buckets", 0);
    if (num_buckets < 3 || FigureOr<uint64_t>(drawn, "window", 0) % num_buckets != 0) continue;
    ++num_rounds;
    const Result<RoundResult> result =
        RunRound(plan, [&](const RoundPlan& p) { return MakeWindowSubject(p, create); });
    REQUIRE(result.ok());
    if (result->violation) return result->violation->invariant;
  }
  return std::nullopt;
}

TEST_CASE("every mix holds on a window", "[stress][window][threads]") {
  for (const Mix& mix : AllMixes()) CheckHolds(ShortPlan(mix, 5), MakeWindow);
}

TEST_CASE("a bucket that expires one bucket too early is found", "[stress][window][threads]") {
  const std::optional<Invariant> violated = ViolatedWithBuckets(-1);
  REQUIRE(violated);
  INFO(InvariantName(*violated));
  const std::set<Invariant> apt = {Invariant::kWithinWindow,    Invariant::kCountNotBelow,
                                   Invariant::kNewOnlyIfAbsent, Invariant::kNewToldOnce,
                                   Invariant::kWholeFilter,     Invariant::kEraseNotRefused,
                                   Invariant::kNumKeysExact};
  CHECK(apt.count(*violated) == 1);
}

TEST_CASE("a bucket that expires one bucket too late is found", "[stress][window][threads]") {
  const std::optional<Invariant> violated = ViolatedWithBuckets(1);
  REQUIRE(violated);
  INFO(InvariantName(*violated));
  CHECK((*violated == Invariant::kExpiredIsGone || *violated == Invariant::kWholeFilter));
}

}  // namespace
}  // namespace trommel::stress
