// The comparison itself: wrong answers are found, and what memory allows is measured.
#include "bench/trials/arena.h"

#include <utility>

#include "support/catch.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kArenaKeys = 20'000;

TEST_CASE("an arena detects a lost key", "[bench][arena]") {
  const auto filter = CreateOrExit({.capacity = kArenaKeys});
  std::vector<std::unique_ptr<Contender>> sides;
  sides.push_back(MakeOurs("ours", filter));
  Arena arena(kArenaKeys, std::move(sides));
  arena.FillUp();
  REQUIRE(filter->Erase(Keys(std::vector<uint64_t>{KeyAt(kFirstMember)})).num_erased == 1);
  CHECK(arena.EraseAll() == "ours: a member could not be erased");
}

TEST_CASE("each side has ceilings of its shape", "[bench][arena]") {
  const Arena arena(kArenaKeys, MakeContenders(kArenaKeys, 0.01));
  for (const size_t side : {kOurs, kTextbook, kSplitBlock}) {
    const SideCeilings ceilings = arena.MeasureCeilings(side, 0.001);
    CHECK(ceilings.For(Op::kErase) > 0);
    CHECK(ceilings.For(Op::kPointQueryHit) > 0);
  }
}

}  // namespace
}  // namespace trommel::bench
