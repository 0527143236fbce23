// Query, with servers that fail, are silent, or no longer hold what the table says: every row is
// returned, or its key is in a range that is reported.
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "index/support/fake_table.h"
#include "support/catch.h"
#include "trommel/index/query.h"

namespace trommel::index::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

// A row in each of the six regions.
void PutRows(FakeTable& table) {
  for (const char* key : {"a", "c", "e", "g", "i", "k"}) table.Put(key, "Rome");
}

const FoundKeys kAll = {"a", "c", "e", "g", "i", "k"};

TEST_CASE("a server that fails is asked again until it answers", "[index]") {
  FakeTable table;
  PutRows(table);
  table.store.SetNext(1, Behaviour::kFails, 3);
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}).value();
  CHECK(KeysOf(outcome) == kAll);
  CHECK(outcome.unanswered.empty());
  CHECK(outcome.plan.num_lookups == 6);
  CHECK(outcome.plan.num_retries == 3);
  CHECK(outcome.plan.num_servers_asked == 3);
  CHECK(outcome.plan.num_regions_with_rows == 6);
  CHECK(table.store.CountLookups(1) == 4);
  for (const LookupRequest& lookup : table.store.lookups()) {
    if (lookup.server == 1) CHECK(lookup.ranges == std::vector<KeyRange>{{"e", "i"}});
  }
}

TEST_CASE("a part that a server does not hold is asked of the server that does", "[index]") {
  FakeTable table;
  PutRows(table);
  const RegionTable moved = table.Moved(3, 0);  // g, h: from server 1 to 0
  table.store.Move(moved);
  // The directory learns of it when the part has been asked twice.
  table.store.OnLookup([&](const LookupRequest&) {
    if (table.store.CountLookups(1) == 2) REQUIRE(table.index.Publish(moved).ok());
  });
  const uint64_t version = table.index.PinVersion().version();
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}).value();
  CHECK(KeysOf(outcome) == kAll);
  CHECK(outcome.unanswered.empty());
  CHECK(outcome.plan.version == version);
  CHECK(outcome.plan.num_candidates == 6);
  CHECK(outcome.plan.num_regions_with_rows == 6);
  CHECK(outcome.plan.num_lookups >= 5);
  CHECK(outcome.plan.num_retries == outcome.plan.num_lookups - 3);
  const LookupRequest last = table.store.lookups().back();
  CHECK(last.server == 0);
  CHECK(last.ranges == std::vector<KeyRange>{{"g", "i"}});
}

TEST_CASE("rows are found when regions are split and merged under a query", "[index]") {
  FakeTable table;
  PutRows(table);
  table.Put("hh", "Rome");
  // Server 1's regions, e to i, become three others, one of them with keys of server 2.
  const RegionTable next = RegionTable::Create({{.id = 0, .range = {"", "c"}, .server = 0},
                                                {.id = 1, .range = {"c", "e"}, .server = 0},
                                                {.id = 6, .range = {"e", "ee"}, .server = 1},
                                                {.id = 7, .range = {"ee", "h"}, .server = 2},
                                                {.id = 8, .range = {"h", "k"}, .server = 0},
                                                {.id = 5, .range = {"k", ""}, .server = 2}})
                               .value();
  bool is_first = true;
  table.store.OnLookup([&](const LookupRequest&) {
    if (!is_first) return;
    is_first = false;
    table.store.Move(next);
    REQUIRE(table.index.Publish(next).ok());
  });
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}).value();
  CHECK(KeysOf(outcome) == FoundKeys{"a", "c", "e", "g", "hh", "i", "k"});
  CHECK(outcome.unanswered.empty());
  CHECK(outcome.plan.num_regions_with_rows == 6);  // of the pinned version
}

TEST_CASE("a row that comes with the words not mine is not believed", "[index]") {
  FakeTable table;
  PutRows(table);
  // The old server still has a copy of the row, which has changed at the new one.
  table.store.Move(table.Moved(3, 0));
  table.store.AddStray(1, {"g", {{"Rome"}, {"old"}, {}}});
  REQUIRE(table.index.Publish(table.Moved(3, 0)).ok());
  table.store.SetNext(0, Behaviour::kDisowns, 2);
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}).value();
  REQUIRE(KeysOf(outcome) == kAll);
  CHECK(outcome.rows[3].attributes[kColor] == Values{"red"});
  CHECK(outcome.plan.num_retries == 2);
}

TEST_CASE("a silent server holds no query up beyond its timeout", "[index]") {
  FakeTable table;
  PutRows(table);
  table.store.SetAlways(1, Behaviour::kSilent);  // until the test ends
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}, 20).value();
  CHECK(KeysOf(outcome) == FoundKeys{"a", "c", "i", "k"});
  REQUIRE(outcome.unanswered.size() == 1);
  CHECK(outcome.unanswered[0].range == KeyRange{"e", "i"});
  CHECK(outcome.unanswered[0].server == 1);
  CHECK(outcome.unanswered[0].reason.code == ErrorCode::kIo);
  CHECK_THAT(outcome.unanswered[0].reason.message,
             ContainsSubstring("server 1 did not answer within the timeout of 20 ms"));
  CHECK(outcome.plan.num_lookups == 3);
  CHECK(outcome.plan.num_retries == 0);
  CHECK(outcome.plan.num_servers_with_rows == 2);
  CHECK(outcome.plan.total_time >= std::chrono::milliseconds(20));
}

