// How a sweep proves its answers: filters that lose keys and wrong answers are detected. The clock
// of a step. (sweep_test.cc runs whole sweeps.)
#include "bench/sweep/sweep_arena.h"

#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "bench/sides/workload.h"
#include "bench/sweep/sweep_row.h"
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

TEST_CASE("a sweep's textbook filter takes turns with ours", "[bench][sweep_arena]") {
  auto arena = SweepArena::Create(kNumKeys);
  REQUIRE(arena.ok());
  const uint64_t num_bytes = (*arena)->num_bytes();
  for (int i = 0; i < 5; ++i) {  // more than the parts of the ring
    for (const Operation op :
         {Operation::kErase, Operation::kTextbookErase, Operation::kTextbookInsert,
          Operation::kInsert, Operation::kTextbookQueryHit, Operation::kTextbookQueryMiss}) {
      (*arena)->Prepare(Row(op), nullptr);
      for (int step = 0; step <= i; ++step) CHECK((*arena)->Step().num_keys > 0);
    }
  }
  CHECK((*arena)->num_bytes() != num_bytes);
  (*arena)->Prove();
}

TEST_CASE("a sweep detects a filter that lost a key", "[bench][sweep_arena]") {
  auto arena = SweepArena::Create(kNumKeys);
  REQUIRE(arena.ok());
  const_cast<CountingFilter&>((*arena)->filter()).Clear();
  for (const Operation op : kOperations) {
    INFO(static_cast<int>(op));
    CHECK_THROWS_AS(((*arena)->Prepare(Row(op), nullptr), (*arena)->Step(), (*arena)->Prove()),
                    WrongAnswer);
  }
}

constexpr uint64_t kNumMembers = 2000;
constexpr uint64_t kStretch = 500;

CountingFilter Filled() {
  Result<CountingFilter> filter = CountingFilter::Create({.capacity = kNumMembers});
  const Population members(kFirstMember, kNumMembers);
  filter->Insert(Keys::Digests(members.batch().digests));
  return std::move(*filter);
}

uint64_t Answers(const CountingFilter& filter, const QueryPool& pool) {
  std::vector<uint64_t> bitmap(BitmapWords(pool.digests().size()));
  return filter.Query(Keys::Digests(pool.digests()), bitmap);
}

TEST_CASE("wrong answers are detected", "[bench][query_pool]") {
  const CountingFilter filter = Filled();
  QueryPool hits(Operation::kQueryHit, kNumMembers, kStretch);
  const auto fpr = [&filter] { return filter.MeasureFill().current_fpr; };
  CHECK_FALSE(hits.Check(kStretch - 1, fpr).empty());
  QueryPool misses(Operation::kQueryMiss, kNumMembers, kStretch);
  CHECK_FALSE(misses.Check(kStretch / 2, fpr).empty());
  const uint64_t present = Answers(filter, misses);
  CHECK(misses.Check(present, fpr).empty());
  CHECK_FALSE(misses.Check(present + 1, fpr).empty());
}

TEST_CASE("waiting counts for several threads, and not for one", "[bench][sweep_step]") {
  constexpr std::chrono::milliseconds kPause(20);
  const StepClock one(1);
  const StepClock two(2);
  std::this_thread::sleep_for(kPause);
  CHECK(two.Stop(1).seconds >= 0.02);
  CHECK(one.Stop(1).seconds < 0.02);
}

}  // namespace

}  // namespace trommel::bench
