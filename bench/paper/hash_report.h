// What the choice of a hash decides: its cost. And what it does not: the false-positive rate.
#ifndef TROMMEL_BENCH_PAPER_HASH_REPORT_H_
#define TROMMEL_BENCH_PAPER_HASH_REPORT_H_

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

// Rates of one counting filter with each hash, keys that count upwards and keys like domains.
Table HashRates(const Options& options);

// Rates, then ns a key by length of key.
Report HashReport(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_HASH_REPORT_H_
