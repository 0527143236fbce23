// trommel-index: regions and indexes change, and rows are found as before.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "index/tools/made_table.h"
#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/index/cluster.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

// What queries of each kind find in 210 rows, which verify.
void CheckRows(const MadeTable& table) {
  CHECK(table.NumFound({"colour=colour3"}) == 42);
  CHECK(table.NumFound({"tags=t6"}) == 30);
  CHECK(table.NumFound({"shape=shape1", "tags=u1"}) == 1);
  CHECK(table.NumFound({"colour=none"}) == 0);
  const json report = table.Report("verify", {});
  CHECK(report["ok"] == true);
  CHECK(report["num_rows"] == 210);
  CHECK(report["num_unbuilt_columns"] == 0);
  CHECK(report["num_leftover_rows"] == 0);
}

json RegionsOf(const MadeTable& table) { return table.Report("regions", {})["regions"]; }

std::set<std::string> KeysOf(const json& report) {
  std::set<std::string> keys;
  for (const auto& [key, value] : report.items()) keys.insert(key);
  return keys;
}

TEST_CASE("regions are listed in the order of their keys", "[tools]") {
  const MadeTable table(210, {"--servers", "3", "--regions", "6"});
  const json report = table.Report("regions", {});
  CHECK(report["num_regions"] == 6);
  const json& regions = report["regions"];
  REQUIRE(regions.size() == 6);
  CHECK(regions[0]["begin"] == "");
  CHECK(regions[5]["end"] == "");
  CHECK(KeysOf(regions[0]) == std::set<std::string>{"region", "server", "begin", "end", "num_bytes",
                                                    "num_writes", "writes_per_second"});
  for (size_t i = 0; i < 6; ++i) {
    CHECK(regions[i]["region"] == i);
    CHECK(regions[i]["server"] == i / 2);
    if (i > 0) CHECK(regions[i]["begin"] == regions[i - 1]["end"]);
  }
  const ToolResult text = table.Run("regions", {});
  CHECK(text.exit_code == 0);
  CHECK(std::ranges::count(text.out, '\n') == 7);
  CHECK(text.out.find("the first key to before '0035'") != std::string::npos);
}

TEST_CASE("a region is split at a key, or in the middle of its rows", "[tools]") {
  const std::string structure = GENERATE("map", "server-filters");
  const MadeTable table(210, {"--servers", "2", "--regions", "2", "--structure", structure});
  const json at_key = table.Report("split", {"0", "--key", "0020"});
  CHECK(at_key["region"] == 0);
  CHECK(at_key["key"] == "0020");
  CHECK(at_key["low_region"] == 2);
  CHECK(at_key["high_region"] == 3);
  CHECK(at_key["seconds"] >= 0);
  CheckRows(table);

  const json in_middle = table.Report("split", {"1"});
  const std::string key = in_middle["key"];
  CHECK(key > "0110");
  CHECK(key < "0205");
  CheckRows(table);
  const json regions = RegionsOf(table);
  REQUIRE(regions.size() == 4);
  CHECK(regions[0]["end"] == "0020");
  CHECK(regions[0]["region"] == 2);
  CHECK(regions[1]["region"] == 3);
  CHECK(regions[3]["begin"] == key);
  CHECK(regions[3]["server"] == 1);

  const ToolResult text = table.Run("split", {"2", "--key", "0010"});
  CHECK(text.exit_code == 0);
  CHECK(text.out.starts_with("region 2 split at '0010' into 6 (keys before it) and 7\n"));
}

TEST_CASE("neighbours on one server are merged", "[tools]") {
  const MadeTable table(210, {"--servers", "2", "--regions", "4"});
  const json report = table.Report("merge", {"1", "0"});
  CHECK(report["regions"] == json({1, 0}));
  CHECK(report["merged_region"] == 4);
  CheckRows(table);
  const json regions = RegionsOf(table);
  REQUIRE(regions.size() == 3);
  CHECK(regions[0]["region"] == 4);
  CHECK(regions[0]["begin"] == "");
  CHECK(regions[0]["end"] == regions[1]["begin"]);
  CHECK(table.Run("merge", {"2", "3"}).out.starts_with("regions 2 and 3 merged into 5\n"));
}

