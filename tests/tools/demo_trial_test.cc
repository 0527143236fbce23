// The demo's trial: it passes on a sound filter, and its statistics notice an unsound one.
#include "tools/trommel/demo_trial.h"

#include <string>
#include <vector>

#include "support/catch.h"

namespace trommel::tool {
namespace {

DemoKeys NumberedKeys(size_t count) {
  DemoKeys keys;
  std::vector<size_t> ends;
  for (size_t i = 0; i < count; ++i) {
    const std::string key = "key " + std::to_string(i);
    keys.bytes.insert(keys.bytes.end(), key.begin(), key.end());
    ends.push_back(keys.bytes.size());
  }
  size_t begin = 0;
  for (const size_t end : ends) {
    keys.keys.emplace_back(keys.bytes.data() + begin, end - begin);
    begin = end;
  }
  return keys;
}

TEST_CASE("every law of the trial holds, for few keys and for many", "[tools][demo_trial]") {
  const DemoKeys keys = NumberedKeys(GENERATE(size_t{1}, 2, 5, 100, 70000));
  std::vector<char> bytes;
  uint64_t num_skipped = 0;
  const auto strangers = MakeStrangers(keys.keys, bytes, num_skipped);
  const Result<Trial> trial = RunTrial(keys, strangers);
  REQUIRE(trial.ok());
  CHECK(trial->ok());
  CHECK(trial->members.num_asked == keys.keys.size());
  CHECK(trial->left.num_asked + trial->gone.num_asked == keys.keys.size());
}

TEST_CASE("strangers are never members", "[tools][demo_trial]") {
  const std::vector<std::string_view> members = {"a", "b", "b~no-such-key"};
  std::vector<char> bytes;
  uint64_t num_skipped = 0;
  const auto strangers = MakeStrangers(members, bytes, num_skipped);
  CHECK(strangers == std::vector<std::string_view>{"a~no-such-key", "b~no-such-key~no-such-key"});
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
  const DemoKeys keys = NumberedKeys(100);
  const Result<Trial> trial = RunTrial(keys, {});
  REQUIRE(trial.ok());
  REQUIRE(trial->ok());
  Trial broken = *trial;
  --broken.members.num_maybe_present;
  CHECK_FALSE(broken.ok());
  broken = *trial;
  broken.is_restored = false;
  CHECK_FALSE(broken.ok());
  broken = *trial;
  broken.erased.num_refused = 1;
  CHECK_FALSE(broken.ok());
}

}  // namespace
}  // namespace trommel::tool
