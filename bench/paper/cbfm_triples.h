// Figures 8a and 8b: recorded triples {source address, destination address, domain}, what came
// first put in and what came later asked for, against memory.
#ifndef TROMMEL_BENCH_PAPER_CBFM_TRIPLES_H_
#define TROMMEL_BENCH_PAPER_CBFM_TRIPLES_H_

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

// Adds a table and a chart for each figure; nothing where no file is given. Ends the program where
// it cannot be read.
void CbfmTriples(const Options& options, Report& report);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_TRIPLES_H_
