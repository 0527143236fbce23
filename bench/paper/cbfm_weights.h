// Figure 9: two attributes get more positions, the third fewer, in the same memory.
#ifndef TROMMEL_BENCH_PAPER_CBFM_WEIGHTS_H_
#define TROMMEL_BENCH_PAPER_CBFM_WEIGHTS_H_

#include <vector>

#include "bench/paper/cbfm_experiment.h"
#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

// What was measured, and all readings of the text by the model.
std::vector<Table> CbfmWeights(const Options& options, const CbfmExperiment& experiment);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_WEIGHTS_H_
