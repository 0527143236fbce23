// What is found when the threads have joined.
#include "tools/stress/final_checks.h"

#include <vector>

#include "stress/faulty_rounds.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel::stress {
namespace {

// A block that was promoted loses a few counts when it is returned.
struct LosesPromoted : FaultySubject {
  using FaultySubject::FaultySubject;
  EraseOutcome Erase(Keys keys, uint64_t time, std::span<uint64_t> erased) override {
    const EraseOutcome outcome = LockedSubject::Erase(keys, time, erased);
    if (keys.size() > 64) LockedSubject::EraseOne(Key::Digest(Digests(keys)[0]), 0);
    return outcome;
  }
};

// Inserts a key that no caller inserts.
struct InsertsMore : FaultySubject {
  using FaultySubject::FaultySubject;
  uint64_t Insert(Keys keys) override {
    if (IsTurn(10)) LockedSubject::InsertOne(Key::Digest(0x0123456789abcdef));
    return LockedSubject::Insert(keys);
  }
};

// A promoted block stays in the side table when the filter is empty.
struct KeepsPromoted : FaultySubject {
  using FaultySubject::FaultySubject;
  SubjectStats GetStats() const override {
    SubjectStats stats = LockedSubject::GetStats();
    stats.num_promoted += stats.num_keys == 0;
    return stats;
  }
};

// Serializes another filter.
struct SavesAnother : FaultySubject {
  using FaultySubject::FaultySubject;
  std::vector<std::byte> Serialize() const override {
    CountingConfig config;
    config.capacity = 100;
    const Result<CountingFilter> another = CountingFilter::Create(config);
    return LockedSubject::num_keys() > 0 ? another->Serialize() : LockedSubject::Serialize();
  }
};

Mix HotKeys() {
  Mix mix = SampleMix();
  mix.weights = {4, 3, 7, 2, 4, 4, 1};
  mix.audit_one_in = 0;
  return mix;
}

TEST_CASE("faults that remain when the threads have joined are found", "[stress][final][threads]") {
  CHECK(ViolatedBy<LosesPromoted>(HotKeys(), 5));
  CHECK(ViolatedBy<InsertsMore>(HotKeys()) == Invariant::kNumKeysExact);
  CHECK(ViolatedBy<KeepsPromoted>(HotKeys()) == Invariant::kEmptyAfterDraining);
  CHECK(ViolatedBy<SavesAnother>(HotKeys()) == Invariant::kBytesAsSequential);
}

// No thread has run: what is in the filter was inserted beside the model.
TEST_CASE("each final check names the key that it is about", "[stress][final]") {
  const RoundPlan plan = DrawPlan(HotKeys(), 5, 0, 1, 0);
  const Result<std::unique_ptr<Subject>> subject = MakeLocked(plan);
  REQUIRE(subject.ok());
  Board board(plan, **subject);
  Caller caller(board, kMainThread);
  const auto checks = [&](std::vector<uint32_t> ids) {
    return FinalChecks(board, {{0, std::move(ids)}}, caller);
  };
  const auto check_found = [&](Invariant invariant, uint32_t id) {
    REQUIRE(caller.violation());
    CHECK(caller.violation()->invariant == invariant);
    CHECK(caller.violation()->id == id);
  };

  SECTION("an empty filter passes") {
    CHECK(checks({}).Run().ok());
    CHECK_FALSE(caller.violation());
    CHECK(caller.totals.num_checked > 0);
  }
  SECTION("a missing key") {
    checks({7}).CheckKeys();
    check_found(Invariant::kNoFalseNegative, 7);
  }
  SECTION("a copy too few") {
    (*subject)->InsertOne(board.keys.One(7));
    checks({7, 7}).CheckKeys();
    check_found(Invariant::kCountNotBelow, 7);
  }
  SECTION("another key's bytes") {
    (*subject)->InsertOne(board.keys.One(8));
    CHECK(checks({7}).CheckBytes().ok());
    check_found(Invariant::kBytesAsSequential, 7);
  }
  SECTION("a key left over") {
    (*subject)->InsertOne(board.keys.One(9));
    CHECK(checks({}).Drain().ok());
    check_found(Invariant::kEmptyAfterDraining, 9);
  }
  SECTION("a race of which no writer was told \"new\"") {
    board.races[2].num_arrived = 1;
    checks({}).CheckRaces();
    check_found(Invariant::kNewToldOnce, plan.first_race() + 2);
  }
}

}  // namespace
}  // namespace trommel::stress
