// trommel targets, and how a target is chosen: the same bytes on all of them.
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

json Targets(const std::vector<std::string>& arguments, const std::vector<std::string>& variables) {
  std::vector<std::string> all = {"targets", "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ToolResult result = RunTool(all, "", variables);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return json::parse(result.out);
}

TEST_CASE("the target is the option's, else the environment's, else the best", "[tools][targets]") {
  const json best = Targets({}, {"TROMMEL_TARGET="});
  CHECK(best["active"] == best["runnable"][0]);
  const std::string last = best["runnable"].back();
  const json from_environment = Targets({}, {"TROMMEL_TARGET=" + last});
  CHECK(from_environment["active"] == last);
  CHECK(from_environment["reason"] == "TROMMEL_TARGET");
  const json from_option = Targets({"--target", last}, {"TROMMEL_TARGET="});
  CHECK(from_option["active"] == last);
  CHECK(from_option["reason"] == "--target");
}

TEST_CASE("a target that cannot run is a usage error for every subcommand", "[tools][targets]") {
  const ToolResult result = RunTool({"size", "-n", "10"}, "", {"TROMMEL_TARGET=Z80"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Matchers::ContainsSubstring("Z80"));
  CHECK(RunTool({"targets", "--target", "Z80"}).exit_code == 2);
}

TEST_CASE("every target builds the same file", "[tools][targets]") {
  const TempFolder folder;
  std::string first;
  const json targets = Targets({}, {"TROMMEL_TARGET="});
  for (const json& name : targets["runnable"]) {
    const std::string target = name;
    REQUIRE(RunTool({"build", "-n", "1k", "-o", folder.Path(target), "--target", target},
                    Lines("key", 2000))
                .exit_code == 0);
    if (first.empty()) first = folder.Read(target);
    CHECK(folder.Read(target) == first);
  }
}

}  // namespace
}  // namespace trommel::tests
