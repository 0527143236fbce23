// What the listings do to keys that are in: each run as the article means it, beside what theory
// expects of such a program.
#ifndef TROMMEL_BENCH_PAPER_LISTING_LOSSES_H_
#define TROMMEL_BENCH_PAPER_LISTING_LOSSES_H_

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

Table ListingLosses(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_LISTING_LOSSES_H_
