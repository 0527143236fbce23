#include "bench/sides/workload.h"

#include <set>

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

}  // namespace
}  // namespace trommel::bench
