// trommel insert: what was built in two steps is what would have been built in one.
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

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

TEST_CASE("a memory limit bounds what a filter file grows to", "[tools][insert]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::vector<std::string> build = {"build", "--type", "scalable", "-n",
                                          "1000",  "-o",     filter};
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

}  // namespace
}  // namespace trommel::tests
