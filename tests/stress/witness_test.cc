// What every thread of a round keeps.
#include "tools/stress/witness.h"

#include <vector>

#include "stress/sample_rounds.h"
#include "support/catch.h"

namespace trommel::stress {
namespace {

// Makes calls that reach no filter.
class Actor : public Witness {
 public:
  using Witness::Witness;
  void Act(Op op, std::vector<uint32_t> ids) { End(op, Begin(op, ids), ids, {}); }
};

TEST_CASE("calls are counted and timed by one clock", "[stress][witness]") {
  RoundState state;
  Actor one(state, 0);
  Actor other(state, 1);
  one.Act(Op::kInsert, {1, 2});
  other.Act(Op::kQuery, std::vector<uint32_t>(100, 3));
  one.Act(Op::kErase, {2});
  CHECK(state.clock.load() == 3);
  CHECK(state.num_keys.load() == 100);  // the small calls come in later
  Totals totals = one.totals;
  totals += other.totals;
  CHECK(totals.num_calls == 3);
  CHECK(totals.num_all_keys() == 103);
  CHECK(totals.num_keys[static_cast<size_t>(Op::kQuery)] == 100);
}

TEST_CASE("the first violation comes with the calls of all threads", "[stress][witness]") {
  const RoundPlan plan = DrawPlan(SampleMix(), 1, 0, 2, 0);
  const KeyTable keys(plan, 0);
  RoundState state;
  Actor one(state, 0);
  Actor other(state, 1);
  const std::vector<const Witness*> both = {&one, &other};
  CHECK_FALSE(FirstViolation(both, keys));
  one.Act(Op::kInsert, {7});
  other.Act(Op::kQuery, {7});
  other.Blame(Law::kNoFalseNegative, 7, "absent");
  one.Act(Op::kErase, {7});
  one.Blame(Law::kEraseNotRefused, 8, "refused");
  CHECK(one.is_over());
  const std::optional<Violation> first = FirstViolation(both, keys);
  REQUIRE(first);
  CHECK(first->law == Law::kNoFalseNegative);
  CHECK(first->thread == 1);
  CHECK(first->key == keys.Text(7));
  REQUIRE(first->events.size() == 3);
  CHECK(first->events[1].thread == 1);
  CHECK(first->events[2].op == Op::kErase);
}

}  // namespace
}  // namespace trommel::stress
