// Sets of attributes: which are allowed under cuts, a limit or a list, the parts of a query, and
// what is refused.
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

std::string ComplaintOfCut(uint32_t num_attributes, const Masks& cuts) {
  const auto sets = AttributeSets::Create(num_attributes, cuts);
  return sets.ok() ? "" : sets.error().message;
}

// The definition: the allowed sets within the query that no other such set contains.
Masks DefinedParts(const AttributeSets& sets, AttributeMask queried) {
  Masks parts;
  for (const AttributeMask set : sets.allowed()) {
    const bool inside = (set & ~queried) == 0;
    const bool largest = std::ranges::none_of(sets.allowed(), [&](AttributeMask other) {
      return other != set && (other & set) == set && (other & ~queried) == 0;
    });
    if (inside && largest) parts.push_back(set);
  }
  return parts;
}

void CheckParts(const AttributeSets& sets, AttributeMask queried) {
  Masks parts = sets.PartsOf(queried);
  CHECK(std::ranges::is_sorted(parts, std::ranges::greater{},
                               [](AttributeMask part) { return std::popcount(part); }));
  std::ranges::sort(parts);
  CHECK(parts == DefinedParts(sets, queried));
  AttributeMask covered = 0;
  for (const AttributeMask part : parts) covered |= part;
  CHECK(sets.IsCovered(queried) == (covered == queried));
}

TEST_CASE("cuts and a limit allow what the definition says, and split queries into its parts",
          "[engine][attributes]") {
  std::mt19937_64 random(20'261'122);
  for (int trial = 0; trial < 300; ++trial) {
    const auto d = static_cast<uint32_t>(2 + random() % 6);
    const AttributeMask full = (AttributeMask{1} << d) - 1;
    const auto limit = static_cast<uint32_t>(trial % 2 == 0 ? d : 1 + random() % d);
    Masks cuts;
    for (auto left = random() % 6; left > 0; --left) {
      const AttributeMask cut = random() & full;
      if (std::popcount(cut) >= 2) cuts.push_back(cut);
    }
    const AttributeSets sets = *AttributeSets::AtMost(d, limit, cuts);
    CHECK(sets.full() == full);
    CHECK(sets.is_by_cuts() == (limit == d));
    CHECK((sets == SetsWith(d, cuts)) == (limit == d));
    for (AttributeMask set = 1; set <= full; ++set) {
      const bool is_cut =
          std::ranges::any_of(cuts, [set](AttributeMask cut) { return (set & cut) == cut; });
      CHECK(sets.IsAllowed(set) == (!is_cut && static_cast<uint32_t>(std::popcount(set)) <= limit));
    }
    for (size_t i = 0; i < sets.allowed().size(); ++i) CHECK(sets.IndexOf(sets.allowed()[i]) == i);
    // The cuts that are left say the same, and none of them can be spared.
    CHECK(sets == *AttributeSets::AtMost(d, limit, sets.cuts()));
    for (const AttributeMask cut : sets.cuts()) {
      CHECK(std::ranges::none_of(sets.cuts(), [cut](AttributeMask other) {
        return other != cut && (cut & other) == other;
      }));
    }
    for (AttributeMask queried = 0; queried <= full; ++queried) CheckParts(sets, queried);
  }
}

TEST_CASE("a list allows what it lists, and splits queries into the largest of these",
          "[engine][attributes]") {
  std::mt19937_64 random(20'261'125);
  for (int trial = 0; trial < 200; ++trial) {
    const auto d = static_cast<uint32_t>(1 + random() % 7);
    const AttributeMask full = (AttributeMask{1} << d) - 1;
    Masks listed = {random() & full, random() & full, full & ~AttributeMask{1}};
    std::erase(listed, AttributeMask{0});
    listed.push_back(1);
    listed.push_back(listed.front());
    const AttributeSets sets = *AttributeSets::Keep(d, listed);
    CHECK(sets.is_list());
    CHECK_FALSE(sets.is_by_cuts());
    CHECK(sets.cuts().empty());
    Masks once = listed;
    std::ranges::sort(once);
    once.erase(std::unique(once.begin(), once.end()), once.end());
    CHECK(std::ranges::equal(sets.allowed(), once));
    for (AttributeMask queried = 0; queried <= full; ++queried) CheckParts(sets, queried);
  }
}

