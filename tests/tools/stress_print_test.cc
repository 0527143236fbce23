// What stress says of a violation: enough to understand it, and to look for it again.
#include "tools/trommel/stress_print.h"

#include <cstdio>
#include <string>

#include "support/catch.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string PrintedReport(const Report& report, bool as_json) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  CHECK(report.Print(as_json, file).ok());
  std::string text(static_cast<size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  CHECK(std::fread(text.data(), 1, text.size(), file) == text.size());
  std::fclose(file);
  return text;
}

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

TEST_CASE("a violation is told with its law, key, calls and seed", "[tools][stress]") {
  stress::CampaignOptions options;
  options.mixes = {*stress::FindMix("hot")};
  options.seed = 42;
  options.num_writers = 2;
  options.num_readers = 1;
  Report report;
  DescribeViolation(options, Broken(), "trommel", report);
  const std::string text = PrintedReport(report, false);
  CHECK_THAT(
      text, ContainsSubstring("VIOLATED INVARIANT: a key that is in is never answered \"absent\""));
  CHECK_THAT(text, ContainsSubstring("mix hot, round 12, seed 42"));
  CHECK_THAT(text, ContainsSubstring("found by reader 0 at 99"));
  CHECK_THAT(text, ContainsSubstring("key 17: 4711"));
  CHECK_THAT(text, ContainsSubstring("key 6 of 64"));
  CHECK_THAT(text,
             ContainsSubstring(
                 "trommel stress --type concurrent --seed 42 --mix hot --round 12 --writers 2"));

  const Json json = Json::parse(PrintedReport(report, true));
  CHECK(json["ok"] == false);
  CHECK(json["violation"]["law"] == "no-false-negative");
  CHECK(json["violation"]["events"].size() == 2);
  CHECK(json["violation"]["events"][1]["thread"] == "reader 0");
}

TEST_CASE("a campaign that held is all figures", "[tools][stress]") {
  stress::CampaignOptions options;
  options.mixes = {*stress::FindMix("hot")};
  options.seed = 1;
  stress::CampaignResult result = Broken();
  result.violation.reset();
  result.totals.num_keys[0] = 5'000'000;
  result.growth.most_generations = 7;
  result.growth.num_added = 12;
  Report report;
  DescribeCampaign(options, result, 2.0, report);
  DescribeViolation(options, result, "trommel", report);
  const std::string text = PrintedReport(report, false);
  CHECK_THAT(text, ContainsSubstring("5,000,000 keys"));
  CHECK_THAT(text, ContainsSubstring("7 at most, seen 12 times to come"));
  const Json json = Json::parse(PrintedReport(report, true));
  CHECK(json["ok"] == true);
  CHECK(json["keys_per_second"] == 2'500'000);
  CHECK(json["mixes"][0]["num_rounds"] == 13);
  CHECK(json["most_generations"] == 7);
}

}  // namespace
}  // namespace trommel::tool
