// Reports of reproductions: rows that hold a source's figure beside its formula, the exact model
// and what was measured here, each with a verdict. No figure of a source is corrected silently.
#ifndef TROMMEL_BENCH_PAPER_REPORT_REPORT_H_
#define TROMMEL_BENCH_PAPER_REPORT_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trommel::paper {

// Where chance leaves a measurement around an exact model. Outside of it the program is wrong: at
// six standard deviations the probability is below 1e-7.
struct Range {
  double low = 0;
  double high = 0;
  bool Contains(double value) const { return low <= value && value <= high; }
};

// mean +- 6 sigma.
Range SigmaRange(double mean, double sigma);

// Of the share of successes among num_trials independent trials of one probability; `extra_sigma`
// is the standard deviation of the probability itself. Six trials wider on each side: with few
// expected successes the binomial distribution has a longer tail than the normal one (Bernstein's
// inequality).
Range BinomialRange(double chance, uint64_t num_trials, double extra_sigma = 0);

// Of the mean of num_trials counts that are each Poisson with this mean.
Range PoissonRange(double mean, uint64_t num_trials);

// Nothing but this value is allowed.
inline Range Exactly(double value) { return {value, value}; }

enum class Unit {
  kNumber,  // four digits: 0.1534, 7.07e-17
  kCount,   // 131,571,428,572
  kShare,   // 0.4 is 40 %
  kChange,  // -0.15 is -15 %, always with its sign
  kNs,
};

enum class Verdict {
  kAgrees,            // the source's figure is right
  kSlip,              // the figure is not what the source's own formula gives
  kWrong,             // the figure follows from what the source says, and does not happen
  kDoesNotReproduce,  // a claim without a formula, not seen when tried
  kSoundForm,         // the claim, or its aim, is reached by another design than the source's
  kAsModelled,        // the source has no figure; the measurement is what the model says
  kSilent,            // the source says nothing of what was tried here
  kShown,             // neither a figure of the source nor a model: only measured
  kContradicted,      // the measurement contradicts the exact model: the mistake is ours
};

std::string_view VerdictName(Verdict verdict);

struct Row {
  std::string what = {};
  Unit unit = Unit::kNumber;
  std::optional<double> paper = {};
  std::optional<double> formula = {};   // what the source's own formula gives
  std::optional<double> exact = {};     // what happens, by a model without approximations
  std::optional<double> measured = {};  // in this run
  std::optional<Range> allowed = {};    // outside of it `measured` contradicts `exact`
  double tolerance = 0.005;             // figures this close, relatively, are the same figure
  bool measured_at_most = false;        // no event was seen: `measured` is an upper bound
  // Also measured: what we would use instead of what the source describes (Table::instead).
  std::optional<double> instead = {};
  std::optional<Verdict> given = {};  // where digits do not decide
  std::string note = {};
};

// The verdict: kContradicted if `measured` is outside `allowed`; else the one given; else by
// comparing figures, the source's with the exact model (or what there is instead) first.
Verdict Judge(const Row& row);

// A claim "this changes by so much" (savings are negative, as -0.15) is reproduced if the measured
// change goes at least as far, or lacks at most `slack`.
Verdict JudgeClaim(double claimed, double measured, double slack);

enum class Axis {
  kRatio,   // a drawing shows figures divided by the exact model, in powers of ten
  kLinear,  // figures as they are
};

struct Table {
  std::string title = {};
  std::string text = {};  // what it shows, and how; may be empty
  std::vector<Row> rows = {};
  Axis axis = Axis::kRatio;
  std::string instead = {};  // what Row::instead are figures of; empty: there are none
};

// A figure of a source: one line per structure.
struct Line {
  std::string name = {};
  std::vector<double> y = {};  // one per x of the chart; NaN where there is none
  // What the exact model and the source have instead; as y, or empty.
  std::vector<double> exact = {};
  std::vector<double> paper = {};
};

struct Chart {
  std::string title = {};  // that of the table with the same figures, where there is one
  std::string x_name = {};
  std::string y_name = {};
  std::vector<double> x = {};  // ascending
  std::vector<Line> lines = {};
  Unit unit = Unit::kNumber;  // of y
  bool log_x = false;
  double least_y = 0;  // above 0: powers of ten, and smaller figures are drawn at this edge
};

struct Report {
  std::string name = {};    // of the program
  std::string source = {};  // what is reproduced
  std::vector<Table> tables = {};
  std::vector<Chart> charts = {};
};

// Whether a row of the report is kContradicted.
bool IsContradicted(const Report& report);

// A figure as text, "" for none. at_most: "<= " in front.
std::string FigureText(std::optional<double> figure, Unit unit, bool at_most = false);

// A report as text for a terminal and as a page.

// One line per row, its note below it.
std::string ReportText(const Report& report);

// `text` broken at spaces so that no line is longer than `width`, each with `indent` spaces first.
// Ends with a newline unless empty. Line ends of the text stay.
std::string Wrapped(const std::string& text, size_t indent, size_t width = 110);

// One HTML file: a section per table, with a mark for each figure of each row above the table, and
// per chart. `command` is what made it.
std::string ReportHtml(const Report& report, const std::string& command);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_REPORT_REPORT_H_
