#include "bench/sides/workload.h"

#include <cmath>
#include <set>
#include <vector>

#include "support/catch.h"
#include "trommel/digest.h"

namespace trommel::bench {
namespace {

TEST_CASE("members, guests and non-members are all different keys", "[bench][workload]") {
  std::set<uint64_t> keys;
  for (const uint64_t first : {kFirstMember, kFirstGuest, kFirstNonMember}) {
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

TEST_CASE("ranks are drawn with a frequency of about one over them", "[bench][workload]") {
  constexpr uint64_t kRanks = 50;
  constexpr int kDraws = 200'000;
  std::vector<double> count(kRanks);
  for (int i = 0; i < kDraws; ++i) ++count.at(ZipfRank((i + 0.5) / kDraws, kRanks));
  for (uint64_t r = 0; r + 1 < kRanks; ++r) {
    const double from = static_cast<double>(r + 1);
    CHECK(count[r] ==
          Catch::Approx(kDraws * std::log((from + 1) / from) / std::log(kRanks)).margin(2));
  }
}

}  // namespace
}  // namespace trommel::bench
