// Tables 2 to 4 of the split counting filter: how often counters overflow, in it and in the plain
// counting Bloom filter.
#ifndef TROMMEL_BENCH_PAPER_SCBF_OVERFLOW_H_
#define TROMMEL_BENCH_PAPER_SCBF_OVERFLOW_H_

#include <vector>

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

// Per counter, split (Tables 2 and 3) and plain (Table 4), and for the fullest counter of a filter.
std::vector<Table> ScbfOverflow(const Options& options);

// 1 - e^-load sum_{i < count} load^i / i!, summed upwards in doubles as Table 4 must have been:
// what is left below 1e-16 is rounding.
double TailBySubtraction(double load, uint32_t count);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_SCBF_OVERFLOW_H_
