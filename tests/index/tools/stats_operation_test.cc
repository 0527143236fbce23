// What stats says of queries, waits and failures, of which a command that opens the table has none.
#include "tools/index/commands/stats_operation.h"

#include <string>

#include "index/tools/made_table.h"
#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tests {
namespace {

std::string DescribedOperation(const index::ClusterStats& stats, bool as_json) {
  tool::Report report;
  tool::DescribeOperation(stats, report);
  return Printed(report, as_json);
}

TEST_CASE("figures of operation that are 0 are left out of the text, not of the JSON", "[tools]") {
  index::ClusterStats stats;
  stats.servers.resize(3);
  stats.directory.attributes.resize(2);
  CHECK(DescribedOperation(stats, false).empty());
  const auto report = nlohmann::json::parse(DescribedOperation(stats, true));
  for (const char* const name : {"num_unbuilt",
                                 "num_columns_waiting",
                                 "num_growing",
                                 "num_building",
                                 "num_dropping",
                                 "num_leftovers",
                                 "num_retired_columns",
                                 "num_refused_pairs",
                                 "num_splits",
                                 "num_merges",
                                 "num_moves",
                                 "num_queries",
                                 "num_candidates",
                                 "num_unbuilt_candidates",
                                 "num_false_regions",
                                 "false_regions_per_query",
                                 "num_retries",
                                 "num_unanswered",
                                 "num_gate_waits",
                                 "gate_wait_seconds",
                                 "longest_gate_wait_seconds",
                                 "num_switches",
                                 "longest_switch_seconds"}) {
    CAPTURE(name);
    CHECK(report.at(name) == 0);
  }
  CHECK(report.at("stopped_servers").empty());
  CHECK(report.at("last_failure").is_null());
}

TEST_CASE("an operator sees lost servers, unbuilt columns, waits and the last failure", "[tools]") {
  index::ClusterStats stats;
  stats.servers.resize(3);
  stats.servers[0].is_stopped = true;
  stats.servers[2].is_stopped = true;
  stats.directory.attributes = {
      {.state = index::AttributeState::kIndexed, .num_unbuilt = 4, .is_growing = true},
      {.state = index::AttributeState::kBuilding, .num_unbuilt = 8},
      {.state = index::AttributeState::kDropping, .num_unbuilt = 8}};
  stats.num_leftovers = 2;
  stats.gates = {.num_waits = 5,
                 .wait_seconds = 0.25,
                 .longest_wait = 0.125,
                 .num_switches = 3,
                 .longest_switch = 0.5};
  stats.queries.num_queries = 8;
  stats.queries.num_candidates = 40;
  stats.queries.num_false = 2;
  stats.last_failure = "server 0 is stopped";

  const auto report = nlohmann::json::parse(DescribedOperation(stats, true));
  CHECK(report.at("stopped_servers") == nlohmann::json({0, 2}));
  CHECK(report.at("num_unbuilt") == 4);
  CHECK(report.at("num_growing") == 1);
  CHECK(report.at("num_building") == 1);
  CHECK(report.at("num_dropping") == 1);
  CHECK(report.at("false_regions_per_query") == 0.25);
  CHECK(report.at("longest_switch_seconds") == 0.5);
  CHECK(report.at("last_failure") == "server 0 is stopped");

  const std::string text = DescribedOperation(stats, false);
  for (const char* const part :
       {"0, 2", "regions asked per query: 5.000; of them 0.250 without a row",
        "waited at gates: 250.000 ms in all, at most 125.000 ms", "longest switch: 500.000 ms",
        "server 0 is stopped"}) {
    CAPTURE(text, part);
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace
}  // namespace trommel::tests
