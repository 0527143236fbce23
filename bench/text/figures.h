// Paired figures and their summary as text. A round measures all sides of an operation one after
// the other, so other load on the machine affects them alike and mostly cancels in the ratio.
#ifndef TROMMEL_BENCH_TEXT_FIGURES_H_
#define TROMMEL_BENCH_TEXT_FIGURES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trommel::bench {

// The figures of one operation: [round]. Empty: this side cannot do it.
using Figures = std::vector<double>;

double Median(Figures figures);  // NaN if there are none

struct Ratio {
  double median, min, max;  // NaN if a side has no figures
};
// over[round] / under[round].
Ratio PairedRatio(const Figures& over, const Figures& under);

// The outcome of a trial: the figures of several sides for the same work in the same rounds.
struct TrialRow {
  std::string label;
  std::vector<Figures> sides;  // one figure per round, in the unit of the title; may be empty
};

struct RatioColumn {
  std::string title;
  size_t over;  // sides: figures of `over` by those of `under`, round by round
  size_t under;
};

// A table with a median for each side and a median [min..max] for each ratio.
std::string FormatTrial(const std::string& title, const std::vector<std::string>& side_names,
                        const std::vector<RatioColumn>& ratios, const std::vector<TrialRow>& rows);

// What a program of one thread says first: the target, what holds for all `sides`, and what the
// figures are. For text from FormatTrial.
std::string TrialHeading(const std::string& sides, uint64_t rounds);

// 1234567 is "1,234,567".
std::string Grouped(uint64_t number);

// What std::printf would print.
[[gnu::format(printf, 1, 2)]] std::string Printed(const char* format, ...);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TEXT_FIGURES_H_
