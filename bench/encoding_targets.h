// What the run encoding was meant to reach, held against what was measured.
#ifndef TROMMEL_BENCH_ENCODING_TARGETS_H_
#define TROMMEL_BENCH_ENCODING_TARGETS_H_

#include <string>
#include <vector>

#include "bench/encoding_trial.h"

namespace trommel::bench {

struct TargetVerdict {
  std::string text;  // what was asked for, and the figure
  bool is_met = false;
};

// Memory: at most 22.5 bits a key at 0.40 % and 20 at 0.61 %, side table included, after keys have
// come and gone; a measured rate breaks its target only when it is above by more than 3 sigmas.
// Speed, by the medians of ratios taken in the same rounds, direct with direct: updates no slower
// than planes from 10 M keys on, at most 2.5 times as slow up to 1 M; queries at most 1.2 times.
// Blocks of other than 5 slices had no targets.
std::vector<TargetVerdict> JudgeRuns(const EncodingOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_ENCODING_TARGETS_H_
