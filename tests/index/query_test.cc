// Query, with servers that answer: which are asked, for what, and what the plan says.
#include "trommel/index/query.h"

#include <cstdint>
#include <string>
#include <vector>

#include "index/support/fake_table.h"
#include "support/catch.h"

namespace trommel::index::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a query refuses conditions that no row could be asked for", "[index]") {
  FakeTable table;
  const auto check_refused = [&](std::vector<Condition> conditions, const std::string& message) {
    const Result<QueryOutcome> outcome = table.Find(std::move(conditions));
    REQUIRE_FALSE(outcome.ok());
    CHECK(outcome.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(outcome.error().message, ContainsSubstring(message));
  };
  check_refused({}, "0 conditions");
  check_refused({{kCity, "Rome"}, {3, "x"}}, "condition 1 is of attribute 3");
  check_refused({{3, "x"}}, "between 0 and 2");
  check_refused({{kCity, std::string(kMaxValueBytes + 1, 'x')}}, "65537 bytes");
  CHECK(table.store.lookups().empty());
  CHECK(table.Find({{kCity, std::string(kMaxValueBytes, 'x')}}).ok());
}

TEST_CASE("a query asks only the regions that the directory names", "[index]") {
  FakeTable table;
  table.Put("d1", "Rome");
  table.Put("d2", "Oslo");
  table.Put("j1", "Rome");
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}).value();
  CHECK(KeysOf(outcome) == FoundKeys{"d1", "j1"});
  CHECK(outcome.rows[0] == Row{"d1", {{"Rome"}, {"red"}, {""}}});
  CHECK(outcome.unanswered.empty());

  const QueryPlan& plan = outcome.plan;
  CHECK(plan.version == table.index.PinVersion().version());
  CHECK(plan.not_indexed.empty());
  CHECK_FALSE(plan.is_broadcast);
  CHECK(plan.num_regions == 6);
  CHECK(plan.num_candidates == 2);
  CHECK(plan.num_unbuilt == 0);
  CHECK(plan.num_regions_with_rows == 2);
  CHECK(plan.num_servers == 3);
  CHECK(plan.num_servers_asked == 2);
  CHECK(plan.num_servers_with_rows == 2);
  CHECK(plan.num_lookups == 2);
  CHECK(plan.num_retries == 0);
  CHECK(plan.num_entries_read == 2);
  CHECK(plan.num_rows_read == 3);
  CHECK(plan.directory_time.count() > 0);
  CHECK(plan.total_time >= plan.directory_time);

  const std::vector<LookupRequest> lookups = table.store.lookups();
  REQUIRE(lookups.size() == 2);
  CHECK(lookups[0].server == 0);
  CHECK(lookups[0].ranges == std::vector<KeyRange>{{"c", "e"}});
  CHECK(lookups[0].conditions == std::vector<Condition>{{kCity, "Rome"}});
  CHECK(lookups[0].indexed_conditions == std::vector<uint32_t>{0});
  CHECK(lookups[1].server == 2);
  CHECK(lookups[1].ranges == std::vector<KeyRange>{{"i", "k"}});
}

TEST_CASE("a query for a value that is in no region asks no server", "[index]") {
  FakeTable table;
  table.Put("d1", "Rome");
  const QueryOutcome outcome = table.Find({{kCity, "Oslo"}}).value();
  CHECK(outcome.rows.empty());
  CHECK(outcome.unanswered.empty());
  CHECK(outcome.plan.num_candidates == 0);
  CHECK(outcome.plan.num_lookups == 0);
  CHECK(table.store.lookups().empty());
}

TEST_CASE("neighbours on one server are one range, and a server gets one lookup", "[index]") {
  // Servers   0  1  1  1  0  0 : neighbours of server 1, and two ranges of server 0.
  std::vector<Region> regions;
  const auto splits = FakeTable::Splits();
  for (uint32_t i = 0; i < 6; ++i) {
    regions.push_back({.id = 10 - i,
                       .range = {i == 0 ? "" : splits[i - 1], i == 5 ? "" : splits[i]},
                       .server = i >= 1 && i <= 3 ? 1u : 0u});
  }
  FakeTable table(RegionTable::Create(regions).value());
  for (const char* key : {"a", "c", "e", "i", "k"}) table.Put(key, "Rome");  // not g
  CHECK(KeysOf(table.Find({{kCity, "Rome"}}).value()) == FoundKeys{"a", "c", "e", "i", "k"});
  const std::vector<LookupRequest> lookups = table.store.lookups();
  REQUIRE(lookups.size() == 2);
  CHECK(lookups[0].ranges == std::vector<KeyRange>{{"", "c"}, {"i", ""}});
  CHECK(lookups[1].ranges == std::vector<KeyRange>{{"c", "g"}});
}

TEST_CASE("several conditions are intersected, and equal ones count once", "[index]") {
  FakeTable table;
  table.Put("a1", "Rome", "red");
  table.Put("c1", "Rome", "blue");
  table.Put("c2", "Oslo", "red");  // its region has both values, and no row does
  table.Put("k1", "Rome", "red");
  table.Put("k2", "Oslo", "red");
  table.Put("g1", "Oslo", "red");
  const QueryOutcome outcome =
      table.Find({{kColor, "red"}, {kCity, "Rome"}, {kColor, "red"}}).value();
  CHECK(KeysOf(outcome) == FoundKeys{"a1", "k1"});
  CHECK(outcome.plan.num_candidates == 3);
  CHECK(outcome.plan.num_regions_with_rows == 2);
  CHECK(outcome.plan.num_servers_asked == 2);
  const std::vector<LookupRequest> lookups = table.store.lookups();
  REQUIRE(lookups.size() == 2);
  CHECK(lookups[0].ranges == std::vector<KeyRange>{{"", "e"}});
  for (const LookupRequest& lookup : lookups) {
    CHECK(lookup.conditions == std::vector<Condition>{{kColor, "red"}, {kCity, "Rome"}});
    CHECK(lookup.indexed_conditions == std::vector<uint32_t>{0, 1});
  }
}

