// trommel-index: reports are JSON that says what happened; and what stats says of operation.
#include <string>
#include <vector>

#include "index/tools/made_table.h"
#include "support/catch.h"
#include "tools/index/commands/stats.h"
#include "tools/run_tool.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

TEST_CASE("a query's report has rows and plan", "[tools]") {
  const MadeTable table(200, {"--servers", "4", "--regions", "8"});
  const json report = table.Report("query", {"shape=shape7"});
  CHECK(report["num_rows"] == 2);
  REQUIRE(report["rows"].size() == 2);
  CHECK(report["rows"][0]["key"] == "0007");
  CHECK(report["rows"][0]["attributes"]["tags"] == json({"t0", "u1"}));
  CHECK(report["num_regions"] == 8);
  CHECK(report["num_servers"] == 4);
  CHECK(report["num_unbuilt"] == 0);
  CHECK(report["num_regions_with_rows"] == 2);
  CHECK(report["num_servers_with_rows"] == 2);
  CHECK(report["num_candidates"] >= 2);
  CHECK(report["is_broadcast"] == false);
  CHECK(report["unanswered"].empty());
  CHECK(report["num_lookups_saved"] == 4 - report["num_lookups"].get<int>());

  const json broadcast = table.Report("query", {"shape=shape7", "--broadcast"});
  CHECK(broadcast["rows"] == report["rows"]);
  CHECK(broadcast["num_candidates"] == 8);
  CHECK(broadcast["num_servers_asked"] == 4);
  CHECK(broadcast["is_broadcast"] == true);

  CHECK(table.Report("query", {"shape=none"}, 1)["rows"].empty());
}

TEST_CASE("a load's report counts rows, keys and what was overwritten", "[tools]") {
  const TempFolder folder;
  const std::string rows = folder.Write("f", "k\ta\tb\nx\t1\t2\ny\t1\t2\n\nx\t3\t4\n");
  const json report =
      ReportOf({"load", folder.Path("table"), rows, "--key", "k", "--not-index", "b"});
  CHECK(report["num_rows"] == 3);
  CHECK(report["num_keys"] == 2);
  CHECK(report["num_empty_lines"] == 1);
  CHECK(report["num_attributes"] == 2);
  CHECK(report["num_indexed"] == 1);
  CHECK(report["num_regions"] == 2);
  CHECK(report["is_cut_by_all_rows"] == true);
  const ToolResult found = RunTool({"query", folder.Path("table"), "a=3", "-q"});
  CHECK(found.out == "1\n");
}

TEST_CASE("statistics name each attribute with its cost", "[tools]") {
  const MadeTable table(200, {"--servers", "2", "--not-index", "tags"});
  const json report = table.Report("stats", {});
  CHECK(report["num_servers"] == 2);
  CHECK(report["num_regions"] == 8);
  CHECK(report["servers"].size() == 2);
  REQUIRE(report["attributes"].size() == 3);
  const json& colour = report["attributes"][0];
  CHECK(colour["name"] == "colour");
  CHECK(colour["state"] == "indexed");
  CHECK(colour["num_pairs"] == 40);  // 5 in each of 8 regions
  CHECK(colour["num_unbuilt"] == 0);
  CHECK(colour["bits_per_pair"] > 0);
  CHECK(report["attributes"][1]["state"] == "none");
  CHECK(table.Run("stats", {}).exit_code == 0);
}

TEST_CASE("statistics are printed as metrics", "[tools]") {
  const MadeTable table(200, {"--servers", "2", "--not-index", "tags"});
  const ToolResult page = table.Run("stats", {"--prometheus"});
  CHECK(page.exit_code == 0);
  for (const char* const line :
       {"# TYPE trommel_index_queries_total counter\n", "\ntrommel_index_regions 8\n",
        "\ntrommel_index_attribute_pairs{attribute=\"colour\"} 40\n",
        "\ntrommel_index_attribute_state{attribute=\"tags\",state=\"none\"} 1\n",
        "\ntrommel_index_server_stopped{server=\"1\"} 0\n"}) {
    CAPTURE(line);
    CHECK(page.out.find(line) != std::string::npos);
  }
}

TEST_CASE("the demo's table is kept in a folder that is given", "[tools]") {
  const TempFolder folder;
  const std::string path = folder.Path("kept");
  CHECK(RunTool({"demo", path, "--products", "1000"}).exit_code == 0);
  CHECK(RunTool({"query", path, "ean=4000000000007", "-q"}).out == "1\n");
  CHECK(RunTool({"demo", path, "--products", "1000"}).exit_code == 3);
}

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
