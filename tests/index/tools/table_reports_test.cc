// trommel-index: reports are JSON that says what happened.
#include <string>
#include <vector>

#include "index/tools/made_table.h"
#include "support/catch.h"
#include "tools/run_tool.h"

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
  const ToolResult loaded =
      RunTool({"load", folder.Path("table"), rows, "--key", "k", "--not-index", "b", "--json"});
  REQUIRE(loaded.exit_code == 0);
  const json report = json::parse(loaded.out);
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

TEST_CASE("a verification's report counts what agrees", "[tools]") {
  const MadeTable table(200);
  const json report = table.Report("verify", {});
  CHECK(report["ok"] == true);
  CHECK(report["num_rows"] == 200);
  CHECK(report["num_entries"] == 200 + 2 * 200 + 100);
  CHECK(report["num_unbuilt_columns"] == 0);
  CHECK(report["num_missing_pairs"] == 0);
  CHECK(report["examples"].empty());
}

TEST_CASE("the demo finds the same rows both ways", "[tools]") {
  const ToolResult result = RunTool({"demo", "--products", "3000", "--json"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const json report = json::parse(result.out);
  CHECK(report["do_agree"] == true);
  CHECK(report["is_right_before"] == true);
  CHECK(report["is_right_after"] == true);
  CHECK(report["queries"].size() > 5);
}

TEST_CASE("the demo's table is kept in a folder that is given", "[tools]") {
  const TempFolder folder;
  const std::string path = folder.Path("kept");
  CHECK(RunTool({"demo", path, "--products", "1000"}).exit_code == 0);
  CHECK(RunTool({"query", path, "ean=4000000000007", "-q"}).out == "1\n");
  CHECK(RunTool({"demo", path, "--products", "1000"}).exit_code == 3);
}

}  // namespace
}  // namespace trommel::tests
