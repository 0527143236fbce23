// What more threads are worth: build, insert, erase and query of large batches with one thread and
// with several, beside what memory itself gives to as many.
#ifndef TROMMEL_BENCH_THREAD_TRIAL_H_
#define TROMMEL_BENCH_THREAD_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/trial_table.h"

namespace trommel::bench {

inline const std::vector<std::string> kThreadSides = {"one", "several"};

// ns a key, wall time, of a filter of num_keys; the last rows are the ceilings: a random line read,
// a random update of an update's lines, and a copied cache line, in ns. Ends the program if an
// answer is wrong.
std::vector<TrialRow> RunThreadTrial(uint64_t num_keys, uint32_t num_threads, uint64_t rounds);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_THREAD_TRIAL_H_
