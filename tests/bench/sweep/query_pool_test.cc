// Pools of keys: what they hold, and that wrong answers are noticed.
#include "bench/sweep/query_pool.h"

#include <vector>

#include "bench/sides/workload.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kNumMembers = 2000;
constexpr uint64_t kStretch = 500;

CountingFilter Filled() {
  Result<CountingFilter> filter = CountingFilter::Create({.capacity = kNumMembers});
  const Population members(kFirstMember, kNumMembers);
  filter->Insert(Keys::Digests(members.batch().digests));
  return std::move(*filter);
}

uint64_t Ask(const CountingFilter& filter, const QueryPool& pool) {
  std::vector<uint64_t> bitmap(BitmapWords(pool.digests().size()));
  return filter.Query(Keys::Digests(pool.digests()), bitmap);
}

TEST_CASE("right answers are accepted, round after round", "[bench][query_pool]") {
  const CountingFilter filter = Filled();
  const Operation op = GENERATE(Operation::kQueryMiss, Operation::kQueryHalf, Operation::kQueryHit);
  QueryPool pool(op, kNumMembers, kStretch);
  uint64_t num_present = 0;
  for (int i = 0; i < 8; ++i) {
    REQUIRE(pool.digests().size() == kStretch);
    const uint64_t present = Ask(filter, pool);
    CHECK(pool.Check(filter, present).empty());
    num_present += present;
    pool.Advance();
  }
  if (op == Operation::kQueryHit) CHECK(num_present == 8 * kStretch);
  if (op == Operation::kQueryMiss) CHECK(num_present < kStretch);
  if (op == Operation::kQueryHalf) {
    CHECK(num_present > 3 * kStretch);
    CHECK(num_present < 5 * kStretch);
  }
}

TEST_CASE("wrong answers are noticed", "[bench][query_pool]") {
  const CountingFilter filter = Filled();
  QueryPool hits(Operation::kQueryHit, kNumMembers, kStretch);
  CHECK_FALSE(hits.Check(filter, kStretch - 1).empty());
  QueryPool misses(Operation::kQueryMiss, kNumMembers, kStretch);
  CHECK_FALSE(misses.Check(filter, kStretch / 2).empty());
  const uint64_t present = Ask(filter, misses);
  CHECK(misses.Check(filter, present).empty());
  CHECK_FALSE(misses.Check(filter, present + 1).empty());
}

}  // namespace
}  // namespace trommel::bench
