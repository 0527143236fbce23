// The article on the space of HBase's Bloom filters: its listings, and its five claims.
#ifndef TROMMEL_BENCH_PAPER_CLAIMS_REPORT_H_
#define TROMMEL_BENCH_PAPER_CLAIMS_REPORT_H_

#include "bench/paper/program.h"

namespace trommel::paper {

Report ClaimsReport(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CLAIMS_REPORT_H_
