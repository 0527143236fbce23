// Figure 11: memory against the number of attributes, theory and built.
#ifndef TROMMEL_BENCH_PAPER_CBFM_MEMORY_H_
#define TROMMEL_BENCH_PAPER_CBFM_MEMORY_H_

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

void CbfmMemory(const Options& options, Report& report);  // adds a table and a chart

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_MEMORY_H_
