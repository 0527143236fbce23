// Tables 2 and 3: tuples in a megabyte, and megabytes for a thousand tuples.
#ifndef TROMMEL_BENCH_PAPER_CBFM_SIZING_H_
#define TROMMEL_BENCH_PAPER_CBFM_SIZING_H_

#include <vector>

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

// Table 2, Table 3, and what the megabytes of Table 3 buy.
std::vector<Table> CbfmSizing(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_SIZING_H_
