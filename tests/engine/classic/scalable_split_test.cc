// The scalable split filter: when generations are added, and which keys its rules lose.
#include "engine/src/classic/scalable_split.h"

#include <cmath>
#include <random>
#include <vector>

#include "support/catch.h"

namespace trommel::classic {
namespace {

// Four slices of 100 positions: 69 keys are half of it.
ScalableSplit Small(InsertRule insert_rule, EraseRule erase_rule) {
  return {400, 0x1p-4, insert_rule, erase_rule};
}

std::vector<uint64_t> Digests(size_t count) {
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(count);
  for (uint64_t& digest : digests) digest = random();
  return digests;
}

TEST_CASE("a generation is added when the newest is half full", "[engine][classic]") {
  ScalableSplit filter = Small(InsertRule::kNewest, EraseRule::kEverywhere);
  CHECK(filter.geometry().num_hashes == 4);
  CHECK(filter.geometry().num_positions == 100);
  CHECK(filter.half_full() == 69);
  const auto digests = Digests(70);
  filter.Insert(Keys::Digests(std::span(digests).first(69)));
  CHECK(filter.num_generations() == 1);
  filter.Insert(digests[69]);
  CHECK(filter.num_generations() == 2);
}

TEST_CASE("d generations have the rate 1 - (1 - P)^d", "[engine][classic]") {
  const ScalableSplit filter = Small(InsertRule::kNewest, EraseRule::kEverywhere);
  const double fill = 1 - std::pow(1 - 1.0 / 100, 69);
  CHECK(filter.generation_fpr() == Catch::Approx(std::pow(fill, 4)));
  CHECK(ScalableSplit::FprOf(0.25, 0) == 0);
  CHECK(ScalableSplit::FprOf(0.25, 1) == Catch::Approx(0.25));
  CHECK(ScalableSplit::FprOf(0.25, 3) == Catch::Approx(1 - 0.75 * 0.75 * 0.75));
}

TEST_CASE("the oldest rule loses no key, and no key is left after all were erased",
          "[engine][classic]") {
  ScalableSplit filter = Small(InsertRule::kOldestShowing, EraseRule::kOldest);
  const auto digests = Digests(1'000);
  filter.Insert(Keys::Digests(digests));
  for (size_t i = 0; i < digests.size(); ++i) {
    for (size_t j = i; j < digests.size(); j += 97) REQUIRE(filter.MayContain(digests[j]));
    filter.Erase(digests[i]);
  }
  std::vector<uint64_t> bitmap((digests.size() + 63) / 64);
  CHECK(filter.Query(Keys::Digests(digests), bitmap) == 0);
}

TEST_CASE("by the text's rule keys enter a generation again that erasing has opened",
          "[engine][classic]") {
  ScalableSplit reopened = Small(InsertRule::kBelowHalf, EraseRule::kOldest);
  ScalableSplit closed = Small(InsertRule::kNewest, EraseRule::kOldest);
  const auto digests = Digests(3 * 69 + 25);
  for (ScalableSplit* filter : {&reopened, &closed}) {
    filter->Insert(Keys::Digests(std::span(digests).first(3 * 69)));
    CHECK(filter->num_generations() == 3);
    for (size_t i = 0; i < 30; ++i) filter->Erase(digests[i]);
    filter->Insert(Keys::Digests(std::span(digests).last(25)));
  }
  CHECK(reopened.num_generations() == 3);
  CHECK(closed.num_generations() == 4);
}

}  // namespace
}  // namespace trommel::classic
