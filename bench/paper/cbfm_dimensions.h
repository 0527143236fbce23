// Figure 12: what a question takes against the number of attributes and of tuples.
#ifndef TROMMEL_BENCH_PAPER_CBFM_DIMENSIONS_H_
#define TROMMEL_BENCH_PAPER_CBFM_DIMENSIONS_H_

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

void CbfmDimensions(const Options& options, Report& report);  // adds a table and a chart

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_DIMENSIONS_H_
