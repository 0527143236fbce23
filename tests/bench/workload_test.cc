#include "bench/workload.h"

#include <set>

#include "support/catch.h"
#include "trommel/digest.h"

namespace trommel::bench {
namespace {

TEST_CASE("members, guests and strangers are all different keys", "[bench][workload]") {
  std::set<uint64_t> keys;
  for (const uint64_t first : {kFirstMember, kFirstGuest, kFirstStranger}) {
    const Population population(first, 1000);
    keys.insert(population.batch().keys.begin(), population.batch().keys.end());
  }
  CHECK(keys.size() == 3000);
}

TEST_CASE("a population's digests are its keys' under the default policy", "[bench][workload]") {
  const Population population(kFirstMember, 100);
  const Batch part = population.batch().Part(10, 5);
  REQUIRE(part.size() == 5);
  for (size_t i = 0; i < part.size(); ++i) {
    CHECK(part.keys[i] == KeyAt(kFirstMember + 10 + i));
    CHECK(part.digests[i] == DigestPolicy{}(Key(part.keys[i])));
  }
}

TEST_CASE("counts are read with their unit and written back", "[bench][workload]") {
  CHECK(ParseCount("1") == 1U);
  CHECK(ParseCount("30M") == 30'000'000U);
  CHECK(ParseCount("10k") == 10'000U);
  CHECK(ParseCount("2G") == 2'000'000'000U);
  CHECK(CountName(30'000'000) == "30M");
  CHECK(CountName(1'500'000) == "1500k");
  CHECK(CountName(7) == "7");
}

TEST_CASE("what is not a count is refused", "[bench][workload]") {
  for (const char* text :
       {"", "0", "M", "-1", "1.5M", "1m", "1M ", "x", "99999999999999999999", "99999999999999G"}) {
    CHECK_FALSE(ParseCount(text).has_value());
  }
}

TEST_CASE("a list of counts is read whole or not at all", "[bench][workload]") {
  CHECK(ParseCounts("1M,30M", 100) == std::vector<uint64_t>{1'000'000, 30'000'000});
  CHECK(ParseCounts("7", 7) == std::vector<uint64_t>{7});
  for (const char* list : {"", "1M,", ",1M", "1M,,2M", "1M 2M", "1M,99"}) {
    INFO(list);
    CHECK_FALSE(ParseCounts(list, 100).has_value());
  }
}

}  // namespace
}  // namespace trommel::bench
