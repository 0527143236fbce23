// Targets by name: listed, forced, restored; unknown names are refused with the known ones.
#include "trommel/targets.h"

#include <algorithm>
#include <string>

#include "support/catch.h"

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

}  // namespace
}  // namespace trommel
