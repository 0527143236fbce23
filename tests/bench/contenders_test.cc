#include "bench/contenders.h"

#include <set>

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("every operation has its own name", "[bench][contenders]") {
  std::set<std::string_view> names;
  for (const Op op : kAllOps) names.insert(OpName(op));
  CHECK(names.size() == std::size(kAllOps));
}

TEST_CASE("each side inserts, finds and erases, by batch and by key", "[bench][contenders]") {
  constexpr size_t kNumKeys = 10'000;
  const bool point = GENERATE(false, true);
  const auto sides = MakeContenders(kNumKeys, 0.01);
  REQUIRE(sides.size() == kNumSides);
  const Population population(kFirstMember, kNumKeys / 2);
  const Batch batch = population.batch();
  for (const auto& side : sides) {
    INFO(side->name());
    CHECK(side->num_bytes() > kNumKeys);
    CHECK(side->PredictedFpr(kNumKeys) <= 0.01);
    CHECK(side->FprSigma(kNumKeys, 1000) > 0);
    CHECK(side->Query(batch, point) < batch.size() / 10);
    side->Insert(batch, point);
    CHECK(side->Query(batch, point) == batch.size());
    if (!side->CanDo(Op::kErase)) continue;
    CHECK(side->Erase(batch, point) == batch.size());
    CHECK(side->Query(batch, point) == 0);
    CHECK(side->Erase(batch, point) == 0);
  }
}

}  // namespace
}  // namespace trommel::bench
