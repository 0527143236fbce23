// Paired figures and how they are summed up: medians over rounds, and of each round's ratio the
// median and the range. A round measures all sides of an operation one after the other, so what
// else the machine was doing hits them alike and mostly cancels in the ratio.
#ifndef TROMMEL_BENCH_RATIO_TABLE_H_
#define TROMMEL_BENCH_RATIO_TABLE_H_

#include <string>
#include <vector>

namespace trommel::bench {

// The figures of one operation: [round]. Empty: this side cannot do it.
using Figures = std::vector<double>;

double Median(Figures figures);  // NaN if there are none

struct Ratio {
  double median, min, max;  // NaN if a side has no figures
};
// theirs[round] / ours[round].
Ratio PairedRatio(const Figures& theirs, const Figures& ours);

// One row of the printed table.
struct TableRow {
  std::string operation;
  Figures ours;
  Figures ours_hashing;
  Figures textbook;
  Figures textbook_unprefetched;
  Figures split_block;
  Figures ceiling;
};

// The whole table as text: medians in ns a key, how many times as long the textbook takes, how many
// times as long as the split-block filter we take, and what share of the ceiling we reach.
std::string FormatTable(const std::string& title, const std::vector<TableRow>& rows);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_RATIO_TABLE_H_
