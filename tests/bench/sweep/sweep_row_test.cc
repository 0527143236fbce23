// Names of rows and what bounds them.
#include "bench/sweep/sweep_row.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("an update's route is part of its name", "[bench][sweep_row]") {
  CHECK(OperationName(Operation::kInsert, Route::kAutomatic) == "insert");
  CHECK(OperationName(Operation::kInsert, Route::kSplit) == "insert_split");
  CHECK(OperationName(Operation::kErase, Route::kDirect) == "erase_direct");
  CHECK(OperationName(Operation::kQueryHit, Route::kAutomatic) == "query_hit");
}

TEST_CASE("runs are named with their slices, planes not at all", "[bench][sweep_row]") {
  CHECK(EncodingPart(Encoding::kPlanes).empty());
  CHECK(EncodingPart(Encoding::kRuns) == "/runs:5");
  CHECK(SweepConfig(1000, Encoding::kRuns).num_slices == 5);
  CHECK(SweepConfig(1000, Encoding::kPlanes).num_slices == 0);
}

TEST_CASE("batches are named in powers of 1024", "[bench][sweep_row]") {
  CHECK(BatchName(64) == "64");
  CHECK(BatchName(2048) == "2048");
  CHECK(BatchName(65536) == "64Ki");
  CHECK(BatchName(1 << 20) == "1Mi");
  CHECK(BatchName((1 << 20) + 1) == "1048577");
}

TEST_CASE("memory bounds queries by reads and updates by their route", "[bench][sweep_row]") {
  using Ops = std::vector<Operation>;
  SweepRow row;
  row.operation = Operation::kQueryHalf;
  CHECK(CeilingsOf(row) == Ops{Operation::kReadCeiling});
  row.operation = Operation::kErase;
  CHECK(CeilingsOf(row) ==
        Ops{Operation::kUpdateCeiling, Operation::kShardCeiling, Operation::kStreamCeiling});
  row.route = Route::kDirect;
  CHECK(CeilingsOf(row) == Ops{Operation::kUpdateCeiling});
  row.route = Route::kSplit;
  CHECK(CeilingsOf(row) == Ops{Operation::kShardCeiling, Operation::kStreamCeiling});
  row.operation = Operation::kHashInts;
  CHECK(CeilingsOf(row).empty());
}

}  // namespace
}  // namespace trommel::bench