TEST_CASE("two values of one attribute are met by rows that have both", "[index]") {
  FakeTable table;
  table.Put("a1", "Rome");
  table.Put("a2", "Oslo");
  table.store.Put({"a3", {{"Oslo", "Rome"}, {}, {}}});
  CHECK(KeysOf(table.Find({{kCity, "Rome"}, {kCity, "Oslo"}}).value()) == FoundKeys{"a3"});
}

TEST_CASE("a query without an indexed condition asks all servers, and says so", "[index]") {
  FakeTable table;
  table.Put("d1", "Rome", "red", "late");
  table.Put("k1", "Oslo", "red", "late");
  const QueryOutcome outcome = table.Find({{kNote, "late"}}).value();
  CHECK(KeysOf(outcome) == FoundKeys{"d1", "k1"});
  CHECK(outcome.plan.is_broadcast);
  CHECK(outcome.plan.not_indexed == std::vector<uint32_t>{kNote});
  CHECK(outcome.plan.num_candidates == 6);
  CHECK(outcome.plan.num_unbuilt == 0);
  CHECK(outcome.plan.num_regions_with_rows == 2);
  CHECK(outcome.plan.num_servers_asked == 3);
  CHECK(outcome.plan.num_servers_with_rows == 2);
  CHECK(outcome.plan.num_lookups == 3);
  for (const LookupRequest& lookup : table.store.lookups()) {
    CHECK(lookup.ranges.size() == 1);
    CHECK(lookup.indexed_conditions.empty());
  }
}

TEST_CASE("a condition without an index is left to the servers of the others", "[index]") {
  FakeTable table;
  table.Put("d1", "Rome", "red", "late");
  table.Put("d2", "Rome", "red", "early");
  table.Put("k1", "Oslo", "red", "late");
  const QueryOutcome outcome = table.Find({{kNote, "late"}, {kCity, "Rome"}}).value();
  CHECK(KeysOf(outcome) == FoundKeys{"d1"});
  CHECK_FALSE(outcome.plan.is_broadcast);
  CHECK(outcome.plan.not_indexed == std::vector<uint32_t>{kNote});
  CHECK(outcome.plan.num_candidates == 1);
  REQUIRE(table.store.lookups().size() == 1);
  CHECK(table.store.lookups()[0].indexed_conditions == std::vector<uint32_t>{1});
}

TEST_CASE("a broadcast asks all servers, which still use their local indexes", "[index]") {
  FakeTable table;
  table.Put("d1", "Rome");
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}, 600'000, Routing::kBroadcast).value();
  CHECK(KeysOf(outcome) == FoundKeys{"d1"});
  CHECK(outcome.plan.is_broadcast);
  CHECK(outcome.plan.not_indexed.empty());
  CHECK(outcome.plan.num_candidates == 6);
  CHECK(outcome.plan.num_servers_asked == 3);
  CHECK(table.store.lookups()[2].indexed_conditions == std::vector<uint32_t>{0});
}

TEST_CASE("regions whose columns are not built are asked for every value", "[index]") {
  FakeTable table;
  table.Put("d1", "Rome");
  table.Put("g1", "Rome");
  const std::vector<ColumnName> unbuilt = {{1, kCity}, {4, kCity}};  // c, d and i, j
  table.index.MarkUnbuilt(unbuilt);
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}).value();
  CHECK(KeysOf(outcome) == FoundKeys{"d1", "g1"});
  CHECK(outcome.plan.num_candidates == 3);
  CHECK(outcome.plan.num_unbuilt == 2);
  CHECK(outcome.plan.num_regions_with_rows == 2);
  CHECK_FALSE(outcome.plan.is_broadcast);

  // A built column of another condition limits them.
  const QueryOutcome both = table.Find({{kCity, "Rome"}, {kColor, "red"}}).value();
  CHECK(KeysOf(both) == FoundKeys{"d1", "g1"});
  CHECK(both.plan.num_candidates == 2);
  CHECK(both.plan.num_unbuilt == 1);
}

TEST_CASE("rows that were not asked for are ignored", "[index]") {
  FakeTable table;
  table.Put("c1", "Rome");
  table.store.AddStray(0, {"a1", {{"Rome"}, {}, {}}});        // of a region that was not asked
  table.store.AddStray(0, {"e", {{"Rome"}, {}, {}}});         // of the key right behind the range
  table.store.AddStray(0, {"k1", {{"Rome"}, {}, {}}});        // of another server
  table.store.AddStray(0, {"c2", {{"Oslo"}, {"Rome"}, {}}});  // of another value
  table.store.AddStray(0, {"c3", {}});                        // without attributes
  table.store.AddStray(0, {"c1", {{"Rome"}, {}, {}}});        // a second time
  const QueryOutcome outcome = table.Find({{kCity, "Rome"}}).value();
  CHECK(KeysOf(outcome) == FoundKeys{"c1"});
  CHECK(outcome.plan.num_regions_with_rows == 1);
}

}  // namespace
}  // namespace trommel::index::tests
