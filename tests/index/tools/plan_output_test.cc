// How a query was answered: nothing that a reader should know is left out.
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"
#include "tools/index/table/answer_output.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::Printed;

const index::Schema kSchema = {{{"brand", true}, {"size", false}}, 1};

index::QueryOutcome Outcome() {
  index::QueryOutcome outcome;
  outcome.rows.push_back({"key", {{"a"}, {}}});
  outcome.plan.version = 3;
  outcome.plan.num_regions = 64;
  outcome.plan.num_candidates = 5;
  outcome.plan.num_regions_with_rows = 1;
  outcome.plan.num_servers = 16;
  outcome.plan.num_servers_asked = 4;
  outcome.plan.num_servers_with_rows = 1;
  outcome.plan.num_lookups = 4;
  outcome.plan.num_entries_read = 7;
  outcome.plan.num_rows_read = 2;
  outcome.plan.directory_time = std::chrono::microseconds(20);
  outcome.plan.total_time = std::chrono::microseconds(1500);
  return outcome;
}

std::string TextOf(const index::QueryOutcome& outcome) {
  Report report;
  DescribeAnswer(kSchema, outcome, report);
  return Printed(report, false);
}

bool HasText(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a plan says what was asked, found and saved", "[tools]") {
  const std::string text = TextOf(Outcome());
  CHECK(HasText(text, "regions asked  5 of 64; 1 had rows"));
  CHECK(HasText(text, "servers asked  4 of 16; 1 had rows"));
  CHECK(HasText(text, "RPCs           4; 12 saved against 16 of a broadcast"));
  CHECK(HasText(text, "7 index entries, 2 rows"));
  CHECK(HasText(text, "1.500 ms, of it 0.020 ms in the directory"));
  CHECK_FALSE(HasText(text, "built"));
  CHECK_FALSE(HasText(text, "without an index"));
  CHECK_FALSE(HasText(text, "NOT ANSWERED"));
}

TEST_CASE("a plan says what made it slower, and what is missing", "[tools]") {
  index::QueryOutcome outcome = Outcome();
  outcome.plan.num_unbuilt = 3;
  outcome.plan.not_indexed = {1};
  outcome.plan.is_broadcast = true;
  outcome.plan.num_lookups = 18;
  outcome.plan.num_retries = 2;
  outcome.unanswered.push_back({{"b", ""}, 7, {ErrorCode::kIo, "disk on fire"}});
  const std::string text = TextOf(outcome);
  CHECK(HasText(text, "3 of them because a column is not built"));
  CHECK(HasText(text, "without an index: size"));
  CHECK(HasText(text, "broadcast: all regions were asked"));
  CHECK(HasText(text, "18; -2 saved against 16 of a broadcast; 2 retried"));
  CHECK(HasText(text, "NOT ANSWERED: keys 'b' to the last, server 7: disk on fire"));

  Report report;
  DescribeAnswer(kSchema, outcome, report);
  const auto json = nlohmann::json::parse(Printed(report, true));
  CHECK(json["not_indexed"] == nlohmann::json({"size"}));
  CHECK(json["num_lookups_saved"] == -2);
  CHECK(json["unanswered"][0]["server"] == 7);
  CHECK(json["unanswered"][0]["reason"] == "disk on fire");
}

}  // namespace
}  // namespace trommel::tool
