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

TEST_CASE("keys of a window are erased at the time they were inserted", "[tools][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "--type", "window", "--window", "100s", "--buckets", "4", "-n", "100",
                   "--time", "2", "-o", filter},
                  "a\t1000\nb\t1060\n")
              .exit_code == 0);
  const std::string before = folder.Read("filter");
  REQUIRE(RunTool({"insert", filter, "--time", "2"}, "c\t1060\nd\t1061\n").exit_code == 0);
  CHECK(RunTool({"verify", filter, "-"}, "a\nb\nc\nd\n").exit_code == 0);
  const ToolResult result =
      RunTool({"erase", filter, "--time", "2", "--json"}, "c\t1060\nd\t1061\na\t1060\nb\t2000\n");
  CHECK(result.exit_code == 0);
  const json report = json::parse(result.out);
  CHECK(report["num_erased"] == 2);
  CHECK(report["num_refused"] == 1);  // a is in another bucket
  CHECK(report["num_expired"] == 1);  // that time has not come
  CHECK(report["num_keys"] == 2);
  CHECK(RunTool({"query", filter, "-c"}, "a\nb\nc\nd\n").out == "2\n");

  const ToolResult timeless = RunTool({"erase", filter}, "a\n");
  CHECK(timeless.exit_code == 2);
  CHECK_THAT(timeless.err, Catch::Matchers::ContainsSubstring("--time"));
  // One more key moves the time on, and what is past the window goes.
  REQUIRE(RunTool({"insert", filter, "--time", "2"}, "e\t1150\n").exit_code == 0);
  CHECK(RunTool({"query", filter, "-c"}, "a\nb\ne\n").out == "2\n");
}

}  // namespace
}  // namespace trommel::tests
