#include "bench/family_contenders.h"

#include <memory>
#include <vector>

#include "bench/workload.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("the family's sides hold the same keys, and give them back", "[bench][family]") {
  constexpr uint64_t kNumKeys = 40'000;
  const auto sides = MakeFamily({.num_keys = kNumKeys});
  REQUIRE(sides.size() == kNumFamilySides);
  const Population members(kFirstMember, kNumKeys - kNumKeys / 32);
  const Population guests(kFirstGuest, 500);
  for (const auto& side : sides) {
    INFO(side->name());
    side->Insert(members.batch(), false);
    CHECK(side->Query(members.batch(), false) == members.batch().size());
    side->Insert(guests.batch(), true);
    CHECK(side->Query(guests.batch(), true) == guests.batch().size());
    CHECK(side->Erase(guests.batch(), false) == guests.batch().size());
    side->Insert(guests.batch(), false);
    CHECK(side->Erase(guests.batch(), true) == guests.batch().size());
    CHECK(side->Query(members.batch(), true) == members.batch().size());
    CHECK(side->PredictedFpr(kNumKeys) < 0.011);
    CHECK(side->num_bytes() > kNumKeys);
  }
}

}  // namespace
}  // namespace trommel::bench
