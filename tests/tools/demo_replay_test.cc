// The demo's replay: a small history, told exactly.
#include "tools/trommel/demo_replay.h"

#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;

constexpr const char* kHeader = "version\tunix_time\top\tkey\n";

ReplayOptions Files(const TempFolder& folder, const std::string& events) {
  return {folder.Write("events", kHeader + events), folder.Write("base", "a\nb\nc\n"),
          folder.Write("negatives", tests::Lines("stranger", 1000) + "a\nd\n")};
}

TEST_CASE("a replay follows insertions and deletions", "[tools][demo_replay]") {
  const TempFolder folder;
  const Result<Replay> replay = RunReplay(
      Files(folder, "1\t100\t-\ta\n1\t100\t+\td\n2\t200\t+\te\n2\t200\t-\te\n3\t300\t+\ta\n"));
  INFO((replay.ok() ? "" : replay.error().message));
  REQUIRE(replay.ok());
  CHECK(replay->ok());
  CHECK(replay->num_versions == 3);
  CHECK(replay->num_added == 3);
  CHECK(replay->num_removed == 2);
  CHECK(replay->capacity == 4);
  const ReplayRow& last = replay->rows.back();
  CHECK(last.version == 3);
  CHECK(last.num_keys == 4);
  CHECK(last.negatives.num_asked == 1000);  // a and d are members by then
}

TEST_CASE("a history that contradicts itself is bad input", "[tools][demo_replay]") {
  const TempFolder folder;
  for (const char* events :
       {"1\t100\t+\ta\n", "1\t100\t-\tx\n", "1\t100\t*\tx\n", "1\t100\t+\n", "one\t100\t+\tx\n"}) {
    const Result<Replay> replay = RunReplay(Files(folder, events));
    REQUIRE_FALSE(replay.ok());
    CHECK_THAT(replay.error().message, Catch::Matchers::ContainsSubstring(folder.Path("events")));
  }
}

TEST_CASE("a replay of no events is the base", "[tools][demo_replay]") {
  const TempFolder folder;
  const Result<Replay> replay = RunReplay(Files(folder, ""));
  REQUIRE(replay.ok());
  CHECK(replay->ok());
  CHECK(replay->rows.size() == 1);
}

TEST_CASE("the replay runs from the command line", "[tools][demo_replay]") {
  const TempFolder folder;
  const ReplayOptions files = Files(folder, "1\t100\t+\td\n");
  const tests::ToolResult result = tests::RunTool(
      {"demo", "--replay", files.events, "--base", files.base, "--negatives", files.negatives});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Matchers::ContainsSubstring("1970-01-01"));
}

}  // namespace
}  // namespace trommel::tool
