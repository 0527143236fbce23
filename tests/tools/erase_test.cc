// trommel erase: gone is gone, and refused is counted.
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

TEST_CASE("erase takes back what insert did, to the byte", "[tools][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "1k", "-o", filter}, Lines("a", 500)).exit_code == 0);
  const std::string before = folder.Read("filter");
  REQUIRE(RunTool({"insert", filter}, Lines("b", 300)).exit_code == 0);
  const ToolResult result = RunTool({"erase", filter, "--strict", "--json"}, Lines("b", 300));
  CHECK(result.exit_code == 0);
  CHECK(json::parse(result.out)["num_erased"] == 300);
  CHECK(json::parse(result.out)["num_keys"] == 500);
  CHECK(folder.Read("filter") == before);
}

TEST_CASE("erasing what is certainly absent is counted, and an answer when strict",
          "[tools][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "1k", "-o", filter}, "a\n").exit_code == 0);
  const ToolResult result = RunTool({"erase", filter, "--json"}, "b\nc\n");
  CHECK(result.exit_code == 0);
  CHECK(json::parse(result.out)["num_refused"] == 2);
  CHECK(RunTool({"erase", filter, "--strict"}, "b\n").exit_code == 1);
  CHECK(RunTool({"query", filter}, "a\n").exit_code == 0);
}

}  // namespace
}  // namespace trommel::tests
