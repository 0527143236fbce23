// Sets of attributes: which are allowed under cuts, the parts of a query, and invalid cuts.
#include "trommel/attribute_sets.h"

#include <algorithm>
#include <bit>
#include <random>
#include <string>

#include "support/catch.h"
#include "support/death.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using Masks = std::vector<AttributeMask>;

AttributeSets SetsWith(uint32_t num_attributes, const Masks& cuts) {
  return *AttributeSets::Create(num_attributes, cuts);
}

Masks AllowedUnder(uint32_t num_attributes, const Masks& cuts) {
  const AttributeSets sets = SetsWith(num_attributes, cuts);
  return {sets.allowed().begin(), sets.allowed().end()};
}

std::string ComplaintOfCut(uint32_t num_attributes, const Masks& cuts) {
  const auto sets = AttributeSets::Create(num_attributes, cuts);
  return sets.ok() ? "" : sets.error().message;
}

TEST_CASE("without cuts every set is allowed", "[engine][attributes]") {
  CHECK(AllowedUnder(1, {}) == Masks{1});
  CHECK(AllowedUnder(3, {}) == Masks{1, 2, 3, 4, 5, 6, 7});
  const AttributeSets all = SetsWith(kMaxAttributes, {});
  CHECK(all.allowed().size() == 65'535);
  CHECK(all.full() == 65'535);
  CHECK(all.PartsOf(all.full()) == Masks{65'535});
}

TEST_CASE("a cut disallows its set and all sets that contain it", "[engine][attributes]") {
  // The paper's: attributes 1 and 3, and 1 and 2, counted from 1.
  const AttributeSets paper = SetsWith(3, {0b101, 0b011});
  CHECK(Masks(paper.allowed().begin(), paper.allowed().end()) == Masks{0b001, 0b010, 0b100, 0b110});
  CHECK(paper.IsAllowed(0b110));
  CHECK_FALSE(paper.IsAllowed(0b111));
  CHECK_FALSE(paper.IsAllowed(0));
  CHECK_FALSE(paper.IsAllowed(0b1000));
  CHECK(paper.IndexOf(0b110) == 3);
  CHECK(paper.PartsOf(0b111) == Masks{0b110, 0b001});
  CHECK(paper.PartsOf(0b011) == Masks{0b001, 0b010});
  CHECK(paper.PartsOf(0b100) == Masks{0b100});
  CHECK(paper.PartsOf(0).empty());
}

TEST_CASE("cuts that add nothing are dropped", "[engine][attributes]") {
  const AttributeSets sets = SetsWith(4, {0b1111, 0b0011, 0b0111, 0b0011});
  CHECK(Masks(sets.cuts().begin(), sets.cuts().end()) == Masks{0b0011});
  CHECK(sets == SetsWith(4, {0b0011}));
}

TEST_CASE("disjoint pairs split a query exponentially", "[engine][attributes]") {
  // The paper's bound is d; the source's own setting with six attributes has eight.
  CHECK(SetsWith(6, {0b000011, 0b001100, 0b110000}).PartsOf(0b111111).size() == 8);
  Masks pairs;
  for (uint32_t i = 0; i < kMaxAttributes; i += 2) pairs.push_back(0b11U << i);
  const AttributeSets sets = SetsWith(kMaxAttributes, pairs);
  const Masks parts = sets.PartsOf(sets.full());
  CHECK(parts.size() == 256);
  CHECK(std::ranges::all_of(parts, [](AttributeMask part) { return std::popcount(part) == 8; }));
}

TEST_CASE("parts are the largest allowed sets of a query", "[engine][attributes]") {
  std::mt19937_64 random(20'261'122);
  for (int trial = 0; trial < 200; ++trial) {
    const auto d = static_cast<uint32_t>(2 + random() % 6);
    const auto full = (1U << d) - 1;
    Masks cuts;
    for (auto left = random() % 4; left > 0; --left) {
      const auto cut = static_cast<AttributeMask>(random() & full);
      if (std::popcount(cut) >= 2) cuts.push_back(cut);
    }
    const AttributeSets sets = SetsWith(d, cuts);
    for (AttributeMask queried = 0; queried <= full; ++queried) {
      Masks expected;
      for (const AttributeMask set : sets.allowed()) {
        const bool inside = (set & ~queried) == 0;
        const bool largest = std::ranges::none_of(sets.allowed(), [&](AttributeMask other) {
          return other != set && (other & set) == set && (other & ~queried) == 0;
        });
        if (inside && largest) expected.push_back(set);
      }
      Masks parts = sets.PartsOf(queried);
      CHECK(std::ranges::is_sorted(parts, std::ranges::greater{},
                                   [](AttributeMask part) { return std::popcount(part); }));
      std::ranges::sort(parts);
      CHECK(parts == expected);
    }
  }
}

TEST_CASE("cuts and numbers of attributes out of range are refused", "[engine][attributes]") {
  CHECK_THAT(ComplaintOfCut(0, {}),
             ContainsSubstring("num_attributes is 0") && ContainsSubstring("between 1 and 16"));
  CHECK_THAT(ComplaintOfCut(17, {}), ContainsSubstring("num_attributes is 17"));
  CHECK_THAT(ComplaintOfCut(3, {0}), ContainsSubstring("cut {} is empty"));
  CHECK_THAT(ComplaintOfCut(3, {0b010}), ContainsSubstring("cut {1} is a single attribute"));
  CHECK_THAT(ComplaintOfCut(3, {0b1010}),
             ContainsSubstring("cut {1,3} has attributes beyond the last one, 2"));
  CHECK_THAT(ComplaintOfCut(16, {0x10003}), ContainsSubstring("beyond the last one, 15"));
}

TEST_CASE("sets that are not allowed or do not exist are misuse", "[engine][attributes]") {
  const AttributeSets sets = SetsWith(3, {0b011});
  CHECK_THAT(tests::AbortMessage([&] { (void)sets.IndexOf(0b011); }),
             ContainsSubstring("not allowed"));
  CHECK_THAT(tests::AbortMessage([&] { (void)sets.PartsOf(0b1000); }),
             ContainsSubstring("do not have"));
}

}  // namespace
}  // namespace trommel
