// The paper on split counting Bloom filters, table by table.
#ifndef TROMMEL_BENCH_PAPER_SCBF_SCBF_H_
#define TROMMEL_BENCH_PAPER_SCBF_SCBF_H_

#include <cstdint>
#include <vector>

#include "bench/paper/report/program.h"
#include "bench/paper/report/random.h"
#include "bench/paper/report/report.h"
#include "engine/src/classic/geometry.h"
#include "engine/src/classic/scalable_split.h"

namespace trommel::paper {

Report ScbfReport(const Options& options);

// Table 1: what 45 KB of positions hold at each rate.
inline constexpr uint64_t kScbfPositions = 45 * 1024 * 8;  // M
Table ScbfSizing(const Options& options);

// Tables 2 to 4: how often counters overflow, per counter, in the split filter (Tables 2 and 3) and
// in the plain counting Bloom filter (Table 4), and for the fullest counter of a filter.
std::vector<Table> ScbfOverflow(const Options& options);

// 1 - e^-load sum_{i < count} load^i / i!, summed upwards in doubles as Table 4 must have been: the
// remainder below 1e-16 is rounding.
double TailBySubtraction(double load, uint32_t count);

// How high counters go, by filling filters with different keys at the same load.
struct OverflowTrial {
  uint64_t num_filters = 0;
  uint64_t num_counters = 0;                        // of all filters
  std::vector<uint64_t> num_reaching = {};          // [j]: counters of at least j
  std::vector<uint64_t> num_filters_reaching = {};  // [j]: filters with such a counter

  double CounterShare(uint32_t count) const;
  double FilterShare(uint32_t count) const;
};

// Fills num_filters filters of this geometry (counters of 8 bits) with num_keys random keys each.
OverflowTrial RunOverflow(classic::ArrayGeometry geometry, uint64_t num_keys, uint64_t num_filters,
                          uint64_t seed);

struct TailEstimate {
  double chance = 0;
  double sigma = 0;  // of the estimate
};

// The probability that one counter is hit at least `count` times by num_thrown throws on
// num_positions, for counts that no filter will ever reach. Importance sampling: throws hit the
// counter with probability count / num_thrown, and every outcome is weighted with the ratio of its
// true probability to that. Nothing is approximated except by sampling.
TailEstimate EstimateTail(uint64_t num_thrown, uint64_t num_positions, uint32_t count,
                          uint64_t num_samples, RandomStream random);

// Figures 1 to 5: two keys in a plain counting filter and in a split one, and one of them erased.
Table ScbfFigures(const Options& options);

// The scalable filter: its rate with d generations, and which keys are lost when others are erased
// from generations that answer "maybe present" for them by mistake.
std::vector<Table> ScbfGenerations(const Options& options);
Table ScbfErasing(const Options& options);

// The keys that are live after num_keys were inserted and half of them, every other one, was
// replaced by new ones, three times.
struct ErasingTrial {
  uint64_t num_live = 0;
  uint64_t num_lost = 0;  // live keys that answer "absent"
  size_t num_generations = 0;
};
ErasingTrial RunErasing(classic::ScalableSplit filter, uint64_t num_keys, RandomStream random);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_SCBF_SCBF_H_