TEST_CASE("64 attributes have as many sets as are allowed together", "[engine][attributes]") {
  CHECK(AttributeSets::AtMost(20, 4)->allowed().size() == 6195);
  CHECK(AttributeSets::AtMost(20, 4)->PartsOf((AttributeMask{1} << 20) - 1).size() == 4845);
  const AttributeSets pairs = *AttributeSets::AtMost(64, 2);
  CHECK(pairs.full() == ~AttributeMask{0});
  CHECK(pairs.allowed().size() == 2080);
  CHECK(pairs.IsAllowed(AttributeMask{0b11} << 62));
  CHECK_FALSE(pairs.IsAllowed(AttributeMask{0b111} << 61));
  CHECK(pairs.PartsOf(pairs.full()).size() == 2016);
  CHECK(pairs.PartsOf(AttributeMask{0b1011} << 60) == Masks{AttributeMask{0b0011} << 60,
                                                            AttributeMask{0b1001} << 60,
                                                            AttributeMask{0b1010} << 60});
  // Cuts may leave few enough, too.
  Masks cuts;
  for (uint32_t a = 0; a < 64; ++a) {
    for (uint32_t b = a + 1; b < 64; ++b) {
      if (b - a != 1) cuts.push_back(AttributeMask{1} << a | AttributeMask{1} << b);
    }
  }
  const AttributeSets neighbours = SetsWith(64, cuts);
  CHECK(neighbours.allowed().size() == 64 + 63);
  CHECK(neighbours.PartsOf(neighbours.full()).size() == 63);
  const AttributeSets whole = *AttributeSets::Keep(64, Masks{~AttributeMask{0}, 1});
  CHECK(whole.PartsOf(whole.full()) == Masks{whole.full()});
  CHECK(whole.PartsOf(0b111) == Masks{1});
  CHECK_FALSE(whole.IsCovered(0b111));
  CHECK(whole.IsCovered(whole.full()));
}

std::string ComplaintOfLimit(uint32_t num_attributes, uint32_t limit, const Masks& cuts = {}) {
  const auto sets = AttributeSets::AtMost(num_attributes, limit, cuts);
  return sets.ok() ? "" : sets.error().message;
}

TEST_CASE("too many sets are refused with their number and what would fit",
          "[engine][attributes]") {
  CHECK(ComplaintOfCut(20, {}) ==
        "20 attributes are 1,048,575 sets; there may be 65,536: allow at most 6 together (60,459 "
        "sets), cut more, or list the sets that will be queried");
  CHECK(ComplaintOfLimit(24, 6) ==
        "24 attributes, at most 6 together, are 190,050 sets; there may be 65,536: allow at most 5 "
        "together (55,454 sets), cut more, or list the sets that will be queried");
  CHECK_THAT(ComplaintOfCut(64, {}), ContainsSubstring("64 attributes are over 10^17 sets") &&
                                         ContainsSubstring("at most 3 together (43,744 sets)"));
  CHECK_THAT(ComplaintOfCut(64, {0b11}),
             ContainsSubstring("64 attributes under 1 cut are more than 65,536 sets"));
  CHECK_THAT(ComplaintOfLimit(20, 0), ContainsSubstring("max_together is 0; it must be between 1"));
  CHECK_THAT(ComplaintOfLimit(20, 21), ContainsSubstring("max_together is 21") &&
                                           ContainsSubstring("and 20 (num_attributes)"));
  CHECK_THAT(ComplaintOfLimit(20, 2, {1}), ContainsSubstring("cut {0} is a single attribute"));
}

TEST_CASE("lists that miss an attribute, or have what is none, are refused",
          "[engine][attributes]") {
  const auto complaint = [](uint32_t num_attributes, const Masks& kept) {
    const auto sets = AttributeSets::Keep(num_attributes, kept);
    return sets.ok() ? "" : sets.error().message;
  };
  CHECK_THAT(complaint(3, {}), ContainsSubstring("attribute 0 is in no listed set"));
  CHECK_THAT(complaint(3, {0b101}), ContainsSubstring("attribute 1 is in no listed set"));
  CHECK_THAT(complaint(64, {~AttributeMask{0} >> 1}), ContainsSubstring("attribute 63 is in no"));
  CHECK_THAT(complaint(3, {0b111, 0}), ContainsSubstring("a listed set is empty"));
  CHECK_THAT(complaint(3, {0b111, 0b1001}),
             ContainsSubstring("the listed set {0,3} has attributes beyond the last one, 2"));
  CHECK_THAT(complaint(65, {1}), ContainsSubstring("between 1 and 64"));
  Masks many(kMaxAttributeSets + 1);
  for (size_t i = 0; i < many.size(); ++i) many[i] = i + 1;
  CHECK_THAT(complaint(17, many), ContainsSubstring("65,537 sets are listed; there may be 65,536"));
}

TEST_CASE("cuts and numbers of attributes out of range are refused", "[engine][attributes]") {
  CHECK_THAT(ComplaintOfCut(0, {}),
             ContainsSubstring("num_attributes is 0") && ContainsSubstring("between 1 and 64"));
  CHECK_THAT(ComplaintOfCut(65, {}), ContainsSubstring("num_attributes is 65"));
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
