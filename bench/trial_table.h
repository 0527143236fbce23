// The outcome of a trial: what several sides took for the same work in the same rounds, as text.
#ifndef TROMMEL_BENCH_TRIAL_TABLE_H_
#define TROMMEL_BENCH_TRIAL_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "bench/ratio_table.h"

namespace trommel::bench {

struct TrialRow {
  std::string label;
  std::vector<Figures> sides;  // a figure a round each, in the unit of the title; may be empty
};

struct RatioColumn {
  std::string title;
  size_t over;  // sides: figures of `over` by those of `under`, round by round
  size_t under;
};

// A table with a median for each side and a median [min..max] for each ratio.
std::string FormatTrial(const std::string& title, const std::vector<std::string>& side_names,
                        const std::vector<RatioColumn>& ratios, const std::vector<TrialRow>& rows);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIAL_TABLE_H_
