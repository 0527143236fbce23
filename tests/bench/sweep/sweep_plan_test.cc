// The plan of a sweep: its options and their defaults, the list of rows, and the names of rows.
#include "bench/sweep/sweep_plan.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "bench/sweep/made_card.h"
#include "bench/sweep/sweep_row.h"
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

TEST_CASE("runs have a few rows beside those of planes, or all on request", "[bench][sweep_plan]") {
  const auto of_runs = [](const std::string& name) { return name.find("/runs:5/") != name.npos; };
  const std::string erase = "erase/runs:5/keys:30M/target:best/batch:1Mi/threads:1";
  const std::string skewed = "insert_zipf/runs:5/keys:30M/target:best/batch:1Mi/threads:1";
  const std::vector<std::string> unsaid = Names({});
  CHECK(std::ranges::count(unsaid, erase) == 1);
  CHECK(std::ranges::count(unsaid, "query_miss/runs:5/keys:5k/target:best/batch:1Mi/threads:1") ==
        1);
  CHECK(std::ranges::count(unsaid, "ceiling_update/runs:5/keys:30M/threads:1") == 1);
  CHECK(std::ranges::count(unsaid, skewed) == 0);
  CHECK(std::ranges::count_if(unsaid, of_runs) * 2 < static_cast<ptrdiff_t>(unsaid.size()));

  const std::vector<std::string> planes = Names({.encodings = {Encoding::kPlanes}});
  CHECK(std::ranges::count_if(planes, of_runs) == 0);
  const std::vector<std::string> runs = Names({.encodings = {Encoding::kRuns}});
  CHECK(runs.size() == planes.size());
  CHECK(std::ranges::count(runs, skewed) == 1);
  CHECK(std::ranges::count(runs, "hash_int/keys:30M/target:best/batch:1Mi/threads:1") == 1);
  CHECK(std::ranges::count(runs, "insert/keys:30M/target:best/batch:1Mi/threads:1") == 0);
  const std::vector<std::string> both = Names({.encodings = {Encoding::kPlanes, Encoding::kRuns}});
  CHECK(both.size() > planes.size());
  for (const auto* some : {&planes, &runs}) {
    for (const std::string& name : *some) CHECK(std::ranges::count(both, name) == 1);
  }
}

TEST_CASE("a row's ceilings precede it, with its size and threads", "[bench][sweep_plan]") {
  const Result<SweepPlan> plan = MakePlan({.filter = "^insert"}, MadeCard());
  REQUIRE(plan.ok());
  std::set<std::tuple<Operation, uint64_t, Encoding, uint32_t>> seen;
  std::set<std::pair<uint64_t, Encoding>> filters_left;
  std::pair<uint64_t, Encoding> filter;
  for (const SweepRow& row : plan->rows) {
    INFO(row.name);
    for (const Operation op : CeilingsOf(row)) {
      CHECK(seen.contains({op, row.num_keys, row.encoding, row.num_threads}));
    }
    if (IsCeiling(row.operation)) {
      CHECK(row.operation != Operation::kReadCeiling);  // bounds no insert
      seen.emplace(row.operation, row.num_keys, row.encoding, row.num_threads);
    }
    // A filter is created once.
    const std::pair now(row.num_keys, row.encoding);
    if (now != filter) CHECK(filters_left.insert(now).second);
    filter = now;
  }
}

TEST_CASE("a filter that is not a regular expression, or matches no row, is refused",
          "[bench][sweep_plan]") {
  CHECK(MakePlan({.filter = "insert("}, MadeCard()).error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(MakePlan({.filter = "insert("}, MadeCard()).error().message,
             Catch::Matchers::ContainsSubstring("'insert('"));
  CHECK_THAT(MakePlan({.filter = "polka"}, MadeCard()).error().message,
             Catch::Matchers::ContainsSubstring("'polka'"));
  CHECK_FALSE(MakePlan({.sizes = {0}}, MadeCard()).ok());
}

std::string Refusal(const SweepOptions& options) {
  const Result<SweepOptions> completed = CompleteOptions(options, MadeCard());
  REQUIRE_FALSE(completed.ok());
  return completed.error().message;
}

TEST_CASE("sizes reach from L1 to memory", "[bench][sweep_options]") {
  const Result<SweepOptions> options = CompleteOptions({}, MadeCard());
  REQUIRE(options.ok());
  CHECK(options->sizes == std::vector<uint64_t>{5'000, 100'000, 3'000'000, 30'000'000});
  CHECK(options->threads == std::vector<uint32_t>{1, 2, 4, 6});
  CHECK(options->targets == MadeCard().runnable_targets);
  CHECK(options->seconds_per_figure == 1);
  MachineCard large = MadeCard();
  large.caches.back().num_bytes = uint64_t{100} << 20;
  CHECK(CompleteOptions({}, large)->sizes.back() == 100'000'000);
  CHECK(CompleteOptions({.quick = true}, large)->sizes.back() == 30'000'000);
  CHECK(CompleteOptions({.quick = true}, large)->seconds_per_figure < 1);
  MachineCard small = MadeCard();
  small.memory_bytes = uint64_t{64} << 20;
  CHECK(CompleteOptions({}, small)->sizes.back() == 3'000'000);
}

TEST_CASE("what cannot be measured is refused, with its value", "[bench][sweep_options]") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(Refusal({.sizes = {0}}), ContainsSubstring("0 keys"));
  CHECK_THAT(Refusal({.sizes = {999}}), ContainsSubstring("1000"));
  CHECK_THAT(Refusal({.sizes = {5'000'000'000}}), ContainsSubstring("MiB"));
  CHECK_THAT(Refusal({.threads = {0}}), ContainsSubstring("0 threads"));
  CHECK_THAT(Refusal({.threads = {5000}}), ContainsSubstring("5000 threads"));
  CHECK_THAT(Refusal({.targets = {"Z80"}}), ContainsSubstring("'Z80'"));
  CHECK_THAT(Refusal({.targets = {"Z80"}}), ContainsSubstring("AVX2 SSE4 SCALAR"));
  CHECK_THAT(Refusal({.seconds_per_figure = -1}), ContainsSubstring("above 0"));
  const SweepOptions too_large = {.sizes = {5'000'000'000}};
  CHECK(CompleteOptions(too_large, MadeCard()).error().code == ErrorCode::kOutOfMemory);
}

}  // namespace

}  // namespace trommel::bench
