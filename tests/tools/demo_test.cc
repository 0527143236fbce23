// trommel demo, what it shows and what it measures.
#include "tools/trommel/commands/demo/demo.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

TEST_CASE("the demo's invariants hold, and its lines fit, whatever the file's name",
          "[tools][demo]") {
  const TempFolder folder;
  const std::string name(60, 'n');
  folder.Write(name, Lines("key", 3000));
  const std::string path = folder.Path(name);
  REQUIRE(std::system(("gzip " + path).c_str()) == 0);
  const ToolResult result =
      RunTool({"demo", path + ".gz"}, "", {"TERM=dumb", "NO_COLOR=1", "COLUMNS=80"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::Matchers::ContainsSubstring("3,000 of ") &&
                             Catch::Matchers::ContainsSubstring("Every invariant held"));
  CHECK(result.out.find('\x1b') == std::string::npos);
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("the demo's figures are there for programs", "[tools][demo]") {
  const TempFolder folder;
  const json figures = ReportOf({"demo", folder.Write("keys", Lines("key", 20000))});
  CHECK(figures["ok"] == true);
  CHECK(figures["num_keys"] == 20000);
  CHECK(figures["members"]["num_maybe_present"] == 20000);
  CHECK(figures["num_erased"] == 5000);
  CHECK(figures["measured_ns"]["insert"] > 0);
}

TEST_CASE("the demo says when it has no keys", "[tools][demo]") {
  const TempFolder folder;
  CHECK(RunTool({"demo", folder.Path("none")}).exit_code == 3);
  CHECK(RunTool({"demo", folder.Write("empty", "")}).exit_code == 3);
}

}  // namespace
}  // namespace trommel::tests

namespace trommel::tool {
namespace {

Trial SoundTrial() {
  Trial trial;
  trial.geometry.num_blocks = 10;
  trial.num_keys = 100;
  trial.members = {100, 100, 1};
  trial.non_members = {100, 1, 0.01};
  trial.part.name = "/some/rather/long/folder/name";
  trial.left = {80, 80, 1};
  trial.gone = {20, 0, 0.01};
  trial.is_restored = true;
  trial.is_emptied = true;
  return trial;
}

TEST_CASE("a sound trial shows no broken invariant and a broken one does", "[tools][demo_print]") {
  Trial trial = SoundTrial();
  Report sound;
  DescribeTrial(trial, sound);
  CHECK(tests::Printed(sound, false).find("BROKEN") == std::string::npos);
  trial.left.num_maybe_present = 79;
  Report broken;
  DescribeTrial(trial, broken);
  CHECK_THAT(tests::Printed(broken, false), Catch::Matchers::ContainsSubstring("BROKEN"));
}

TEST_CASE("without files the demo has keys all the same", "[tools][demo_keys]") {
  const DemoKeys keys = MakeDemoKeys(5000);
  CHECK(keys.keys.size() == 5000);
  CHECK(keys.keys[4999] == "user:4999");
}

}  // namespace
}  // namespace trommel::tool
