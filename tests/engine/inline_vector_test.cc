// InlineVector: what std::vector does, without an allocation while it is short.
#include "engine/src/base/inline_vector.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"

namespace trommel {
namespace {

using Short = InlineVector<uint32_t, 8>;

bool Same(const Short& a, const std::vector<uint32_t>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end()) && a.size() == b.size() &&
         a.empty() == b.empty();
}

TEST_CASE("an inline vector does what a vector does", "[engine]") {
  std::mt19937 random(Catch::rngSeed());
  Short ours;
  std::vector<uint32_t> theirs;
  for (int step = 0; step < 5000; ++step) {
    const auto value = static_cast<uint32_t>(random());
    const size_t at = random() % (theirs.size() + 1);
    switch (random() % 8) {
      case 0:
        ours.push_back(value);
        theirs.push_back(value);
        break;
      case 1:
        if (theirs.empty()) break;
        ours.push_back(ours[0]);  // an element of itself
        theirs.push_back(uint32_t{theirs[0]});
        break;
      case 2:
        CHECK(*ours.insert(ours.begin() + at, value) == value);
        theirs.insert(theirs.begin() + static_cast<std::ptrdiff_t>(at), value);
        break;
      case 3:
        ours.Append(at % 5, value);
        theirs.insert(theirs.end(), at % 5, value);
        break;
      case 4:
      case 5:
        if (at == theirs.size()) break;
        ours.erase(ours.begin() + at);
        theirs.erase(theirs.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 6:
        if (theirs.size() < 20) break;
        ours.Truncate(at);
        theirs.resize(at);
        break;
      default: {
        Short copy = ours;
        REQUIRE(copy == ours);
        Short moved = std::move(copy);
        copy = {1, 2, 3};  // it may be used again
        REQUIRE(Same(copy, {1, 2, 3}));
        ours.clear();
        ours = std::move(moved);
        copy = ours;
        REQUIRE(copy == ours);
        break;
      }
    }
    REQUIRE(Same(ours, theirs));
  }
}

TEST_CASE("an inline vector allocates only what is not inside", "[engine]") {
  const uint64_t before = tests::NumAllocations();
  Short inside;
  inside.Append(8, 7);
  Short copy = inside;
  const Short moved = std::move(copy);
  const uint64_t after_inside = tests::NumAllocations();
  inside.push_back(8);
  const uint64_t after_outside = tests::NumAllocations();
  CHECK(after_inside == before);
  CHECK(after_outside == before + (tests::AllocationPeak::IsCounted() ? 1 : 0));
  CHECK(moved.size() == 8);
  CHECK(inside.back() == 8);
}

}  // namespace
}  // namespace trommel
