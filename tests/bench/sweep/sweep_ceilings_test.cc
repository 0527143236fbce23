// Which ceiling bounds a row.
#include "bench/sweep/sweep_ceilings.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

SweepRow Row(Operation op, uint64_t num_keys) {
  SweepRow row;
  row.operation = op;
  row.num_keys = num_keys;
  row.batch = uint64_t{1} << 20;
  return row;
}

TEST_CASE("a row is bounded by the ceiling of its own size and threads",
          "[bench][sweep_ceilings]") {
  SweepCeilings ceilings;
  ceilings.Add(Row(Operation::kReadCeiling, 1000), 3);
  ceilings.Add(Row(Operation::kUpdateCeiling, 1000), 5);
  REQUIRE(ceilings.BoundOf(Row(Operation::kQueryHit, 1000)).has_value());
  CHECK(ceilings.BoundOf(Row(Operation::kQueryHit, 1000))->ns == 3);
  CHECK(ceilings.BoundOf(Row(Operation::kErase, 1000))->ns == 5);
  CHECK_FALSE(ceilings.BoundOf(Row(Operation::kHashInts, 1000)).has_value());
  CHECK_FALSE(ceilings.BoundOf(Row(Operation::kQueryHit, 2000)).has_value());
  SweepRow threads = Row(Operation::kQueryHit, 1000);
  threads.num_threads = 2;
  CHECK_FALSE(ceilings.BoundOf(threads).has_value());
}

TEST_CASE("a split streams and updates, and the slower of these bounds it",
          "[bench][sweep_ceilings]") {
  constexpr uint64_t kKeys = 1'000'000;
  const SweepRow split = Row(Operation::kInsert, kKeys);  // its direct ceiling is not measured
  SweepCeilings ceilings;
  ceilings.Add(Row(Operation::kStreamCeiling, kKeys), 64);
  CHECK_FALSE(ceilings.BoundOf(split).has_value());
  ceilings.Add(Row(Operation::kShardCeiling, kKeys), 1);
  REQUIRE(ceilings.BoundOf(split).has_value());
  // Three times 8 bytes of digest, and a filter of about 5 bytes per key read and written.
  CHECK(ceilings.BoundOf(split)->ceiling == Operation::kStreamCeiling);
  CHECK(ceilings.BoundOf(split)->ns > 24);
  CHECK(ceilings.BoundOf(split)->ns < 60);
  ceilings.Add(Row(Operation::kShardCeiling, kKeys), 100);
  CHECK(ceilings.BoundOf(split)->ceiling == Operation::kShardCeiling);
  CHECK(ceilings.BoundOf(split)->ns == 100);
}

}  // namespace
}  // namespace trommel::bench
