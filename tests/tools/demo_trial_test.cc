// The demo beside the truth: its keys and its trial.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/commands/demo/demo.h"

namespace trommel::tool {
namespace {

TEST_CASE("every invariant of the trial holds, for few keys and for many", "[tools][demo_trial]") {
  const DemoKeys keys = MakeDemoKeys(GENERATE(size_t{1}, 2, 5, 100, 70000));
  std::vector<char> bytes;
  uint64_t num_skipped = 0;
  const auto non_members = MakeNonMembers(keys.keys, bytes, num_skipped);
  const Result<Trial> trial = RunTrial(keys, non_members);
  REQUIRE(trial.ok());
  CHECK(trial->ok());
  CHECK(trial->members.num_asked == keys.keys.size());
  CHECK(trial->left.num_asked + trial->gone.num_asked == keys.keys.size());
}

TEST_CASE("non-members are never members", "[tools][demo_trial]") {
  const std::vector<std::string_view> members = {"a", "b", "b~no-such-key"};
  std::vector<char> bytes;
  uint64_t num_skipped = 0;
  const auto non_members = MakeNonMembers(members, bytes, num_skipped);
  CHECK(non_members == std::vector<std::string_view>{"a~no-such-key", "b~no-such-key~no-such-key"});
  CHECK(num_skipped == 1);
}

TEST_CASE("rates beyond six sigma are not as expected", "[tools][demo_trial]") {
  Answers answers;
  answers.expected_rate = 0.01;
  answers.num_asked = 1'000'000;  // sigma is 99.5 keys
  answers.num_maybe_present = 10'590;
  CHECK(answers.as_expected());
  CHECK(answers.deviations() == Catch::Approx(5.93).margin(0.01));
  answers.num_maybe_present = 10'610;
  CHECK_FALSE(answers.as_expected());
  answers.num_maybe_present = 9'390;
  CHECK_FALSE(answers.as_expected());
  CHECK(Answers{}.as_expected());
}

TEST_CASE("one missing member breaks the trial", "[tools][demo_trial]") {
  const DemoKeys keys = MakeDemoKeys(100);
  const Result<Trial> trial = RunTrial(keys, {});
  REQUIRE(trial.ok());
  REQUIRE(trial->ok());
  Trial broken = *trial;
  --broken.members.num_maybe_present;
  CHECK_FALSE(broken.ok());
  broken = *trial;
  broken.erased.num_refused = 1;
  CHECK_FALSE(broken.ok());
}

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

}  // namespace
}  // namespace trommel::tool
