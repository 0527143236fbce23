#include "bench/paper/cbfm_report.h"

#include "bench/paper/cbfm_crossover.h"
#include "bench/paper/cbfm_dimensions.h"
#include "bench/paper/cbfm_experiment.h"
#include "bench/paper/cbfm_memory.h"
#include "bench/paper/cbfm_sizing.h"
#include "bench/paper/cbfm_synthetic.h"
#include "bench/paper/cbfm_times.h"
#include "bench/paper/cbfm_triples.h"
#include "bench/paper/cbfm_weights.h"

namespace trommel::paper {

Report CbfmReport(const Options& options) {
  Report report{.name = "reproduce_cbfm",
                .source =
                    "Wang, Yun, Wang and Wang, CBFM: cutted Bloom filter matrix for "
                    "multi-dimensional membership query",
                .tables = CbfmSizing(options)};
  const CbfmExperiment experiment(options);
  CbfmSynthetic(options, experiment, report);
  CbfmCrossover(options, experiment, report);
  CbfmTriples(options, report);
  for (Table& table : CbfmWeights(options, experiment)) report.tables.push_back(std::move(table));
  report.tables.push_back(CbfmTimes(options, experiment));
  CbfmMemory(options, report);
  CbfmDimensions(options, report);
  return report;
}

}  // namespace trommel::paper
