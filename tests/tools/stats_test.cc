// trommel stats and verify: what a file holds, and whether it holds all it should.
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/counting_filter.h"
#include "trommel/metadata.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

TEST_CASE("stats show what was built", "[tools][stats]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "1k", "-p", "1%", "--seed", "5", "--slices", "10", "-o", filter},
                  Lines("a", 1000))
              .exit_code == 0);
  const ToolResult result = RunTool({"stats", filter, "--json"});
  REQUIRE(result.exit_code == 0);
  const json stats = json::parse(result.out);
  CHECK(stats["num_keys"] == 1000);
  CHECK(stats["capacity"] == 1000);
  CHECK(stats["num_slices"] == 10);
  CHECK(stats["digest"] == "xxh3");
  CHECK(stats["seed"] == 5);
  CHECK(stats["predicted_fpr"] <= 0.01);
  CHECK_THAT(RunTool({"stats", filter}).out, Catch::Matchers::ContainsSubstring("1,000"));
}

TEST_CASE("user metadata outlives a change of the file, and stats show its size",
          "[tools][stats]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  const std::vector<std::byte> metadata(1234, std::byte{1});
  const CountingFilter filter = CountingFilter::Create({.capacity = 100}).value();
  REQUIRE(filter.Save(path, {.metadata = metadata}).ok());
  REQUIRE(RunTool({"insert", path}, "a key\n").exit_code == 0);
  CHECK(LoadMetadata(path).value() == metadata);
  const std::string copy = folder.Path("copy");
  for (const char* command : {"insert", "erase"}) {  // a new file, and one that is replaced
    REQUIRE(RunTool({command, path, "--output", copy, "--force"}, "a key\n").exit_code == 0);
    CHECK(LoadMetadata(copy).value() == metadata);
  }
  const json stats = json::parse(RunTool({"stats", path, "--json"}).out);
  CHECK(stats["num_keys"] == 1);
  CHECK(stats["metadata_bytes"] == 1234);
  CHECK_THAT(RunTool({"stats", path}).out, Catch::Matchers::ContainsSubstring("1.23 kB"));
}

TEST_CASE("stats of several files have a line each, and pass over what is none", "[tools][stats]") {
  const TempFolder folder;
  const std::string a = folder.Path("a");
  const std::string rows = folder.Path("rows");
  REQUIRE(RunTool({"build", "-n", "1k", "-o", a}, Lines("a", 1234)).exit_code == 0);
  REQUIRE(RunTool({"attr", "build", "-o", rows}, "x\ty\n1\t2\n").exit_code == 0);
  const ToolResult both = RunTool({"stats", a, rows});
  CHECK(both.exit_code == 0);
  CHECK_THAT(both.out, Catch::Matchers::ContainsSubstring(a + " ") &&
                           Catch::Matchers::ContainsSubstring("1,234") &&
                           Catch::Matchers::ContainsSubstring("attribute"));
  CHECK(std::ranges::count(both.out, '\n') == 3);
  const std::string text = folder.Write("text", "no filter\n");
  const ToolResult mixed = RunTool({"stats", "--json", a, text, rows});
  CHECK(mixed.exit_code == 3);
  CHECK(mixed.err.starts_with("trommel: " + text));
  const json filters = json::parse(mixed.out)["filters"];
  REQUIRE(filters.size() == 2);
  CHECK(filters[0] == json::parse(RunTool({"stats", "--json", a}).out));
  CHECK(filters[1]["filter"] == rows);
}

TEST_CASE("stats of something else is bad input", "[tools][stats]") {
  const TempFolder folder;
  const ToolResult result = RunTool({"stats", folder.Write("text", std::string(1000, 'x'))});
  CHECK(result.exit_code == 3);
  CHECK(result.err.starts_with("trommel: " + folder.Path("text")));
}

TEST_CASE("verify tells whole filters from damaged ones", "[tools][verify]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "1k", "-o", filter}, Lines("a", 1000)).exit_code == 0);
  CHECK(RunTool({"verify", filter}).exit_code == 0);
  const std::string bytes = folder.Read("filter");
  CHECK(RunTool({"verify", folder.Write("cut", bytes.substr(0, bytes.size() - 1))}).exit_code == 3);
  std::string changed = bytes;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 4);
  CHECK(RunTool({"verify", folder.Write("changed", changed)}).exit_code == 3);
}

TEST_CASE("verify finds keys that are missing", "[tools][verify]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "1k", "-p", "1e-6", "-o", filter}, Lines("a", 1000)).exit_code ==
          0);
  CHECK(RunTool({"verify", filter, folder.Write("keys", Lines("a", 1000))}).exit_code == 0);
  const ToolResult missing = RunTool({"verify", filter, "-", "--json"}, "a1\nb1\na2\n");
  CHECK(missing.exit_code == 1);
  CHECK(json::parse(missing.out)["num_missing"] == 1);
}

}  // namespace
}  // namespace trommel::tests
