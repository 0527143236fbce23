// What threads record: events, totals and violations; and their texts.
#include <set>
#include <string_view>
#include <vector>

#include "stress/faulty_rounds.h"
#include "support/catch.h"
#include "tools/stress/records/thread_record.h"

namespace trommel::stress {
namespace {

TEST_CASE("every invariant has a distinct name and sentence", "[stress][records]") {
  std::set<std::string_view> names;
  std::set<std::string_view> sentences;
  for (size_t i = 0; i < kNumInvariants; ++i) {
    names.insert(InvariantName(static_cast<Invariant>(i)));
    sentences.insert(InvariantSentence(static_cast<Invariant>(i)));
  }
  CHECK(names.size() == kNumInvariants);
  CHECK(sentences.size() == kNumInvariants);
  CHECK(names.count("") == 0);
  CHECK(sentences.count("") == 0);
  CHECK(InvariantName(Invariant::kWithinWindow) == "within-window-never-missed");
  CHECK(InvariantName(Invariant::kEmptyAfterDraining) == "empty-after-draining");
}

TEST_CASE("an event's text has its times, thread, operation and answer", "[stress][records]") {
  CHECK(ThreadName(1, 2) == "writer 1");
  CHECK(ThreadName(2, 2) == "reader 0");
  CHECK(ThreadName(kMainThread, 2) == "main");
  CHECK(ThreadName(kTickerThread, 2) == "ticker");
  Event event{.begin = 10, .end = 12, .thread = 2, .op = Op::kQuery, .batch = 64, .position = 2};
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(EventText(event, 2), ContainsSubstring("10 - 12"));
  CHECK_THAT(EventText(event, 2), ContainsSubstring("reader 0"));
  CHECK_THAT(EventText(event, 2), ContainsSubstring("absent"));
  CHECK_THAT(EventText(event, 2), ContainsSubstring("key 3 of 64"));
  event.op = Op::kInsertIfAbsent;
  event.answer = true;
  CHECK_THAT(EventText(event, 2), ContainsSubstring("insert-if-absent new"));
  event.op = Op::kErase;
  CHECK_THAT(EventText(event, 2), ContainsSubstring("erased"));
}

TEST_CASE("the log finds the last events of a key, oldest first", "[stress][records]") {
  EventLog log;
  const std::vector<uint32_t> one = {5};
  const std::vector<uint32_t> three = {4, 5, 5};
  const std::vector<uint64_t> answers = {0b010};
  log.Add(Op::kInsert, 1, 2, one, {});
  log.Add(Op::kErase, 3, 7, three, answers);
  const std::vector<Event> all = log.Last(5, 9, 10);
  REQUIRE(all.size() == 3);
  CHECK(all[0].op == Op::kInsert);
  CHECK(all[0].batch == 1);
  CHECK(all[1].position == 1);
  CHECK(all[1].answer);
  CHECK(all[2].position == 2);
  CHECK_FALSE(all[2].answer);
  CHECK(all[2].begin == 3);
  CHECK(all[2].end == 7);
  CHECK(all[2].thread == 9);
  CHECK(log.Last(5, 9, 1).front().position == 2);
  CHECK(log.Last(6, 9, 10).empty());
}

// Records calls that reach no filter.
class Thread : public ThreadRecord {
 public:
  using ThreadRecord::ThreadRecord;
  void Record(Op op, std::vector<uint32_t> ids) { End(op, Begin(op, ids), ids, {}); }
};

TEST_CASE("calls are counted and timed by one clock", "[stress][records]") {
  RoundState state;
  Thread one(state, 0);
  Thread other(state, 1);
  one.Record(Op::kInsert, {1, 2});
  other.Record(Op::kQuery, std::vector<uint32_t>(100, 3));
  one.Record(Op::kErase, {2});
  CHECK(state.clock.load() == 3);
  CHECK(state.num_keys.load() == 100);  // small calls are added later
  Totals totals = one.totals;
  totals += other.totals;
  CHECK(totals.num_calls == 3);
  CHECK(totals.num_all_keys() == 103);
  CHECK(totals.num_keys[static_cast<size_t>(Op::kQuery)] == 100);
}

TEST_CASE("the first violation comes with the calls of all threads", "[stress][records]") {
  const RoundPlan plan = DrawPlan(SampleMix(), 1, 0, 2, 0);
  const KeyTable keys(plan, 0);
  RoundState state;
  Thread one(state, 0);
  Thread other(state, 1);
  const std::vector<const ThreadRecord*> both = {&one, &other};
  CHECK_FALSE(FirstViolation(both, keys));
  one.Record(Op::kInsert, {7});
  other.Record(Op::kQuery, {7});
  other.Report(Invariant::kNoFalseNegative, 7, "absent");
  one.Record(Op::kErase, {7});
  one.Report(Invariant::kEraseNotRefused, 8, "refused");
  CHECK(one.is_over());
  const std::optional<Violation> first = FirstViolation(both, keys);
  REQUIRE(first);
  CHECK(first->invariant == Invariant::kNoFalseNegative);
  CHECK(first->thread == 1);
  CHECK(first->key == keys.Text(7));
  REQUIRE(first->events.size() == 3);
  CHECK(first->events[1].thread == 1);
  CHECK(first->events[2].op == Op::kErase);
}

}  // namespace
}  // namespace trommel::stress
