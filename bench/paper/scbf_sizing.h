// Table 1 of the split counting filter: what 45 KB of positions hold at each rate.
#ifndef TROMMEL_BENCH_PAPER_SCBF_SIZING_H_
#define TROMMEL_BENCH_PAPER_SCBF_SIZING_H_

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

inline constexpr uint64_t kScbfPositions = 45 * 1024 * 8;  // M

Table ScbfSizing(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_SCBF_SIZING_H_
