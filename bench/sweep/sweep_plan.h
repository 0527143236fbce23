// What a sweep measures: a list of rows. Every row differs in one thing from a base case, because
// all combinations would take days:
//
//   base      the base size, the target in use, the least thread count, batches of 1 Mi keys
//   sizes     every operation at each size; hashing at the base size
//   textbook  the textbook's filter: insert, erase, query_miss, query_hit at each size, one thread
//   threads   hash_int, insert, erase, query_hit at the base size
//   targets   hash_int, insert, erase, query_hit at the base size, named by target
//   batches   insert, erase, query_hit at the base size, batches of 64, 2,048 and 64 Ki
//   encoding  insert, erase, query_hit and query_miss of each other one, at each size
//   ceilings  reads, updates and stream in L1, L2, L3 and memory, and at the filter's own footprint
//             with as many threads wherever a row is bounded by them
//
// These are the defaults; each encoding that is given gets all rows but the last.
//
// Names are the same on every machine as far as the rows are: "target:best", not the name of that
// target.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_PLAN_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_PLAN_H_

#include <cstdint>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "bench/sweep/sweep_options.h"
#include "bench/sweep/sweep_row.h"
#include "trommel/result.h"

namespace trommel::bench {

struct SweepPlan {
  std::vector<SweepRow> rows;  // those of one filter together, its ceilings first
  double seconds_per_figure = 0;
  uint32_t repetitions = 0;  // among which the seconds are divided
};

inline constexpr uint64_t kSweepBatch = uint64_t{1} << 20;

// Fails as CompleteOptions does, and with kInvalidArgument for a bad regular expression or one that
// no row's name matches.
Result<SweepPlan> MakePlan(const SweepOptions& options, const MachineCard& card);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_PLAN_H_
