// Any sides beside each other, one thread: the same keys, every operation that a side can do, in
// the same rounds; their memory and their rates.
#ifndef TROMMEL_BENCH_TRIALS_SIDES_TRIAL_H_
#define TROMMEL_BENCH_TRIALS_SIDES_TRIAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/sides/contenders.h"
#include "bench/text/figures.h"
#include "bench/trials/arena.h"

namespace trommel::bench {

struct SidesOutcome {
  std::string wrong;                 // the first wrong answer; empty: there was none
  std::vector<std::string> columns;  // the sides' names, and "ceiling" where it is measured
  std::vector<TrialRow> rows;        // ns per key: kAllOps
  std::string memory;                // a line per side: its bytes, and its rate beside its model
};

// Requires sides that are empty and sized for num_keys.
SidesOutcome RunSidesTrial(uint64_t num_keys, std::vector<std::unique_ptr<Contender>> sides,
                           uint64_t rounds, std::optional<CeilingColumn> ceiling = {});

// Prints the tables. False, with a message on stderr instead, if an answer was wrong.
bool PrintSidesTrial(const char* program, uint64_t num_keys, const SidesOutcome& outcome,
                     const std::vector<RatioColumn>& ratios);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_SIDES_TRIAL_H_
