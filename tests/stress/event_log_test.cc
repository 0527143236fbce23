// The last calls of one thread.
#include "tools/stress/event_log.h"

#include <vector>

#include "support/catch.h"

namespace trommel::stress {
namespace {

TEST_CASE("the log finds the last events of a key, oldest first", "[stress][log]") {
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

TEST_CASE("what the log no longer has it does not make up", "[stress][log]") {
  EventLog log;
  const std::vector<uint32_t> first = {1};
  log.Add(Op::kInsert, 0, 1, first, {});
  std::vector<uint32_t> many(EventLog::kNumKeys + 100, 2);
  many.front() = 3;
  log.Add(Op::kInsert, 1, 2, many, {});
  CHECK(log.Last(1, 0, 10).empty());
  CHECK(log.Last(3, 0, 10).empty());  // overwritten by its own call
  CHECK(log.Last(2, 0, 10).size() == 10);
  for (size_t i = 0; i < EventLog::kNumCalls; ++i) log.Add(Op::kQuery, i, i, first, {});
  CHECK(log.Last(2, 0, 10).empty());
  CHECK(log.Last(1, 0, 10).size() == 10);
}

}  // namespace
}  // namespace trommel::stress
