// trommel stress as a user meets it.
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/stress/plans/mix.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

TEST_CASE("stress runs the rounds it is asked for, and every invariant holds", "[tools][stress]") {
  const ToolResult result = RunTool({"stress", "--mix", "churn", "--rounds", "2", "--seed", "7"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("seed 7"));
  CHECK_THAT(result.out, ContainsSubstring("churn"));
  CHECK_THAT(result.out, ContainsSubstring("Every invariant held"));
  CHECK(result.err.empty());  // no progress in a pipe
}

TEST_CASE("what stress found is there for programs", "[tools][stress]") {
  const ToolResult result = RunTool({"stress", "--mix", "points", "--mix", "churn", "--rounds", "2",
                                     "--writers", "3", "--readers", "1", "--json"});
  REQUIRE(result.exit_code == 0);
  const json figures = json::parse(result.out);
  CHECK(figures["ok"] == true);
  CHECK(figures["num_rounds"] == 2);
  CHECK(figures["num_writers"] == 3);
  CHECK(figures["num_keys"] > 100'000);
  CHECK(figures["num_checked"] > 10'000);
  CHECK(figures["num_races"] > 0);
  CHECK(figures["operations"]["insert-if-absent"] > 0);
  CHECK(figures["mixes"].size() == 2);
  CHECK(figures["mixes"][1]["name"] == "churn");
  CHECK(figures["interrupted"] == false);
  CHECK_FALSE(figures.contains("violation"));
}

TEST_CASE("stress lets a scalable filter grow", "[tools][stress]") {
  const ToolResult result = RunTool({"stress", "--type", "scalable", "--mix", "points", "--mix",
                                     "churn", "--rounds", "2", "--json"});
  REQUIRE(result.exit_code == 0);
  const json figures = json::parse(result.out);
  CHECK(figures["types"] == json::array({"scalable"}));
  CHECK(figures["most_generations"] > 1);
  CHECK(figures["num_generations_added"] >= figures["most_generations"].get<uint64_t>() - 1);
  CHECK(figures["mixes"][0]["most_generations"] > 1);
}

TEST_CASE("stress takes the types in turn", "[tools][stress]") {
  const ToolResult result =
      RunTool({"stress", "--type", "all", "--mix", "churn", "--rounds", "2", "--json"});
  REQUIRE(result.exit_code == 0);
  const json figures = json::parse(result.out);
  CHECK(figures["types"] == json::array({"concurrent", "scalable", "window"}));
  CHECK(figures["most_generations"] >= 1);
}

TEST_CASE("one round can be run again", "[tools][stress]") {
  const ToolResult result = RunTool(
      {"stress", "--seed", "5", "--mix", "churn", "--round", "12", "--rounds", "2", "--json"});
  REQUIRE(result.exit_code == 0);
  CHECK(json::parse(result.out)["num_rounds"] == 2);
  CHECK(RunTool({"stress", "--round", "12"}).exit_code == 2);  // of which seed and mix?
}

TEST_CASE("stress lists its mixes", "[tools][stress]") {
  const ToolResult result = RunTool({"stress", "--list"});
  CHECK(result.exit_code == 0);
  for (const stress::Mix& mix : stress::AllMixes()) {
    CHECK_THAT(result.out, ContainsSubstring(std::string(mix.name)));
  }
}

TEST_CASE("stress refuses what makes no sense", "[tools][stress]") {
  CHECK(RunTool({"stress", "--mix", "none"}).exit_code == 2);
  CHECK(RunTool({"stress", "--type", "none"}).exit_code == 2);
  CHECK(RunTool({"stress", "--writers", "0"}).exit_code == 2);
  CHECK(RunTool({"stress", "--writers", "100000"}).exit_code == 2);
  CHECK(RunTool({"stress", "--seconds", "0"}).exit_code == 2);
  CHECK(RunTool({"stress", "--seed", "x"}).exit_code == 2);
}

TEST_CASE("an interrupted stress says what was done", "[tools][stress]") {
  RunningTool tool({"stress", "--mix", "churn", "--seconds", "600"});
  std::string seen;
  // When the first line is there, signals are noted.
  for (int i = 0; i < 3000 && seen.find("seed") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    seen = tool.OutputSoFar();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  tool.Signal(SIGINT);
  const ToolResult result = tool.Wait();
  CHECK(result.signal == SIGINT);
  CHECK_THAT(result.out, ContainsSubstring("Interrupted. Every invariant held so far."));
}

}  // namespace
}  // namespace trommel::tests
