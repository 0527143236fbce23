// The list of rows: what is in it, what a filter leaves, and that ceilings come first.
#include "bench/sweep/sweep_plan.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "bench/sweep/made_card.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

std::vector<std::string> Names(const SweepOptions& options) {
  const Result<SweepPlan> plan = MakePlan(options, MadeCard());
  REQUIRE(plan.ok());
  std::vector<std::string> names;
  for (const SweepRow& row : plan->rows) names.push_back(row.name);
  return names;
}

TEST_CASE("a plan varies one thing at a time, and names no row twice", "[bench][sweep_plan]") {
  const std::vector<std::string> names = Names({});
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const char* name :
       {"ceiling_read/at:L1/threads:1", "ceiling_stream/at:memory/threads:6",
        "ceiling_update/keys:30M/threads:4", "hash_string/keys:30M/target:best/batch:1Mi/threads:1",
        "insert/keys:5k/target:best/batch:1Mi/threads:1",
        "insert_split/keys:30M/target:best/batch:1Mi/threads:1",
        "erase/keys:30M/target:best/batch:1Mi/threads:6", "ceiling_shard/keys:30M/threads:6",
        "erase/keys:30M/target:SCALAR/batch:1Mi/threads:1",
        "erase/keys:30M/target:AVX2/batch:1Mi/threads:1",
        "query_hit/keys:30M/target:best/batch:64/threads:1",
        "query_half/keys:100k/target:best/batch:1Mi/threads:1",
        "insert_zipf/keys:3M/target:best/batch:1Mi/threads:1",
        "insert_if_absent/keys:3M/target:best/batch:1Mi/threads:1"}) {
    INFO(name);
    CHECK(std::ranges::count(names, name) == 1);
  }
  CHECK(std::ranges::count(names, "ceiling_read/at:L1/threads:6") == 0);
}

TEST_CASE("a row's ceilings stand before it, with its size and threads", "[bench][sweep_plan]") {
  const Result<SweepPlan> plan = MakePlan({.filter = "^insert"}, MadeCard());
  REQUIRE(plan.ok());
  std::set<std::tuple<Operation, uint64_t, uint32_t>> seen;
  std::set<uint64_t> sizes_left;
  uint64_t size = 0;
  for (const SweepRow& row : plan->rows) {
    INFO(row.name);
    for (const Operation op : CeilingsOf(row)) {
      CHECK(seen.contains({op, row.num_keys, row.num_threads}));
    }
    if (IsCeiling(row.operation)) {
      CHECK(row.operation != Operation::kReadCeiling);  // bounds no insert
      seen.emplace(row.operation, row.num_keys, row.num_threads);
    }
    // A filter is made once.
    if (row.num_keys != size) CHECK(sizes_left.insert(row.num_keys).second);
    size = row.num_keys;
  }
}

TEST_CASE("a target in use that is not the best has its name", "[bench][sweep_plan]") {
  MachineCard card = MadeCard();
  card.target = "SSE4";
  const Result<SweepPlan> plan = MakePlan(
      {.filter = "^query_hit", .sizes = {1000}, .threads = {1}, .targets = {"SSE4"}}, card);
  REQUIRE(plan.ok());
  CHECK(plan->rows[1].name == "query_hit/keys:1k/target:SSE4/batch:1Mi/threads:1");
  CHECK(plan->rows[1].target == "SSE4");
}

TEST_CASE("a filter that is no regular expression, or matches nothing, is refused",
          "[bench][sweep_plan]") {
  CHECK(MakePlan({.filter = "insert("}, MadeCard()).error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(MakePlan({.filter = "insert("}, MadeCard()).error().message,
             Catch::Matchers::ContainsSubstring("'insert('"));
  CHECK_THAT(MakePlan({.filter = "polka"}, MadeCard()).error().message,
             Catch::Matchers::ContainsSubstring("'polka'"));
  CHECK_FALSE(MakePlan({.sizes = {0}}, MadeCard()).ok());
}

}  // namespace
}  // namespace trommel::bench
