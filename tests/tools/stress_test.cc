// trommel stress as a user meets it.
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/stress/plans/mix.h"
#include "tools/trommel/commands/stress_print.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

TEST_CASE("stress runs the rounds it is asked for, and every invariant holds", "[tools][stress]") {
  const ToolResult result = RunTool({"stress", "--mix", "churn", "--rounds", "1", "--seed", "7"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("seed 7"));
  CHECK_THAT(result.out, ContainsSubstring("churn"));
  CHECK_THAT(result.out, ContainsSubstring("Every invariant held"));
  CHECK(result.err.empty());  // no progress in a pipe
}

TEST_CASE("what stress found is there for programs", "[tools][stress]") {
  const json figures = ReportOf({"stress", "--mix", "points", "--mix", "churn", "--rounds", "2",
                                 "--writers", "3", "--readers", "1"});
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
  CHECK(figures["machine"]["num_cpus"] >= 1);
  CHECK(figures["machine"]["load_avg"].size() == 3);
  for (const char* field : {"cpu_model", "date", "kernel", "target", "trommel_version"}) {
    CHECK(figures["machine"][field].is_string());
  }
  CHECK_FALSE(figures.contains("violation"));
}

TEST_CASE("stress tests concurrent filters of any encoding, and other types have none",
          "[tools][stress]") {
  const std::string type = GENERATE("concurrent", "scalable");
  const bool is_concurrent = type == "concurrent";
  std::vector<std::string> arguments = {"stress", "--type",   type, "--mix",  "races", "--mix",
                                        "points", "--rounds", "2",  "--seed", "1",     "--json"};
  if (is_concurrent) arguments.insert(arguments.end(), {"--encoding", "dense"});
  const ToolResult result = RunTool(arguments);
  INFO(result.out << result.err);
  REQUIRE(result.exit_code == 0);
  const json figures = json::parse(result.out);
  CHECK(figures.contains("encoding") == is_concurrent);
  // Keys that have a block of their own: a filter that grows has none.
  if (is_concurrent) CHECK(figures["num_refused_erases"] > 0);
  const ToolResult refused = RunTool({"stress", "--type", "window", "--encoding", "dense"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             ContainsSubstring("--encoding: only filters of --type concurrent have one"));
}

TEST_CASE("one round can be run again", "[tools][stress]") {
  CHECK(ReportOf({"stress", "--seed", "5", "--mix", "churn", "--round", "12", "--rounds",
                  "2"})["num_rounds"] == 2);
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
  CHECK(RunTool({"stress", "--writers", "100000"}).exit_code == 2);
}

TEST_CASE("an interrupted stress says what was done", "[tools][stress]") {
  RunningTool tool({"stress", "--mix", "churn", "--seconds", "600"});
  // When the first line is there, signals are noted.
  while (tool.OutputSoFar().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  tool.Signal(SIGINT);
  const ToolResult result = tool.Wait();
  CHECK(result.signal == SIGINT);
  CHECK_THAT(result.out, ContainsSubstring("Interrupted. Every invariant held so far."));
}

}  // namespace
}  // namespace trommel::tests

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;

stress::CampaignResult Broken() {
  stress::CampaignResult result;
  result.mixes.resize(1);
  result.mixes[0].num_rounds = 13;
  result.num_rounds = 13;
  result.broken_round = stress::DrawPlan(*stress::FindMix("hot"), 42, 12, 2, 1);
  stress::Violation violation;
  violation.invariant = stress::Invariant::kNoFalseNegative;
  violation.id = 17;
  violation.key = "4711";
  violation.thread = 2;
  violation.time = 99;
  violation.detail = "absent, though 3 copies were in all the while";
  violation.events.push_back({.begin = 90, .end = 92, .op = stress::Op::kInsert, .batch = 1});
  violation.events.push_back(
      {.begin = 95, .end = 98, .thread = 2, .op = stress::Op::kQuery, .batch = 64, .position = 5});
  result.violation = violation;
  return result;
}

TEST_CASE("a violation is reported with its invariant, key, calls and seed", "[tools][stress]") {
  stress::CampaignOptions options;
  options.mixes = {*stress::FindMix("hot")};
  options.seed = 42;
  options.num_writers = 2;
  options.num_readers = 1;
  Report report;
  DescribeViolation(options, Broken(), "trommel", report);
  const std::string text = tests::Printed(report, false);
  CHECK_THAT(
      text, ContainsSubstring("VIOLATED INVARIANT: a key that is in is never answered \"absent\""));
  CHECK_THAT(text, ContainsSubstring("mix hot, round 12, seed 42"));
  CHECK_THAT(text, ContainsSubstring("found by reader 0 at 99"));
  CHECK_THAT(text, ContainsSubstring("key 17: 4711"));
  CHECK_THAT(text, ContainsSubstring("key 6 of 64"));
  CHECK_THAT(text,
             ContainsSubstring(
                 "trommel stress --type concurrent --seed 42 --mix hot --round 12 --writers 2"));

  const nlohmann::json json = nlohmann::json::parse(tests::Printed(report, true));
  CHECK(json["ok"] == false);
  CHECK(json["violation"]["law"] == "no-false-negative");
  CHECK(json["violation"]["events"].size() == 2);
  CHECK(json["violation"]["events"][1]["thread"] == "reader 0");
}

TEST_CASE("the last line says in how many of the mixes every invariant held", "[tools][stress]") {
  stress::CampaignOptions options;
  options.mixes.assign(stress::AllMixes().begin(), stress::AllMixes().end());
  const size_t num_mixes = options.mixes.size();
  const std::string all = std::to_string(num_mixes);
  stress::CampaignResult result;
  CHECK(Outcome(options, result, 1, false) == "Nothing was checked: give it more time.");
  result.totals.num_checked = 100;
  result.num_rounds = 4;
  CHECK(Outcome(options, result, 10, false) == "Every invariant held, in 4 of " + all +
                                                   " mixes; --seconds " +
                                                   std::to_string(3 * num_mixes) + " reaches all.");
  options.num_rounds = 4;
  CHECK(Outcome(options, result, 10, true) == "Interrupted. Every invariant held so far, in 4 of " +
                                                  all + " mixes; --rounds " + all + " tries all.");
  options.types = {FilterType::kConcurrent, FilterType::kScalable};
  CHECK_THAT(
      Outcome(options, result, 10, false),
      ContainsSubstring("in 4 of " + std::to_string(2 * num_mixes) + " pairs of mix and type"));
  result.num_rounds = 2 * num_mixes;
  CHECK(Outcome(options, result, 10, false) == "Every invariant held.");
  options.only_round = 7;
  result.num_rounds = 1;
  CHECK(Outcome(options, result, 10, false) == "Every invariant held.");
  result.violation.emplace();
  CHECK(Outcome(options, result, 10, false) == "An invariant was violated.");
}

}  // namespace
}  // namespace trommel::tool
