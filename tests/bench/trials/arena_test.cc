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

}  // namespace
}  // namespace trommel::bench
