// The claims of the article on the space of HBase's Bloom filters, each against a fair baseline: a
// filter sized for the same keys at the same rate.
#ifndef TROMMEL_BENCH_PAPER_CLAIMS_H_
#define TROMMEL_BENCH_PAPER_CLAIMS_H_

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

Table HashClaim(const Options& options);    // a faster hash saves 15 % of space
Table ProbesClaim(const Options& options);  // an adaptive number of hashes saves 20 %
Table GrowthClaim(const Options& options);  // expansion makes queries 30 % faster; the order system
Table ExpiryClaim(const Options& options);  // expiry frees 40 %; the sensors' data
Table LayersClaim(const Options& options);  // layers save 35 %

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CLAIMS_H_
