// The paper on cut Bloom filter matrices, table by table and figure by figure.
#ifndef TROMMEL_BENCH_PAPER_CBFM_REPORT_H_
#define TROMMEL_BENCH_PAPER_CBFM_REPORT_H_

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

Report CbfmReport(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_REPORT_H_
