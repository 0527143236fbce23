// trommel attr stats: the figures of every set.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

TEST_CASE("stats of columns say what stats say, set by set", "[tools][attr_stats]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  std::string rows = "src\tdst\n";
  for (int i = 0; i < 300; ++i) {
    rows += std::to_string(i % 7) + "\t" + std::to_string(i) + "\n";
  }
  REQUIRE(RunTool({"attr", "build", "-n", "300", "--seed", "3", "-o", filter}, rows).exit_code ==
          0);
  const ToolResult stats = RunTool({"attr", "stats", filter, "--json"});
  CHECK(stats.out == RunTool({"stats", filter, "--json"}).out);
  const json report = json::parse(stats.out);
  CHECK(report["type"] == "attribute");
  CHECK(report["num_tuples"] == 300);
  CHECK(report["seed"] == 3);
  CHECK(report["cuts"].empty());
  REQUIRE(report["sets"].size() == 3);
  uint64_t num_bytes = 0;
  for (const json& set : report["sets"]) {
    CHECK(set["num_generations"] == 1);
    CHECK(set["current_fpr"] <= set["target_fpr"]);
    num_bytes += set["num_bytes"].get<uint64_t>();
  }
  CHECK(report["num_bytes"] == num_bytes);
  // Seven sources are fewer than three hundred pairs.
  CHECK(report["sets"][0]["current_fpr"] < report["sets"][2]["current_fpr"]);
  CHECK_THAT(RunTool({"attr", "stats", filter}).out, ContainsSubstring("src,dst"));
}

}  // namespace
}  // namespace trommel::tests
