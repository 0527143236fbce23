// What the sets of an AttributeFilter take and cost with runs, and with the encoding that the model
// chooses for each generation. How to read the outcome: README.md.
#ifndef TROMMEL_BENCH_TRIALS_SET_ENCODING_TRIAL_H_
#define TROMMEL_BENCH_TRIALS_SET_ENCODING_TRIAL_H_

#include <array>
#include <string>
#include <vector>

#include "bench/text/figures.h"
#include "bench/trials/attribute_trial.h"

namespace trommel::bench {

enum SetEncodingSide : uint8_t { kSetsOfRuns, kSetsAutomatic, kNumSetEncodings };

struct SetEncodingOutcome {
  std::string wrong;  // the first wrong answer; empty: there was none
  // Bits per value of a set, at the capacity: by PlanAttributes, and as num_bytes says.
  std::array<double, kNumSetEncodings> predicted_bits{};
  std::array<double, kNumSetEncodings> measured_bits{};
  // Of non-members all of whose values are new, asked for one set.
  std::array<double, kNumSetEncodings> measured_rates{};
  std::vector<TrialRow> times;  // ns per query or tuple, of each side
};

// Filters of three attributes and 4 sets at 1 %, filled with request.num_tuples tuples.
SetEncodingOutcome RunSetEncodingTrial(const AttributeTrialRequest& request);

std::string FormatSetEncodings(const SetEncodingOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_SET_ENCODING_TRIAL_H_
