// The demo's keys: paths and lines, each once.
#include "tools/trommel/demo_keys.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;

std::vector<std::string> Sorted(const DemoKeys& keys) {
  std::vector<std::string> sorted(keys.keys.begin(), keys.keys.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

TEST_CASE("a walk finds every path once and follows no link", "[tools][demo_keys]") {
  const TempFolder folder;
  std::filesystem::create_directories(folder.Path("a/b"));
  std::filesystem::create_directory_symlink("a", folder.Path("link"));
  folder.Write("a/b/file", "");
  const Result<DemoKeys> keys = CollectDemoKeys(folder.Path(""));
  REQUIRE(keys.ok());
  CHECK(keys->are_paths);
  CHECK(Sorted(*keys) == std::vector<std::string>{folder.Path("a"), folder.Path("a/b"),
                                                  folder.Path("a/b/file"), folder.Path("link")});
}

TEST_CASE("lines are keys once each", "[tools][demo_keys]") {
  const TempFolder folder;
  const Result<DemoKeys> keys = CollectDemoKeys(folder.Write("keys", "a\nb\na\n\nc"));
  REQUIRE(keys.ok());
  CHECK_FALSE(keys->are_paths);
  CHECK(Sorted(*keys) == std::vector<std::string>{"a", "b", "c"});
  CHECK(keys->num_repeated == 1);
}

TEST_CASE("collecting stops at its limit and says so", "[tools][demo_keys]") {
  const TempFolder folder;
  DemoLimits limits;
  limits.num_keys = 10;
  const Result<DemoKeys> keys =
      CollectDemoKeys(folder.Write("keys", tests::Lines("key", 100)), limits);
  REQUIRE(keys.ok());
  CHECK(keys->keys.size() == 10);
  CHECK(keys->stopped == "stopped at 10");
}

TEST_CASE("the folder nearest to a fifth of the paths is erased", "[tools][demo_keys]") {
  DemoKeys keys;
  keys.are_paths = true;
  for (int i = 0; i < 100; ++i) {
    keys.keys.push_back(i < 22 ? "/a/x" : (i < 60 ? "/b/x" : "/bb/c/x"));
  }
  const DemoPart part = ChoosePart(keys);
  CHECK(part.name == "/a");
  CHECK(part.num_chosen == 22);
  CHECK(part.chosen[21]);
  CHECK_FALSE(part.chosen[22]);
}

TEST_CASE("where no folder fits every 4th key is erased", "[tools][demo_keys]") {
  DemoKeys keys;
  keys.are_paths = GENERATE(true, false);
  for (int i = 0; i < 10; ++i) keys.keys.push_back("/x");
  const DemoPart part = ChoosePart(keys);
  CHECK(part.num_chosen == 2);
  CHECK(part.name == (keys.are_paths ? "every 4th path" : "every 4th line"));
}

}  // namespace
}  // namespace trommel::tool
