// Where a table is cut, and how many keys are different.
#include "tools/index/rows/key_sample.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/catch.h"
#include "trommel/index/region_table.h"

namespace trommel::tool {
namespace {

std::string KeyOf(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(8 - digits.size(), '0') + digits;
}

TEST_CASE("few keys are cut into regions of equal size", "[tools]") {
  KeySample sample;
  for (uint64_t i = 0; i < 100; ++i) sample.Add(KeyOf(i * 37 % 100));
  CHECK(sample.Splits(4) == std::vector<std::string>{KeyOf(25), KeyOf(50), KeyOf(75)});
  CHECK(sample.Splits(1).empty());
}

TEST_CASE("no more regions are made than there are different keys", "[tools]") {
  KeySample sample;
  CHECK(sample.Splits(10).empty());
  for (const char* const key : {"a", "b", "a", "a", "c"}) sample.Add(key);
  CHECK(sample.Splits(10) == std::vector<std::string>{"b", "c"});
  CHECK(index::RegionTable::Split(sample.Splits(10), 2).ok());
}

TEST_CASE("a sample of many keys cuts regions of about the same size", "[tools]") {
  constexpr size_t kSampled = 4000;
  constexpr uint64_t kNumKeys = 200'000;
  constexpr size_t kNumRegions = 8;
  KeySample sample(kSampled);
  KeySample again(kSampled);
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    sample.Add(KeyOf(i));
    again.Add(KeyOf(i));
  }
  const std::vector<std::string> splits = sample.Splits(kNumRegions);
  CHECK(splits == again.Splits(kNumRegions));
  REQUIRE(splits.size() == kNumRegions - 1);
  for (size_t i = 0; i < splits.size(); ++i) {
    // The number of sampled keys below the true quantile is binomial: five standard deviations.
    const double part = static_cast<double>(i + 1) / kNumRegions;
    const double deviation = std::sqrt(part * (1 - part) / kSampled);
    CHECK(std::stod(splits[i]) / kNumKeys == Approx(part).margin(5 * deviation));
  }
}

TEST_CASE("different keys are counted once", "[tools]") {
  DifferentKeys keys;
  CHECK(keys.Count() == 0);
  for (uint64_t i = 0; i < 3000; ++i) keys.Add(KeyOf(i % 1000));
  CHECK(keys.Count() == 1000);
}

}  // namespace
}  // namespace trommel::tool
