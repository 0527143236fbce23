// Targets by name: listed, forced, restored; unknown names are refused with the known ones.
#include "trommel/targets.h"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/targets.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the active target is a runnable one and runnable ones are compiled",
          "[engine][targets]") {
  const auto runnable = RunnableTargets();
  const auto compiled = CompiledTargets();
  REQUIRE_FALSE(runnable.empty());
  CHECK(std::ranges::find(runnable, ActiveTarget()) != runnable.end());
  for (const std::string_view name : runnable) {
    CHECK(std::ranges::find(compiled, name) != compiled.end());
  }
}

TEST_CASE("a forced target stays until another is forced", "[engine][targets]") {
  const std::string before(ActiveTarget());
  for (const std::string_view name : RunnableTargets()) {
    REQUIRE(ForceTarget(name).ok());
    CHECK(ActiveTarget() == name);
  }
  REQUIRE(ForceTarget("").ok());
  CHECK(ActiveTarget() == before);
}

TEST_CASE("a target that cannot run is refused and the runnable ones are named",
          "[engine][targets]") {
  const std::string before(ActiveTarget());
  for (const char* name : {"ABACUS", "avx2", "AVX2 "}) {
    const Status refused = ForceTarget(name);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(refused.error().message, ContainsSubstring(name));
    for (const std::string_view runnable : RunnableTargets()) {
      CHECK_THAT(refused.error().message, ContainsSubstring(std::string(runnable)));
    }
    CHECK(ActiveTarget() == before);
  }
}

TEST_CASE("the loop over targets visits each once and restores the first", "[support][targets]") {
  const std::string before(ActiveTarget());
  std::vector<std::string> seen;
  tests::ForEachRunnableTarget([&] { seen.emplace_back(ActiveTarget()); });
  const auto tested = tests::TestedTargets();
  CHECK(std::equal(seen.begin(), seen.end(), tested.begin(), tested.end()));
  CHECK(ActiveTarget() == before);
}

TEST_CASE("an expected target is the chosen one or is named as wrong", "[support][targets]") {
  const auto runnable = RunnableTargets();
  CHECK(tests::WrongTarget("") == "");
  CHECK_THAT(tests::WrongTarget("ABACUS"), ContainsSubstring("expected ABACUS"));
  for (const std::string_view chosen : runnable) {
    const tests::ForcedTarget forced(chosen);
    for (const std::string_view name : runnable) {
      CHECK((tests::WrongTarget(name) == "") == (name == chosen));
    }
  }
  CHECK(tests::TestedTargets("") == runnable);
  CHECK(tests::TestedTargets(runnable.front()) == std::vector{runnable.front()});
  CHECK(tests::TestedTargets("ABACUS").empty());
}

TEST_CASE("the environment is fine when it asks for nothing or for a runnable target",
          "[engine][targets]") {
  // Tests run without TROMMEL_TARGET or with one that ci chose; a wrong one is the tool's test.
  CHECK(CheckTargetEnvironment().ok());
}

}  // namespace
}  // namespace trommel
