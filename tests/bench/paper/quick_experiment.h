// One small experiment of figures 7 to 10, for all tests of what is made of it.
#ifndef TROMMEL_TESTS_BENCH_PAPER_QUICK_EXPERIMENT_H_
#define TROMMEL_TESTS_BENCH_PAPER_QUICK_EXPERIMENT_H_

#include "bench/paper/cbfm_experiment.h"

namespace trommel::paper {

inline const Options kQuickCbfm{.seed = 6, .quick = true};

inline const CbfmExperiment& QuickExperiment() {
  static const CbfmExperiment experiment(kQuickCbfm);
  return experiment;
}

}  // namespace trommel::paper

#endif  // TROMMEL_TESTS_BENCH_PAPER_QUICK_EXPERIMENT_H_