TEST_CASE("answers that come when the query has returned are harmless", "[index]") {
  FakeTable table;
  PutRows(table);
  for (const uint32_t server : {0u, 1u, 2u}) table.store.SetNext(server, Behaviour::kSilent);
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}, 1).value();
  CHECK(outcome.rows.empty());
  CHECK(outcome.unanswered.size() == 3);
  CHECK(table.store.ReleaseSilent() == 3);
  CHECK(KeysOf(table.Find({{kCity, "Rome"}}).value()) == kAll);
}

TEST_CASE("what no server answers is reported with the last reason", "[index]") {
  FakeTable table;
  PutRows(table);
  SECTION("a server that fails") {
    table.store.SetAlways(2, Behaviour::kFails);
    const QueryOutcome outcome = table.Find({{kCity, "Rome"}}, 20).value();
    CHECK(KeysOf(outcome) == FoundKeys{"a", "c", "e", "g"});
    REQUIRE(outcome.unanswered.size() == 1);
    CHECK(outcome.unanswered[0].range == KeyRange{"i", ""});
    CHECK(outcome.unanswered[0].server == 2);
    CHECK(outcome.unanswered[0].reason.code == ErrorCode::kIo);
    CHECK(outcome.unanswered[0].reason.message == "disk 2 failed");
    CHECK(outcome.plan.num_lookups == 3 + outcome.plan.num_retries);
    CHECK(outcome.plan.num_retries + 1 == table.store.CountLookups(2));
  }
  SECTION("a part that no server holds") {
    table.store.Move(table.Moved(4, 7));  // i, j: a server that the directory does not know
    const QueryOutcome outcome = table.Find({{kCity, "Rome"}}, 20).value();
    CHECK(KeysOf(outcome) == FoundKeys{"a", "c", "e", "g", "k"});
    REQUIRE(outcome.unanswered.size() == 1);
    CHECK(outcome.unanswered[0].range == KeyRange{"i", "k"});
    CHECK(outcome.unanswered[0].server == 2);
    CHECK(outcome.unanswered[0].reason.code == ErrorCode::kMismatch);
    CHECK_THAT(outcome.unanswered[0].reason.message, ContainsSubstring("does not hold"));
  }
  SECTION("several, in the order of their keys") {
    table.store.SetAlways(0, Behaviour::kSilent);
    table.store.SetAlways(1, Behaviour::kFails);
    table.store.SetAlways(2, Behaviour::kDisowns);
    const QueryOutcome outcome = table.Find({{kCity, "Rome"}}, 20).value();
    CHECK(outcome.rows.empty());
    REQUIRE(outcome.unanswered.size() == 3);
    for (uint32_t i = 0; i < 3; ++i) CHECK(outcome.unanswered[i].server == i);
    CHECK(outcome.unanswered[0].range == KeyRange{"", "e"});
    CHECK(outcome.unanswered[2].range == KeyRange{"i", ""});
    CHECK(outcome.plan.num_regions_with_rows == 0);
  }
}

TEST_CASE("a query without time still returns what is answered at once", "[index]") {
  FakeTable table;
  PutRows(table);
  for (const int64_t timeout : {int64_t{0}, int64_t{-5}}) {
    table.store.SetNext(1, Behaviour::kFails);
    const QueryOutcome outcome = table.Find({{kCity, "Rome"}}, timeout).value();
    CHECK(KeysOf(outcome) == FoundKeys{"a", "c", "i", "k"});
    REQUIRE(outcome.unanswered.size() == 1);
    CHECK(outcome.unanswered[0].range == KeyRange{"e", "i"});
    CHECK(outcome.plan.num_retries == 0);
  }
  const QueryOutcome outcome =
      table.Find({{kCity, "Rome"}}, std::numeric_limits<int64_t>::max()).value();
  CHECK(KeysOf(outcome) == kAll);
}

TEST_CASE("a query releases its pin when it returns", "[index]") {
  FakeTable table;
  PutRows(table);
  table.store.SetNext(0, Behaviour::kSilent);
  CHECK(table.Find({{kCity, "Rome"}}, 1).value().unanswered.size() == 1);
  const std::vector<ColumnName> columns = {{2, kCity}};
  table.index.MarkUnbuilt(columns);
  CHECK(table.index.Reclaim() >= 1);  // would wait for ever
}

TEST_CASE("threads query while a region moves to and fro, and miss nothing", "[index][threads]") {
  FakeTable table;
  PutRows(table);
  table.store.SetAlways(1, Behaviour::kOnThread);
  constexpr int kThreads = 4;
  constexpr int kQueries = 25;
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&table, &wrong, t] {
      for (int i = 0; i < kQueries; ++i) {
        const QueryOutcome outcome = table.Find({{kCity, "Rome"}}).value();
        if (KeysOf(outcome) != kAll) wrong[t] = "rows";
        if (!outcome.unanswered.empty()) wrong[t] = "unanswered";
        if (outcome.plan.num_regions_with_rows != 6) wrong[t] = "regions";
      }
    });
  }
  for (int i = 0; i < 40; ++i) {
    const RegionTable moved = table.Moved(3, i % 2 == 0 ? 0 : 1);
    table.store.Move(moved);
    std::this_thread::yield();  // the directory lags behind the servers
    CHECK(table.index.Publish(moved).ok());
    table.index.Reclaim();
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<std::string>(kThreads));
}

}  // namespace
}  // namespace trommel::index::tests
