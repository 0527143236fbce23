#include "bench/paper/cbfm_synthetic.h"

#include <cmath>

#include "bench/paper/cbfm_experiment.h"

namespace trommel::paper {
namespace {

// In the order of kAskedSets.
struct FigureWords {
  const char* figure;
  const char* text;
};
constexpr FigureWords kFigures[] = {
    {"Fig. 7a: whole tuples",
     "Each value of a question is that of a random tuple with chance alpha, else new."},
    {"Fig. 7b: the pair {1,2}, which no cut holds",
     "SBF answers for whole tuples only. CMDBF answers as MDBF does, attribute by attribute. "
     "CBF traverses the attribute that is not given."},
    {"Fig. 7b, a pair that is cut: {0,1}",
     "What the source does not show. BFM has a block for it, as full as that of {1,2}; CBFM asks "
     "{0} "
     "and {1} apart, and every block of one attribute is full. AttributeFilter asks the same two "
     "sets, which are not full: what is left are values that are in, in different tuples."}};
static_assert(std::size(kFigures) == kNumAskedSets);

std::string MegabytesText(const Structure& structure) {
  return FigureText(static_cast<double>(structure.index->num_bytes()) / 1048576, Unit::kNumber) +
         " MB";
}

Row OrdersRow(const CbfmExperiment& experiment, std::string_view name, std::string_view than) {
  const CbfmPoint& lower = experiment.At(experiment.SideNamed(name), 0, kAlphaSteps);
  const CbfmPoint& upper = experiment.At(experiment.SideNamed(than), 0, kAlphaSteps);
  Row row{.what = std::string(name) + " below " + std::string(than) + ", alpha = 1, orders"};
  row.paper = 3;
  row.exact = std::log10(upper.model / lower.model);
  if (lower.answers.num_maybe > 0) {
    row.measured = std::log10(upper.answers.rate() / lower.answers.rate());
  }
  // "Three orders" are two and a half or more.
  row.given = *row.exact >= 2.5 ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
  return row;
}

Table FigureTable(const CbfmExperiment& experiment, size_t asked_idx) {
  const FigureWords& words = kFigures[asked_idx];
  const size_t filter = experiment.sides().size() - 1;
  Table table{.title = words.figure, .text = words.text};
  table.instead = "AttributeFilter";
  table.text += " " +
                FigureText(static_cast<double>(experiment.workload().num_tuples()), Unit::kCount) +
                " tuples, k = 6, " +
                FigureText(static_cast<double>(experiment.num_cells()) / 8, Unit::kCount) +
                " bytes of cells (" +
                "AttributeFilter of two cuts: " + MegabytesText(experiment.sides()[filter]) +
                "). Rates of strangers; the chart has all alphas.";
  double num_outside = 0;
  double num_points = 0;
  for (size_t side = 0; side < experiment.sides().size(); ++side) {
    for (size_t step = 0; step <= kAlphaSteps; ++step) {
      const CbfmPoint& point = experiment.At(side, asked_idx, step);
      if (point.answers.num_asked == 0) continue;
      ++num_points;
      num_outside += !point.allowed.Contains(point.answers.rate());
      if (step % (kAlphaSteps / 2) != 0) continue;
      const double alpha = static_cast<double>(step) / kAlphaSteps;
      Row row{.what =
                  experiment.sides()[side].name + ", alpha = " + FigureText(alpha, Unit::kNumber)};
      row.unit = Unit::kShare;
      row.exact = point.model;
      row.measured = point.answers.rate();
      if (point.answers.num_maybe == 0) {
        row.measured = 3 / static_cast<double>(experiment.num_questions());
        row.measured_at_most = true;
      } else {
        row.allowed = point.allowed;
      }
      row.instead = experiment.At(filter, asked_idx, step).answers.rate();
      if (asked_idx == 0 && experiment.sides()[side].name == "MDBF" && step == kAlphaSteps)
        row.paper = 1;
      if (asked_idx == 1) {
        const matrix::Kind kind = experiment.sides()[side].geometry
                                      ? experiment.sides()[side].geometry->kind
                                      : matrix::Kind::kSbf;
        if (kind == matrix::Kind::kBfm || kind == matrix::Kind::kCartesian) row.paper = 1;
        if (experiment.sides()[side].name == "CBFM, two cuts") row.paper = kPrintedPairRate;
        row.tolerance = 0.15;  // "about"
      }
      table.rows.push_back(row);
    }
  }
  Row outside{.what = "points of the chart outside their model's range", .unit = Unit::kCount};
  outside.exact = 0;
  outside.measured = num_outside;
  outside.allowed = Exactly(0);
  outside.note = "Of " + FigureText(num_points, Unit::kCount) + ", at six standard deviations.";
  table.rows.push_back(outside);
  if (asked_idx == 0) {
    for (const char* name : {"SBF", "BFM", "CBF", "CBFM, two cuts"}) {
      table.rows.push_back(OrdersRow(experiment, name, "MDBF"));
    }
    table.rows.push_back(OrdersRow(experiment, "CBFM, two cuts", "CMDBF"));
    table.rows.back().note =
        "The joint filter of CMDBF has a quarter of the memory and stops two thirds of what MDBF "
        "lets pass.";
  }
  return table;
}

Chart FigureChart(const CbfmExperiment& experiment, size_t asked_idx) {
  Chart chart{.title = kFigures[asked_idx].figure, .x_name = "alpha", .y_name = "rate"};
  chart.unit = Unit::kShare;
  chart.least_y = 1e-6;
  for (int step = 0; step <= kAlphaSteps; ++step) {
    chart.x.push_back(static_cast<double>(step) / kAlphaSteps);
  }
  for (size_t side = 0; side < experiment.sides().size(); ++side) {
    if (experiment.At(side, asked_idx, 0).answers.num_asked == 0) continue;
    Line line{.name = experiment.sides()[side].name};
    for (size_t step = 0; step < chart.x.size(); ++step) {
      line.y.push_back(experiment.At(side, asked_idx, step).answers.rate());
    }
    chart.lines.push_back(line);
  }
  return chart;
}

}  // namespace

void CbfmSynthetic(const Options& options, const CbfmExperiment& experiment, Report& report) {
  for (size_t asked_idx = 0; asked_idx < kNumAskedSets; ++asked_idx) {
    report.tables.push_back(FigureTable(experiment, asked_idx));
    report.charts.push_back(FigureChart(experiment, asked_idx));
  }
  report.tables.push_back(CbfmReadings(experiment, options.seed));
  report.tables.push_back(CbfmCombinations(experiment));
}

}  // namespace trommel::paper
