// The comparison itself, at a small size: every side can be measured and every step proves its
// answer.
#include "bench/trials/arena.h"

#include <cmath>
#include <utility>

#include "support/catch.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kArenaKeys = 20'000;

TEST_CASE("an arena is proved before and after its steps", "[bench][arena]") {
  Arena arena(kArenaKeys, MakeContenders(kArenaKeys, 0.01));
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
  arena.FillUp();
  CHECK(arena.Prove() == "");
  CHECK(arena.EraseAll() == "");
}

TEST_CASE("an arena detects a lost key", "[bench][arena]") {
  const auto filter = CreateOrExit({.capacity = kArenaKeys});
  std::vector<std::unique_ptr<Contender>> sides;
  sides.push_back(MakeOurs("ours", filter));
  Arena arena(kArenaKeys, std::move(sides));
  arena.FillUp();
  REQUIRE(filter->Erase(Keys(std::vector<uint64_t>{KeyAt(kFirstMember)})).num_erased == 1);
  CHECK(arena.EraseAll() == "ours: a member could not be erased");
}

TEST_CASE("the requested sides have a ceiling of their shape", "[bench][arena]") {
  const Arena arena(kArenaKeys, MakeContenders(kArenaKeys, 0.01));
  const SideCeilings ceilings = arena.MeasureSideCeilings({kOurs, kOursHashing, kTextbook}, 0.001);
  for (const size_t side : {kOurs, kOursHashing, kTextbook}) {
    CHECK(ceilings.For(side, Op::kErase) > 0);
    CHECK(ceilings.For(side, Op::kPointQueryHit) > 0);
  }
  CHECK(ceilings.For(kOurs, Op::kErase) == ceilings.For(kOursHashing, Op::kErase));
  CHECK(std::isnan(ceilings.For(kSplitBlock, Op::kInsert)));
}

}  // namespace
}  // namespace trommel::bench
