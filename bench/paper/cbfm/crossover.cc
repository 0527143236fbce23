#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "bench/paper/cbfm/cbfm.h"
#include "trommel/attribute_plan.h"

namespace trommel::paper {
namespace {

constexpr double kBytesInMegabyte = 1048576;
constexpr double kLeastRate = 1e-6;  // a filter's, at capacity

matrix::MatrixGeometry TwoCutMatrix(uint64_t num_cells) {
  matrix::Request request;
  request.sets = TwoCuts();
  request.num_hashes = kCbfmHashes;
  request.num_cells = num_cells;
  return matrix::GeometryFor(request).value();
}

// Of the matrix's block for an allowed set.
double BlockRate(const matrix::MatrixGeometry& geometry, AttributeMask set, uint64_t num_tuples) {
  return matrix::PredictedFpr(geometry.blocks[geometry.sets.IndexOf(set)], geometry.num_hashes,
                              num_tuples);
}

// Of the filters of all these sets, each with the rate of the matrix's block.
double BytesToMatch(const matrix::MatrixGeometry& geometry, const std::vector<AttributeMask>& sets,
                    uint64_t num_tuples) {
  double bytes = 0;
  for (const AttributeMask set : sets) {
    bytes += FilterBytes(num_tuples, BlockRate(geometry, set, num_tuples));
  }
  return bytes;
}

// The rate of the query for non-members none of whose values are in, and for those whose values are
// all in.
double QueryRate(const matrix::MatrixGeometry& geometry, AttributeMask queried, uint64_t num_tuples,
                 bool values_are_in) {
  double rate = 1;
  for (const AttributeMask part : geometry.sets.PartsOf(queried)) {
    const bool is_in = values_are_in && std::has_single_bit(part) && part != queried;
    if (!is_in) rate *= BlockRate(geometry, part, num_tuples);
  }
  return rate;
}

Table MaskTable(const CbfmExperiment& experiment, uint64_t seed) {
  const matrix::MatrixGeometry geometry = TwoCutMatrix(experiment.num_cells());
  const uint64_t num_tuples = experiment.workload().num_tuples();
  const double matrix_megabytes = static_cast<double>(geometry.num_bytes()) / kBytesInMegabyte;
  Table table{.title = "Crossover: the memory at which AttributeFilter reaches CBFM's rate"};
  table.text = FigureText(static_cast<double>(num_tuples), Unit::kCount) +
               " tuples, both cuts, CBFM in " + FigureText(matrix_megabytes, Unit::kNumber) +
               " MB. The figures are the MB of the filters of a query's parts, each at the rate of "
               "the matrix's block; where that rate is one half or more the matrix gives no "
               "information, and no filter is needed. Where tuples are as many as cells, a bit "
               "that several tuples share is smaller than counts; the matrix cannot erase.";
  table.axis = Axis::kLinear;
  for (AttributeMask queried = 1; queried <= geometry.sets.full(); ++queried) {
    const std::vector<AttributeMask> parts = geometry.sets.PartsOf(queried);
    Row row{.what = "query " + AttributeMaskText(queried) + ", MB"};
    row.formula = BytesToMatch(geometry, parts, num_tuples) / kBytesInMegabyte;
    row.note = "CBFM's rate: " +
               FigureText(QueryRate(geometry, queried, num_tuples, false), Unit::kShare) +
               "; of non-members whose single values are in: " +
               FigureText(QueryRate(geometry, queried, num_tuples, true), Unit::kShare) + ".";
    table.rows.push_back(row);
  }
  // Built: the pair at the matrix's rate, other sets at the highest rate of a filter.
  const double pair_rate = BlockRate(geometry, kKeptPair, num_tuples);
  AttributeConfig config;
  config.sets = TwoCuts();
  config.capacity = num_tuples;
  config.max_capacity = num_tuples;
  config.target_fpr = kMaxTargetFpr;
  SetBudget budget;
  budget.set = kKeptPair;
  budget.target_fpr = TargetForRate(pair_rate);
  config.budgets = {budget};
  const Structure built = MakeAttributeFilter("AttributeFilter", config);
  experiment.workload().InsertInto(*built.index);
  Row whole{.what = "AttributeFilter, {1,2} at CBFM's rate, singles at 10 %: MB"};
  whole.formula = 0;
  for (const AttributeMask set : geometry.sets.allowed()) {
    *whole.formula += FilterBytes(num_tuples, set == kKeptPair ? pair_rate : 0.1);
  }
  *whole.formula /= kBytesInMegabyte;
  whole.measured = static_cast<double>(built.index->num_bytes()) / kBytesInMegabyte;
  whole.note = FigureText(*whole.measured / matrix_megabytes, Unit::kNumber) +
               " times CBFM's memory; and it answers queries for single attributes, at 10 % or "
               "less, for which CBFM is full.";
  table.rows.push_back(whole);
  const auto non_members =
      experiment.workload().NonMembers(kKeptPair, 1, experiment.num_queries(), seed + 77);
  Row rate{.what = "its rate of {1,2}, alpha = 1", .unit = Unit::kShare};
  rate.exact = ModelledRate(built, kKeptPair, 1, num_tuples);
  rate.measured = bench::QueryNonMembers(*built.index, experiment.workload(), non_members,
                                         built.PartsOf(kKeptPair))
                      .rate();
  rate.allowed = ModelledRange(built, kKeptPair, 1, num_tuples, experiment.num_queries());
  rate.note = "CBFM's: " + FigureText(pair_rate, Unit::kShare) + ".";
  table.rows.push_back(rate);
  return table;
}

// MB of filters for all allowed sets, each at the rate of the matrix's block.
double MegabytesAt(const matrix::MatrixGeometry& geometry, uint64_t num_tuples) {
  const auto allowed = geometry.sets.allowed();
  return BytesToMatch(geometry, {allowed.begin(), allowed.end()}, num_tuples) / kBytesInMegabyte;
}

Table TuplesTable(const matrix::MatrixGeometry& geometry, Chart& chart) {
  Table table{.title = "Crossover by tuples: CBFM of two cuts in 16 MB"};
  table.text =
      "MB at which AttributeFilter has every set at the matrix's rate or at 1e-6, the lowest rate "
      "of a filter. Below some million tuples the matrix's pair has a lower rate, and the filters "
      "are still smaller; above, the matrix is smaller.";
  table.axis = Axis::kLinear;
  chart = {.title = table.title, .x_name = "tuples", .y_name = "MB"};
  chart.log_x = true;
  chart.least_y = 1e-3;
  chart.lines = {{.name = "CBFM, two cuts"}, {.name = "AttributeFilter"}};
  constexpr uint64_t kTupleCounts[] = {1'000,     10'000,    100'000,    300'000,
                                       1'000'000, 3'000'000, 10'000'000, 30'000'000};
  for (const uint64_t num_tuples : kTupleCounts) {
    chart.x.push_back(static_cast<double>(num_tuples));
    chart.lines[0].y.push_back(static_cast<double>(geometry.num_bytes()) / kBytesInMegabyte);
    chart.lines[1].y.push_back(MegabytesAt(geometry, num_tuples));
    Row row{.what = FigureText(chart.x.back(), Unit::kCount) + " tuples, MB"};
    row.formula = chart.lines[1].y.back();
    row.note = "CBFM's rates: {1,2} " +
               FigureText(BlockRate(geometry, kKeptPair, num_tuples), Unit::kNumber) + ", {0} " +
               FigureText(BlockRate(geometry, 1, num_tuples), Unit::kNumber) + ".";
    table.rows.push_back(row);
  }
  double low = 1000;
  double high = 1e7;
  const double limit = static_cast<double>(geometry.num_bytes()) / kBytesInMegabyte;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (MegabytesAt(geometry, static_cast<uint64_t>(middle)) < limit ? low : high) = middle;
  }
  Row cross{.what = "tuples at which both take 16 MB", .unit = Unit::kCount};
  cross.formula = low;
  cross.note =
      FigureText(static_cast<double>(geometry.num_cells()) / low, Unit::kNumber) +
      " cells per tuple. CBFM's pair is at " +
      FigureText(BlockRate(geometry, kKeptPair, static_cast<uint64_t>(low)), Unit::kNumber) +
      " there, its single attributes at 1, which gives no information.";
  table.rows.push_back(cross);
  return table;
}

}  // namespace

double FilterBytes(uint64_t capacity, double rate) {
  if (rate >= 0.5) return 0;
  AttributePlanRequest request;
  request.capacity = capacity;
  request.max_capacity = capacity;
  request.target_fpr = TargetForRate(std::max(rate, kLeastRate));
  return static_cast<double>(PlanAttributes(request).value().num_bytes);
}

void CbfmCrossover(const Options& options, const CbfmExperiment& experiment, Report& report) {
  report.tables.push_back(MaskTable(experiment, options.seed));
  Chart chart;
  report.tables.push_back(TuplesTable(TwoCutMatrix(kCbfmCells), chart));
  report.charts.push_back(std::move(chart));
}

}  // namespace trommel::paper
