// Where tuples are as many as cells: the memory at which AttributeFilter reaches the rates that
// CBFM has in 16 MB, set by set, and the number of tuples from which on the matrix is smaller.
#ifndef TROMMEL_BENCH_PAPER_CBFM_CROSSOVER_H_
#define TROMMEL_BENCH_PAPER_CBFM_CROSSOVER_H_

#include <cstdint>

#include "bench/paper/cbfm_experiment.h"
#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

// Adds tables and a chart.
void CbfmCrossover(const Options& options, const CbfmExperiment& experiment, Report& report);

// The bytes of one set's filter that has this rate when `capacity` projections are in; 0 for a rate
// of one half or more, which no filter is needed for.
double FilterBytes(uint64_t capacity, double rate);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_CROSSOVER_H_
