// What is found when the threads have joined.
#include "tools/stress/aftermath.h"

#include <vector>

#include "stress/sample_rounds.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel::stress {
namespace {

// A block that was promoted loses a few counts when it comes back.
class LosesPromoted : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) override {
    const EraseOutcome outcome = inner_->Erase(keys, erased);
    if (keys.size() > 64) inner_->EraseOne(Key::Digest(Digests(keys)[0]));
    return outcome;
  }
};

// Something is inserted that nobody asked for.
class InsertsMore : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  void Insert(Keys keys) override {
    inner_->Insert(keys);
    if (IsTurn(10)) inner_->InsertOne(Key::Digest(0x0123456789abcdef));
  }
};

// A promoted block stays in the side table when the filter is empty.
class KeepsPromoted : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  Stats GetStats() const override {
    Stats stats = inner_->GetStats();
    stats.num_promoted += stats.num_keys == 0;
    return stats;
  }
};

// Bytes that are a filter's, but not those of a sequential filter with the same keys.
class SavesAnother : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  std::vector<std::byte> Serialize() const override {
    CountingConfig config;
    config.capacity = 100;
    const Result<CountingFilter> another = CountingFilter::Create(config);
    return inner_->num_keys() > 0 ? another->Serialize() : inner_->Serialize();
  }
};

Mix HotKeys() {
  Mix mix = SampleMix();
  mix.weights = {4, 3, 7, 2, 4, 4, 1};
  mix.audit_one_in = 0;
  return mix;
}

TEST_CASE("a lost count of a promoted block is found", "[stress][aftermath][threads]") {
  CHECK(BrokenLaw<LosesPromoted>(HotKeys(), 5));
}

TEST_CASE("a key too many is found", "[stress][aftermath][threads]") {
  CHECK(BrokenLaw<InsertsMore>(HotKeys()) == Law::kNumKeysExact);
}

TEST_CASE("a block that stays promoted is found", "[stress][aftermath][threads]") {
  CHECK(BrokenLaw<KeepsPromoted>(HotKeys()) == Law::kEmptyAfterDraining);
}

TEST_CASE("other bytes than a sequential filter's are found", "[stress][aftermath][threads]") {
  CHECK(BrokenLaw<SavesAnother>(HotKeys()) == Law::kBytesAsSequential);
}

// Nothing has run yet: all that is in the filter came in beside the model.
TEST_CASE("each check of the aftermath says which key it is about", "[stress][aftermath]") {
  const RoundPlan plan = DrawPlan(HotKeys(), 5, 0, 1, 0);
  Result<std::unique_ptr<Subject>> subject = MakeLocked(plan.config, 0);
  REQUIRE(subject.ok());
  Board board(plan, **subject);
  std::vector<uint64_t> copies(plan.num_ids());
  Caller caller(board, kMainThread);
  Aftermath aftermath(board, copies, caller);

  SECTION("an empty filter passes") {
    aftermath.CheckRaces();
    aftermath.CheckKeys();
    CHECK(aftermath.CheckBytes().ok());
    aftermath.Drain();
    CHECK_FALSE(caller.violation());
  }
  SECTION("a missing key") {
    copies[7] = 1;
    aftermath.CheckKeys();
    REQUIRE(caller.violation());
    CHECK(caller.violation()->law == Law::kNoFalseNegative);
    CHECK(caller.violation()->id == 7u);
  }
  SECTION("a copy too few") {
    copies[7] = 2;
    (*subject)->InsertOne(board.keys.One(7));
    aftermath.CheckKeys();
    REQUIRE(caller.violation());
    CHECK(caller.violation()->law == Law::kCountNotBelow);
  }
  SECTION("another key's bytes") {
    copies[7] = 1;
    (*subject)->InsertOne(board.keys.One(8));
    CHECK(aftermath.CheckBytes().ok());
    REQUIRE(caller.violation());
    CHECK(caller.violation()->law == Law::kBytesAsSequential);
    CHECK(caller.violation()->id == 7u);
  }
  SECTION("a key left over") {
    (*subject)->InsertOne(board.keys.One(9));
    aftermath.Drain();
    REQUIRE(caller.violation());
    CHECK(caller.violation()->law == Law::kEmptyAfterDraining);
    CHECK(caller.violation()->id == 9u);
  }
  SECTION("a race that nobody won") {
    board.races[2].num_arrived = 1;
    aftermath.CheckRaces();
    REQUIRE(caller.violation());
    CHECK(caller.violation()->law == Law::kNewToldOnce);
  }
}

}  // namespace
}  // namespace trommel::stress
