// The comparison itself, at a small size: every side can be measured and every step proves its
// answer.
#include "bench/arena.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kArenaKeys = 20'000;

TEST_CASE("an arena is proved before and after its steps", "[bench][arena]") {
  Arena arena(kArenaKeys, 0.01);
  REQUIRE(arena.Prove() == "");
  for (const Op op : kAllOps) {
    for (uint8_t s = 0; s < kNumSides; ++s) {
      const auto side = static_cast<Side>(s);
      if (!arena.side(side).CanDo(op)) continue;
      for (int step = 0; step < 5; ++step) {
        INFO(arena.side(side).name() << " " << OpName(op));
        CHECK(arena.StepSeconds(side, op) > 0);
      }
    }
  }
  CHECK(arena.Prove() == "");
}

TEST_CASE("every side has a ceiling for its shape", "[bench][arena]") {
  const Arena arena(kArenaKeys, 0.01);
  const SideCeilings ceilings = arena.MeasureSideCeilings(0.001);
  for (uint8_t s = 0; s < kNumSides; ++s) {
    CHECK(ceilings.For(static_cast<Side>(s), Op::kErase) > 0);
    CHECK(ceilings.For(static_cast<Side>(s), Op::kPointQueryHit) > 0);
  }
}

}  // namespace
}  // namespace trommel::bench
