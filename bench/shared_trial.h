// What sharing costs: a ConcurrentFilter beside a CountingFilter in one thread, and a reader beside
// a writer of the same filter.
#ifndef TROMMEL_BENCH_SHARED_TRIAL_H_
#define TROMMEL_BENCH_SHARED_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/trial_table.h"

namespace trommel::bench {

inline const std::vector<std::string> kSharedSides = {"exclusive", "concurrent"};
// Insert, erase, insert-if-absent and query in batches: ns a key, thread CPU time.
std::vector<TrialRow> RunSharedTrial(uint64_t num_keys, const std::vector<size_t>& batches,
                                     uint64_t rounds);

inline const std::vector<std::string> kReaderSides = {"other filter", "same filter"};
// A reader's queries a microsecond while another thread inserts and erases: in another filter of
// the same size (the same traffic on unrelated memory), and in the reader's own.
std::vector<TrialRow> RunReaderTrial(uint64_t num_keys, uint64_t rounds);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SHARED_TRIAL_H_
