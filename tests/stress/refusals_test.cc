// What is found about updates that a filter refuses.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "stress/faulty_rounds.h"
#include "support/catch.h"

namespace trommel::stress {
namespace {

// A filter with one lock and a limit of side memory.
template <class Subject>
Result<std::unique_ptr<stress::Subject>> MakeLimited(const RoundPlan& plan) {
  CountingConfig config = plan.config;
  config.side_memory_limit_bytes = 256;
  return SubjectWith<Subject>(CountingFilter::Create(config), plan.config, true);
}

Mix CrowdedSample() {
  Mix mix = SampleMix();
  mix.capacity = 200;
  mix.num_races = 2;
  return mix;
}

RoundResult RunLimited(const MakeSubject& make) {
  const RoundPlan plan = DrawPlan(CrowdedSample(), 1, 0, 2, 1, Encoding::kFingerprints16);
  const Result<RoundResult> result = RunRound(plan, make);
  REQUIRE(result.ok());
  return *result;
}

template <class Fault>
std::optional<Invariant> ViolatedWithLimit() {
  const RoundResult result = RunLimited(MakeLimited<Fault>);
  if (!result.violation) return std::nullopt;
  return result.violation->invariant;
}

// Says of an inserted key that it was refused.
struct RefusesInWordsOnly : FaultySubject {
  using FaultySubject::FaultySubject;
  bool InsertOneNoting(Key key) override { return FaultySubject::InsertOneNoting(key) && false; }
};

// Says of refused keys that they were inserted.
struct HidesRefusals : FaultySubject {
  using FaultySubject::FaultySubject;
  InsertOutcome InsertNoting(Keys keys, std::span<uint64_t> inserted) override {
    FaultySubject::InsertNoting(keys, inserted);
    for (size_t i = 0; i < keys.size(); ++i) inserted[i / 64] |= uint64_t{1} << (i % 64);
    return {.num_inserted = keys.size()};
  }
};

// Counts one refusal too many.
struct MiscountsRefusals : FaultySubject {
  using FaultySubject::FaultySubject;
  InsertOutcome InsertIfAbsentNoting(Keys keys, std::span<uint64_t> inserted,
                                     std::span<uint64_t> refused) override {
    InsertOutcome outcome = FaultySubject::InsertIfAbsentNoting(keys, inserted, refused);
    ++outcome.num_refused;
    return outcome;
  }
};

// Says of keys that are in that they are absent and refused.
struct RefusesWhatIsIn : FaultySubject {
  using FaultySubject::FaultySubject;
  InsertOutcome InsertIfAbsentNoting(Keys keys, std::span<uint64_t> inserted,
                                     std::span<uint64_t> refused) override {
    InsertOutcome outcome = FaultySubject::InsertIfAbsentNoting(keys, inserted, refused);
    outcome.num_refused += (refused[0] & 1) == 0 && (inserted[0] & 1) == 0;
    refused[0] |= ~inserted[0] & 1;
    return outcome;
  }
};

// Erases absent keys: says so, once in a while.
struct ErasesAbsent : FaultySubject {
  using FaultySubject::FaultySubject;
  EraseOutcome Erase(Keys keys, uint64_t time, std::span<uint64_t> erased) override {
    EraseOutcome outcome = LockedSubject::Erase(keys, time, erased);
    if ((erased[0] & 1) != 0) return outcome;
    erased[0] |= 1;
    return {outcome.num_erased + 1, outcome.num_refused - 1};
  }
};

TEST_CASE("a limit of side memory holds beside a model that is told of each refusal",
          "[stress][refusals][threads]") {
  const RoundResult result = RunLimited(MakeLimited<LockedSubject>);
  INFO((result.violation ? result.violation->detail : ""));
  CHECK_FALSE(result.violation);
  CHECK(result.totals.num_refused > 0);
}

TEST_CASE("wrong refusals, and those that are not told, are found", "[stress][refusals][threads]") {
  CHECK(ViolatedWithLimit<RefusesInWordsOnly>());
  CHECK(ViolatedWithLimit<HidesRefusals>());
  CHECK(ViolatedWithLimit<MiscountsRefusals>() == Invariant::kRefusalsAgree);
  CHECK(ViolatedWithLimit<RefusesWhatIsIn>() == Invariant::kRefusalsAgree);
  CHECK(ViolatedBy<ErasesAbsent>(SampleMix()) == Invariant::kRefusalsAgree);
}

}  // namespace
}  // namespace trommel::stress