TEST_CASE("a region is moved to another server and back", "[tools]") {
  const std::string structure = GENERATE("map", "server-filters");
  const MadeTable table(210, {"--servers", "3", "--regions", "6", "--structure", structure});
  const json report = table.Report("move", {"1", "2"});
  CHECK(report["region"] == 1);
  CHECK(report["from_server"] == 0);
  CHECK(report["server"] == 2);
  CHECK(report["num_bytes"] >= 0);
  CheckRows(table);
  CHECK(RegionsOf(table)[1]["server"] == 2);
  CHECK(table.Report("stats", {})["num_leftovers"] == 0);

  // What is written now is written there, and comes back.
  REQUIRE(table.Run("put", {"0050", "colour=new"}).exit_code == 0);
  const ToolResult back = table.Run("move", {"1", "0"});
  CHECK(back.exit_code == 0);
  CHECK(back.out.starts_with("region 1 moved from server 2 to 0\n"));
  CHECK(RegionsOf(table)[1]["server"] == 0);
  CHECK(table.NumFound({"colour=new"}) == 1);
  CHECK(table.Report("verify", {})["ok"] == true);
}

TEST_CASE("balance prints the moves that it does", "[tools]") {
  const MadeTable table(210, {"--servers", "3", "--regions", "6"});
  CHECK(table.Report("balance", {})["moves"].empty());
  for (const char* const region : {"2", "3", "4"}) {
    REQUIRE(table.Run("move", {region, "0"}).exit_code == 0);
  }
  const json plan = table.Report("balance", {"--dry-run"});
  CHECK(plan["is_dry_run"] == true);
  CHECK(plan["num_moved"] == 0);
  REQUIRE(plan["moves"].size() == 3);
  for (const json& move : plan["moves"]) {
    CHECK(move["from_server"] == 0);
    CHECK(move["server"] != 0);
  }
  const ToolResult text = table.Run("balance", {"--dry-run"});
  CHECK(text.out.starts_with("3 regions to move:\n  region "));

  const json report = table.Report("balance", {});
  CHECK(report["moves"] == plan["moves"]);
  CHECK(report["num_moved"] == 3);
  CHECK(report["is_dry_run"] == false);
  CheckRows(table);
  std::vector<int> num_regions(3);
  for (const json& region : RegionsOf(table)) ++num_regions[region["server"].get<size_t>()];
  CHECK(num_regions == std::vector<int>{2, 2, 2});
}

TEST_CASE("an index is added, dropped and added again", "[tools]") {
  const std::string structure = GENERATE("map", "server-filters");
  const MadeTable table(
      210, {"--servers", "2", "--regions", "4", "--not-index", "tags", "--structure", structure});
  const json added = table.Report("add-index", {"tags", "--rows-per-second", "100000"});
  CHECK(added["attribute"] == "tags");
  CHECK(added["num_pairs"] == 4 * 10);
  CHECK(added["num_bytes"] > 0);
  CheckRows(table);
  CHECK(table.Report("query", {"tags=t6"})["is_broadcast"] == false);
  CHECK(table.Report("verify", {})["num_entries"] == 210 + 2 * 210 + 105);

  CHECK(table.Report("drop-index", {"tags"})["attribute"] == "tags");
  CheckRows(table);
  CHECK(table.Report("query", {"tags=t6"})["is_broadcast"] == true);
  CHECK(table.Report("verify", {})["num_entries"] == 210 + 105);
  CHECK(table.Report("stats", {})["attributes"][1]["state"] == "none");

  const ToolResult again = table.Run("add-index", {"tags"});
  CHECK(again.exit_code == 0);
  CHECK(again.out.starts_with("attribute 'tags' has an index\n"));
  CheckRows(table);
}

TEST_CASE("an index that was begun before is ended by the same command, or by verify", "[tools]") {
  const MadeTable table(210, {"--servers", "2", "--regions", "4", "--not-index", "tags,shape"});
  {
    Result<index::Cluster> open =
        index::Cluster::Open(table.path(), {.num_builders = 0, .finishes_in_background = false});
    REQUIRE(open.ok());
    REQUIRE(open->AddIndex(1).ok());
    REQUIRE(open->AddIndex(2).ok());
    REQUIRE(open->DropIndex(2).ok());
    REQUIRE(open->Close().ok());
  }
  const json stats = table.Report("stats", {});
  CHECK(stats["attributes"][1]["state"] == "building");
  CHECK(stats["attributes"][2]["state"] == "dropping");
  CHECK(stats["num_building"] == 1);
  CHECK(stats["num_dropping"] == 1);
  const ToolResult refused = table.Run("add-index", {"shape"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("is being dropped") != std::string::npos);
  if (GENERATE(true, false)) {
    CHECK(table.Report("add-index", {"tags"})["num_pairs"] == 4 * 10);
  } else {
    CHECK(table.Report("verify", {})["ok"] == true);
  }
  CHECK(table.Report("stats", {})["attributes"][1]["state"] == "indexed");
  CHECK(table.Report("stats", {})["attributes"][2]["state"] == "none");
  CheckRows(table);
}

}  // namespace
}  // namespace trommel::tests
