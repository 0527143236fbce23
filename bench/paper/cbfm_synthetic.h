// Figures 7a and 7b: random 32-bit integers, questions that share more and more values with what is
// in; which number of tuples and of cuts the one printed rate fits; and false positives that no
// memory takes away.
#ifndef TROMMEL_BENCH_PAPER_CBFM_SYNTHETIC_H_
#define TROMMEL_BENCH_PAPER_CBFM_SYNTHETIC_H_

#include "bench/paper/cbfm_experiment.h"
#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

// Adds the tables and charts.
void CbfmSynthetic(const Options& options, const CbfmExperiment& experiment, Report& report);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_SYNTHETIC_H_
