// How a thread calls the filter, and what it checks of each result.
#include "tools/stress/threads/caller.h"

#include <numeric>
#include <vector>

#include "stress/faulty_rounds.h"
#include "support/catch.h"

namespace trommel::stress {
namespace {

// Query returns a number that is too high.
struct Miscounts : FaultySubject {
  using FaultySubject::FaultySubject;
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    return LockedSubject::Query(keys, maybe_present) + 1;
  }
};

TEST_CASE("calls reach the filter, and are counted and remembered", "[stress][caller]") {
  const RoundPlan plan = DrawPlan(SampleMix(), 1, 0, 1, 0);
  const Result<std::unique_ptr<Subject>> subject = MakeLocked(plan);
  REQUIRE(subject.ok());
  Board board(plan, **subject);
  Caller caller(board, 0);
  std::vector<uint32_t> ids(100);
  std::iota(ids.begin(), ids.end(), 0u);
  // Often enough for both ways to call with one key, and both ways to query.
  for (int i = 0; i < 40; ++i) {
    const Ids part = Ids(ids).first(i % 2 == 0 ? 1 : 70);
    uint64_t bucket = caller.Insert(part);
    CHECK(Caller::Bit(caller.Query(part), part.size() - 1));
    CHECK(caller.Counts(part)[0] >= 1);
    CHECK_FALSE(Caller::Bit(caller.InsertIfAbsent(part), 0));
    CHECK(Caller::Bit(caller.Erase(part, bucket), 0));
  }
  CHECK_FALSE(caller.violation());
  CHECK(caller.totals.num_calls == 200);
  CHECK(caller.totals.num_all_keys() == 200 / 2 * 71);
  CHECK((*subject)->num_keys() == 0);
  CHECK(caller.log().Last(0, 0, 5).back().op == Op::kErase);
  CHECK(board.clock.load() == 200);
}

TEST_CASE("a number that does not agree with its bitmap is found", "[stress][caller][threads]") {
  CHECK(ViolatedBy<Miscounts>(SampleMix()) == Invariant::kSumsAgree);
}

}  // namespace
}  // namespace trommel::stress
