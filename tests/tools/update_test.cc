// trommel insert and erase: what is changed, what is reported, and what is left alone.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

TEST_CASE("an update that meets a bad key changes nothing", "[tools][update]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "10", "--keys", "u64", "-o", filter}, "1\n2\n").exit_code == 0);
  const std::string before = folder.Read("filter");
  const std::string command = GENERATE("insert", "erase");
  CHECK(RunTool({command, filter, "--keys", "u64"}, "1\n2\nx\n").exit_code == 3);
  CHECK(RunTool({command, filter, folder.Path("none")}).exit_code == 3);
  CHECK(RunTool({command, folder.Path("none")}, "1\n").exit_code == 3);
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Names() == std::vector<std::string>{"filter"});
}

TEST_CASE("an update with no keys writes the same bytes", "[tools][update]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "10", "-o", filter}, "a\nb\n").exit_code == 0);
  const std::string before = folder.Read("filter");
  CHECK(RunTool({"insert", filter}, "").exit_code == 0);
  CHECK(folder.Read("filter") == before);
}

TEST_CASE("an update does not write over what it reads", "[tools][update]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string keys = folder.Write("keys", "a\n");
  REQUIRE(RunTool({"build", "-o", filter, keys}).exit_code == 0);
  const std::string command = GENERATE("insert", "erase");
  CHECK(RunTool({command, filter, "-f", "-o", keys, keys}).exit_code == 2);
  CHECK(RunTool({command, filter, "-f", "-o", filter, keys}).exit_code == 2);
  const std::string before = folder.Read("filter");
  const ToolResult itself = RunTool({command, filter, keys, filter});
  CHECK(itself.exit_code == 2);
  CHECK(itself.err == "trommel: the filter " + filter + " is also an input\n");
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Read("keys") == "a\n");
}

TEST_CASE("insert completes a filter to the bytes of one built at once", "[tools][insert]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "1k", "-o", filter}, Lines("a", 500)).exit_code == 0);
  REQUIRE(
      RunTool({"build", "-n", "1k", "-o", folder.Path("both")}, Lines("a", 500) + Lines("b", 500))
          .exit_code == 0);
  const std::string before = folder.Read("filter");

  const std::string keys = folder.Write("keys", Lines("b", 500));
  REQUIRE(RunTool({"insert", filter, keys, "-o", folder.Path("other")}).exit_code == 0);
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Read("other") == folder.Read("both"));
  CHECK(RunTool({"insert", filter, keys, "-o", folder.Path("other")}).exit_code == 2);

  REQUIRE(RunTool({"insert", filter}, Lines("b", 500)).exit_code == 0);
  CHECK(folder.Read("filter") == folder.Read("both"));
}

TEST_CASE("insert tells when the filter gets too full", "[tools][insert]") {
  const TempFolder folder;
  REQUIRE(RunTool({"build", "-n", "10", "-o", folder.Path("filter")}, "a\n").exit_code == 0);
  const ToolResult result = RunTool({"insert", folder.Path("filter")}, Lines("b", 20));
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Matchers::ContainsSubstring("sized for"));
}

TEST_CASE("a file of several stores over the memory limit is refused with the limit as given",
          "[tools][insert]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::vector<std::string> build = {"build", "--type", "layered", "-n", "1000", "-o", filter};
  REQUIRE(RunTool(build, Lines("a", 4000)).exit_code == 0);
  // The first layer fits, the side table of the second does not.
  const ToolResult result = RunTool({"insert", filter, "--memory-limit", "20000"}, "b\n");
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Catch::Matchers::ContainsSubstring("the limit of 20,000 bytes"));
}

TEST_CASE("a memory limit bounds what a filter file grows to", "[tools][insert]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::vector<std::string> build = {"build", "--type", "scalable", "--growth", "generations",
                                          "-n",    "1000",   "-o",       filter};
  REQUIRE(RunTool(build, Lines("a", 900)).exit_code == 0);
  const ToolResult stats = RunTool({"stats", filter, "--json"});
  REQUIRE(stats.exit_code == 0);
  CHECK_THAT(stats.out, Catch::Matchers::ContainsSubstring("\"next_generation_bytes\":"));
  CHECK_THAT(RunTool({"stats", filter}).out, Catch::Matchers::ContainsSubstring("next generation"));

  const std::string before = folder.Read("filter");
  const std::string keys = folder.Write("keys", Lines("b", 100'000));
  const ToolResult too_little = RunTool({"insert", filter, keys, "--memory-limit", "1KiB"});
  CHECK(too_little.exit_code != 0);
  CHECK_THAT(too_little.err, Catch::Matchers::ContainsSubstring("more than the limit of 1,024"));
  CHECK_THAT(too_little.err, !Catch::Matchers::ContainsSubstring("memory_limit_bytes"));
  CHECK(folder.Read("filter") == before);

  const std::string grown = folder.Path("grown");
  const ToolResult bounded =
      RunTool({"insert", filter, keys, "-o", grown, "--memory-limit", "64KiB"});
  CHECK(bounded.exit_code == 1);
  CHECK_THAT(bounded.out, Catch::Matchers::ContainsSubstring("would exceed its memory limit"));
  CHECK(folder.Read("grown").size() < 100'000);
  CHECK(RunTool({"insert", filter, keys, "--memory-limit", "64MiB"}).exit_code == 0);
}

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
