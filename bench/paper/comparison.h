// What a reproduction says: rows that hold a source's figure beside its formula, the exact model
// and what was measured here, each with a verdict. No figure is corrected in silence, and none
// repeated.
#ifndef TROMMEL_BENCH_PAPER_COMPARISON_H_
#define TROMMEL_BENCH_PAPER_COMPARISON_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/paper/range.h"

namespace trommel::paper {

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
  kWrong,             // the figure follows from what the source says, and is not what happens
  kDoesNotReproduce,  // a claim without a formula, not seen when tried
  kSoundForm,         // what was claimed, or its aim, is had in another form than the source's
  kAsModelled,        // the source has no figure; what was measured is what the model says
  kShown,             // neither a figure of the source nor a model: measured, and no more
  kContradicted,      // what was measured contradicts the exact model: ours is the mistake
};

std::string_view VerdictName(Verdict verdict);

struct Row {
  std::string what = {};
  Unit unit = Unit::kNumber;
  std::optional<double> paper = {};
  std::optional<double> formula = {};   // what the source's own formula gives
  std::optional<double> exact = {};     // what happens, by a model without approximations
  std::optional<double> measured = {};  // here, in this run
  std::optional<Range> allowed = {};    // outside of it `measured` contradicts `exact`
  double tolerance = 0.005;             // figures this close, relatively, are the same figure
  bool measured_at_most = false;        // nothing was seen: `measured` is an upper bound
  // Measured, too: of what we would use instead of what the source describes (Table::instead).
  std::optional<double> instead = {};
  std::optional<Verdict> given = {};  // where digits do not decide
  std::string note = {};
};

// The verdict: kContradicted if `measured` is outside `allowed`; else the one given; else by
// comparing figures, the source's with the exact model (or what there is instead) first.
Verdict Judge(const Row& row);

// A claim "this changes by so much" (savings are negative, as -0.15): reproduced if what was
// measured goes at least as far, or lacks no more than `slack`.
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

// A source's figure: a line a structure.
struct Line {
  std::string name = {};
  std::vector<double> y = {};  // one for each of the chart's x; NaN where there is none
};

struct Chart {
  std::string title = {};
  std::string x_name = {};
  std::string y_name = {};
  std::vector<double> x = {};  // ascending
  std::vector<Line> lines = {};
  Unit unit = Unit::kNumber;  // of y
  bool log_x = false;
  double least_y = 0;  // above 0: powers of ten, and what is smaller is drawn at this edge
};

struct Report {
  std::string name = {};    // of the program
  std::string source = {};  // what is reproduced
  std::vector<Table> tables = {};
  std::vector<Chart> charts = {};
};

// Whether a row of the report is kContradicted.
bool IsContradicted(const Report& report);

// A figure as text, "" for none. At most: "<= " in front.
std::string FigureText(std::optional<double> figure, Unit unit, bool at_most = false);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_COMPARISON_H_
