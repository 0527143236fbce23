// What writers find about the keys that they own.
#include "tools/stress/threads/writer.h"

#include <algorithm>
#include <set>
#include <vector>

#include "stress/faulty_rounds.h"
#include "support/catch.h"

namespace trommel::stress {
namespace {

// Drops one inserted key in 10,000.
struct DropsInserts : FaultySubject {
  using FaultySubject::FaultySubject;
  uint64_t Insert(Keys keys) override {
    const uint64_t before = num_keys_.fetch_add(keys.size());
    const bool is_turn = before / 10'000 != (before + keys.size()) / 10'000;
    return LockedSubject::Insert(is_turn ? Keys::Digests(Digests(keys).subspan(1)) : keys);
  }

 private:
  std::atomic<uint64_t> num_keys_ = 0;
};

// Refuses to erase a key that is in.
struct Refuses : FaultySubject {
  using FaultySubject::FaultySubject;
  EraseOutcome Erase(Keys keys, uint64_t time, std::span<uint64_t> erased) override {
    EraseOutcome outcome = LockedSubject::Erase(keys, time, erased);
    if (IsTurn(100) && (erased[0] & 1) != 0) {
      LockedSubject::InsertOne(Key::Digest(Digests(keys)[0]));
      erased[0] &= ~uint64_t{1};
      outcome = {outcome.num_erased - 1, outcome.num_refused + 1};
    }
    return outcome;
  }
};

// Estimates some counts one too low.
struct Underestimates : FaultySubject {
  using FaultySubject::FaultySubject;
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override {
    LockedSubject::CountEstimates(keys, counts);
    for (uint64_t& count : counts) count -= count > 0;
  }
};

// Tells "new" of a key that is in, and inserts it.
struct InsertsWhatIsIn : FaultySubject {
  using FaultySubject::FaultySubject;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                        std::span<uint64_t> times) override {
    const size_t num_new = LockedSubject::InsertIfAbsent(keys, inserted, times);
    if ((inserted[0] & 1) != 0) return num_new;
    LockedSubject::InsertOne(Key::Digest(Digests(keys)[0]));
    inserted[0] |= 1;
    return num_new + 1;
  }
};

// No races, no hot keys, no readers: only what a writer knows of its own keys.
Mix OwnKeysOnly() {
  Mix mix = SampleMix();
  mix.num_hot = 0;
  mix.num_races = 0;
  mix.audit_one_in = 0;
  mix.weights = {4, 3, 7, 4, 0, 0, 0};
  return mix;
}

TEST_CASE("a writer knows how many copies of each of its keys are in", "[stress][writer]") {
  const RoundPlan plan = DrawPlan(OwnKeysOnly(), 3, 0, 1, 0);
  const Result<std::unique_ptr<Subject>> subject = MakeLocked(plan);
  REQUIRE(subject.ok());
  Board board(plan, **subject);
  Writer writer(board, 0);
  writer.Run();
  CHECK_FALSE(writer.caller().violation());
  uint64_t num_in = 0;
  for (uint32_t id = 0; id < plan.num_private(); ++id) {
    const std::vector<Copies>& copies = writer.copies()[id];
    const uint64_t count = copies.empty() ? 0 : copies.front().count;
    CHECK(copies.size() == (count > 0 ? 1 : 0));
    num_in += count;
    CHECK(board.claims[id].Look().copies.count == count);
    CHECK((*subject)->CountEstimate(board.keys.One(id)) >= count);
  }
  CHECK((*subject)->num_keys() == num_in);
  CHECK(num_in > 0);
  CHECK(writer.caller().totals.num_checked > 1000);
}

TEST_CASE("what is wrong with a writer's own keys is found", "[stress][writer][threads]") {
  Mix mix = OwnKeysOnly();
  mix.keys_per_thread = 60'000;
  CHECK(ViolatedBy<DropsInserts>(mix));
  CHECK(ViolatedBy<Refuses>(OwnKeysOnly()) == Invariant::kEraseNotRefused);
  CHECK(ViolatedBy<Underestimates>(OwnKeysOnly()) == Invariant::kCountNotBelow);
  CHECK(ViolatedBy<InsertsWhatIsIn>(OwnKeysOnly()) == Invariant::kNewOnlyIfAbsent);
}

}  // namespace
}  // namespace trommel::stress
