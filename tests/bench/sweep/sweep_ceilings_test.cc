// Which ceiling bounds a row.
#include "bench/sweep/sweep_ceilings.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

constexpr double kSeconds = 1e-4;

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

TEST_CASE("runs have ceilings of their own, and stream half as much", "[bench][sweep_ceilings]") {
  constexpr uint64_t kKeys = 1'000'000;
  SweepRow planes = Row(Operation::kInsert, kKeys);
  SweepRow runs = planes;
  runs.encoding = Encoding::kRuns;
  SweepCeilings ceilings;
  for (const Operation op : {Operation::kStreamCeiling, Operation::kShardCeiling}) {
    SweepRow ceiling = Row(op, kKeys);
    ceilings.Add(ceiling, op == Operation::kStreamCeiling ? 64 : 1);
    CHECK_FALSE(ceilings.BoundOf(runs).has_value());
    ceiling.encoding = Encoding::kRuns;
    CHECK(MeasureCeilingNs(ceiling, kSeconds) > 0);
  }
  for (const Operation op : {Operation::kStreamCeiling, Operation::kShardCeiling}) {
    SweepRow ceiling = Row(op, kKeys);
    ceiling.encoding = Encoding::kRuns;
    ceilings.Add(ceiling, op == Operation::kStreamCeiling ? 64 : 1);
  }
  REQUIRE(ceilings.BoundOf(runs).has_value());
  // Less the digests, which are as many.
  const double digests = 24;
  CHECK((ceilings.BoundOf(runs)->ns - digests) * 1.8 < ceilings.BoundOf(planes)->ns - digests);
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

TEST_CASE("an update is bounded by the faster of its two ways", "[bench][sweep_ceilings]") {
  const SweepRow update = Row(Operation::kInsert, 1000);
  SweepCeilings ceilings;
  ceilings.Add(Row(Operation::kUpdateCeiling, 1000), 5);
  CHECK(ceilings.BoundOf(update)->ns == 5);
  ceilings.Add(Row(Operation::kStreamCeiling, 1000), 1e-3);
  ceilings.Add(Row(Operation::kShardCeiling, 1000), 3);
  CHECK(ceilings.BoundOf(update)->ns == 3);
  SweepRow tiny = update;
  tiny.batch = 1;
  CHECK(ceilings.BoundOf(tiny)->ns == 5);
  ceilings.Add(Row(Operation::kShardCeiling, 1000), 7);
  CHECK(ceilings.BoundOf(update)->ns == 5);
}

}  // namespace
}  // namespace trommel::bench
