// Sweep: measures the rows of a plan, one after the other. Google Benchmark decides how often a
// step is repeated, and aggregates; the steps are an arena's and time themselves.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/sweep/sweep_ceilings.h"
#include "bench/sweep/sweep_plan.h"
#include "trommel/result.h"

namespace trommel::bench {

// The measurement of a row.
struct SweepFigure {
  SweepRow row;
  std::vector<double> ns;  // per key (of a ceiling: see MeasureCeilingNs), by repetition; not empty
  std::optional<Bound> bound;    // what memory allows
  uint64_t footprint_bytes = 0;  // a filter's, or a ceiling's
};

struct SweepHooks {
  // Called before each row and between steps. True ends the sweep there.
  std::function<bool()> should_stop;
  std::function<void(size_t row_idx, const SweepRow& row)> starting;
  std::function<void(const SweepFigure& figure)> measured;
};

struct SweepResult {
  std::string entries;  // of a file: each repetition, and aggregates, as Google Benchmark's JSON
  bool stopped = false;
  std::string wrong;  // the first wrong answer, at which the sweep ended; empty: there was none
  uint64_t filter_bytes = 0;  // the largest filter's, and how many of them were on huge pages
  uint64_t filter_huge_page_bytes = 0;
};

// Leaves the target in use as before. Fails as Executor::Create and CountingFilter::Create do.
// Requires that no other sweep runs in the process: Google Benchmark keeps its list in a global.
Result<SweepResult> RunSweep(const SweepPlan& plan, const SweepHooks& hooks);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_H_
