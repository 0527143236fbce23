// The options of a sweep and their defaults.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_OPTIONS_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel::bench {

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

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_OPTIONS_H_
