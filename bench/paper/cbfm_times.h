// Figure 10: what a question takes, of every structure, as published and as here.
#ifndef TROMMEL_BENCH_PAPER_CBFM_TIMES_H_
#define TROMMEL_BENCH_PAPER_CBFM_TIMES_H_

#include "bench/paper/cbfm_experiment.h"
#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

Table CbfmTimes(const Options& options, const CbfmExperiment& experiment);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_TIMES_H_
