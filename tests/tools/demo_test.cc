// trommel demo as a newcomer meets it.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

TEST_CASE("the demo holds its laws on a file of keys, in 80 columns", "[tools][demo]") {
  const TempFolder folder;
  const std::string keys = folder.Write("keys", Lines("key", 30000));
  const ToolResult result = RunTool({"demo", keys});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Matchers::ContainsSubstring("Every law held"));
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(keys) == std::string::npos) CHECK(line.size() <= 80);
  }
}

TEST_CASE("the demo's figures are there for programs", "[tools][demo]") {
  const TempFolder folder;
  const ToolResult result = RunTool({"demo", folder.Write("keys", Lines("key", 20000)), "--json"});
  REQUIRE(result.exit_code == 0);
  const json figures = json::parse(result.out);
  CHECK(figures["ok"] == true);
  CHECK(figures["num_keys"] == 20000);
  CHECK(figures["members"]["num_maybe_present"] == 20000);
  CHECK(figures["num_erased"] == 5000);
  CHECK(figures["insert_ns"]["from_digests"] > 0);
}

TEST_CASE("the demo says when it has no keys", "[tools][demo]") {
  const TempFolder folder;
  CHECK(RunTool({"demo", folder.Path("none")}).exit_code == 3);
  CHECK(RunTool({"demo", folder.Write("empty", "")}).exit_code == 3);
}

}  // namespace
}  // namespace trommel::tests
