// Distinct digests: exact while few, close and never in need of more memory while many.
#include "tools/trommel/input/distinct_digests.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "support/catch.h"

namespace trommel::tool {
namespace {

std::vector<uint64_t> Integers(uint64_t count) {
  std::vector<uint64_t> integers(count);
  for (uint64_t i = 0; i < count; ++i) integers[i] = i;
  return integers;
}

uint64_t CountOf(const std::vector<uint64_t>& digests) {
  DistinctDigests distinct;
  distinct.Add(digests);
  distinct.Add(digests);
  return distinct.AtMost();
}

TEST_CASE("few distinct digests are counted exactly", "[tools][distinct_digests]") {
  for (const uint64_t count :
       {uint64_t{0}, uint64_t{1}, uint64_t{1000}, uint64_t{DistinctDigests::kMostExact}}) {
    CHECK(CountOf(Integers(count)) == count);
  }
}

TEST_CASE("of many distinct digests the number is rarely too small and never far off",
          "[tools][distinct_digests]") {
  const uint64_t count = GENERATE(uint64_t{DistinctDigests::kMostExact} + 1, 200'000, 3'000'000);
  std::vector<uint64_t> digests = Integers(count);
  if (GENERATE(false, true)) {
    std::mt19937_64 random(3);  // fixed: a bound of some standard errors does not always hold
    for (uint64_t& digest : digests) digest = random();
  }
  const uint64_t counted = CountOf(digests);
  CHECK(counted >= count - count * 6 / 1000);  // 3.5 standard errors from the mean, 2 above
  CHECK(counted <= count + count * 22 / 1000);
  std::ranges::reverse(digests);
  CHECK(CountOf(digests) == counted);
}

}  // namespace
}  // namespace trommel::tool
