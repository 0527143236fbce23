// Direct or split? Inserts and erases of one thread on both routes and on the automatic choice, for
// batches of so many keys a block.
#ifndef TROMMEL_BENCH_ROUTE_TRIAL_H_
#define TROMMEL_BENCH_ROUTE_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/trial_table.h"
#include "trommel/sizing.h"

namespace trommel::bench {

inline const std::vector<std::string> kRouteSides = {"direct", "split", "automatic", "textbook"};

// ns a key, thread CPU time, of a filter that stands at num_keys when the batch is in; the loads
// ascend, and the last is less than the filter's. The textbook filter takes part only if asked for:
// it fills as slowly as it works. Runs have 5 slices. Ends the program if an answer is wrong.
std::vector<TrialRow> RunRouteTrial(uint64_t num_keys, const std::vector<double>& keys_per_block,
                                    uint64_t rounds, bool with_textbook,
                                    Encoding encoding = Encoding::kPlanes);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_ROUTE_TRIAL_H_
