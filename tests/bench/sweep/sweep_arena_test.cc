// The arena's steps: right on every target, in any batch, by either route, with threads, and
// leaving the filter as it was.
#include "bench/sweep/sweep_arena.h"

#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kNumKeys = 5003;

SweepRow Row(Operation op) {
  SweepRow row;
  row.name = "a row";
  row.operation = op;
  row.num_keys = kNumKeys;
  row.batch = uint64_t{1} << 20;
  return row;
}

constexpr Operation kOperations[] = {
    Operation::kInsert,    Operation::kInsertSkewed, Operation::kInsertIfAbsent, Operation::kErase,
    Operation::kQueryMiss, Operation::kQueryHalf,    Operation::kQueryHit};

TEST_CASE("steps prove their answers and leave the filter as it was", "[bench][sweep_arena]") {
  const Encoding encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  auto arena = SweepArena::Create(kNumKeys, encoding);
  REQUIRE(arena.ok());
  CHECK((*arena)->filter().geometry().encoding == encoding);
  const uint64_t num_keys = (*arena)->filter().num_keys();
  CHECK(num_keys <= kNumKeys);
  CHECK(num_keys > kNumKeys / 2);
  const Result<std::shared_ptr<Executor>> executor = Executor::Create(2);
  REQUIRE(executor.ok());
  for (const Operation op : kOperations) {
    for (const Route route : {Route::kAutomatic, Route::kDirect, Route::kSplit}) {
      for (const uint64_t batch : {uint64_t{64}, uint64_t{1} << 20}) {
        SweepRow row = Row(op);
        row.route = route;
        row.batch = batch;
        (*arena)->Prepare(row, batch == 64 ? nullptr : *executor);
        for (int i = 0; i < 3; ++i) {
          const StepTime time = (*arena)->Step();
          CHECK(time.seconds > 0);
          CHECK(time.num_keys >= kNumKeys / 4);
        }
        CHECK((*arena)->filter().num_keys() == num_keys);
      }
    }
  }
  (*arena)->Prove();
  CHECK((*arena)->filter().num_keys() == 0);
}

TEST_CASE("a filter that lost a key is noticed", "[bench][sweep_arena]") {
  auto arena = SweepArena::Create(kNumKeys);
  REQUIRE(arena.ok());
  const_cast<CountingFilter&>((*arena)->filter()).Clear();
  for (const Operation op : kOperations) {
    INFO(static_cast<int>(op));
    CHECK_THROWS_AS(((*arena)->Prepare(Row(op), nullptr), (*arena)->Step(), (*arena)->Prove()),
                    WrongAnswer);
  }
}

}  // namespace
}  // namespace trommel::bench
