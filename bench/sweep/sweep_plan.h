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
#include <string>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "bench/sweep/sweep_row.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel::bench {

// The options of a sweep and their defaults.

struct SweepOptions {
  bool quick = false;
  std::string filter = {};                // a regular expression found in a row's name; empty: all
  std::vector<uint64_t> sizes = {};       // keys; empty: a ladder from L1 to memory
  std::vector<uint32_t> threads = {};     // empty: powers of two up to the logical CPUs, and these
  std::vector<std::string> targets = {};  // empty: all runnable ones
  double seconds_per_figure = 0;          // 0: 1, or 0.12 when quick
  // Of the filters: every row for each of these; empty: every row for planes, and for the others
  // those that show the difference.
  std::vector<Encoding> encodings = {};
};

inline constexpr uint64_t kMinSweepKeys = 1000;  // with fewer a step is too short for the clock

// The options with every default filled in, and sizes and threads in ascending order. Fails with
// kInvalidArgument for an unknown target, sizes or thread counts out of range and seconds that are
// not a positive number; with kOutOfMemory for a size that this machine's memory cannot hold.
Result<SweepOptions> CompleteOptions(SweepOptions options, const MachineCard& card);

// The size at which a sweep varies other things: 30 M keys, or the next smaller size there is.
// Requires ascending `sizes`, not empty.
uint64_t BaseSize(const std::vector<uint64_t>& sizes);

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
