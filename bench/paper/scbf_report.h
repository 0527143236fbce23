// The paper on split counting Bloom filters, table by table.
#ifndef TROMMEL_BENCH_PAPER_SCBF_REPORT_H_
#define TROMMEL_BENCH_PAPER_SCBF_REPORT_H_

#include "bench/paper/program.h"

namespace trommel::paper {

Report ScbfReport(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_SCBF_REPORT_H_
