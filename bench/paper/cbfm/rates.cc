// Figures 7a and 7b.
#include <cmath>
#include <limits>
#include <optional>

#include "bench/paper/cbfm/cbfm.h"

namespace trommel::paper {
namespace {

// In the order of kQueriedSets.
struct FigureWords {
  const char* figure;
  const char* text;
};
constexpr FigureWords kFigures[] = {
    {"Fig. 7a: whole tuples",
     "Each value of a query is that of a random tuple with probability alpha, else new."},
    {"Fig. 7b: the pair {1,2}, which no cut holds",
     "SBF answers for whole tuples only. CMDBF answers as MDBF does, attribute by attribute. CBF "
     "traverses the attribute that is not given."},
    {"Fig. 7b, a pair that is cut: {0,1}",
     "Not shown by the source. BFM has a block for it, as full as that of {1,2}; CBFM queries {0} "
     "and {1} separately, and every block of one attribute is full. AttributeFilter queries the "
     "same two sets, which are not full: its false positives are values that are in, in different "
     "tuples."}};
static_assert(std::size(kFigures) == kNumQueriedSets);

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

// What the source prints of a structure, where this report has a row for it.
std::optional<double> PrintedRate(const Structure& side, size_t queried_idx, size_t step) {
  if (step % (kAlphaSteps / 2) != 0) return std::nullopt;
  if (queried_idx == 0 && side.name == "MDBF" && step == kAlphaSteps) return 1;
  if (queried_idx != 1) return std::nullopt;
  if (side.name == "CBFM, two cuts") return kPrintedPairRate;
  const matrix::Kind kind = side.geometry ? side.geometry->kind : matrix::Kind::kSbf;
  if (kind == matrix::Kind::kBfm || kind == matrix::Kind::kCartesian) return 1;
  return std::nullopt;
}

Table FigureTable(const CbfmExperiment& experiment, size_t queried_idx) {
  const FigureWords& words = kFigures[queried_idx];
  const size_t filter = experiment.sides().size() - 1;
  Table table{.title = words.figure, .text = words.text};
  table.instead = "AttributeFilter";
  table.text += " " +
                FigureText(static_cast<double>(experiment.workload().num_tuples()), Unit::kCount) +
                " tuples, k = 6, " +
                FigureText(static_cast<double>(experiment.num_cells()) / 8, Unit::kCount) +
                " bytes of cells (" +
                "AttributeFilter of two cuts: " + MegabytesText(experiment.sides()[filter]) +
                "). Rates of non-members; the chart has all alphas.";
  double num_outside = 0;
  double num_points = 0;
  for (size_t side = 0; side < experiment.sides().size(); ++side) {
    for (size_t step = 0; step <= kAlphaSteps; ++step) {
      const CbfmPoint& point = experiment.At(side, queried_idx, step);
      if (point.answers.num_queried == 0) continue;
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
        row.measured = 3 / static_cast<double>(experiment.num_queries());
        row.measured_at_most = true;
      } else {
        row.allowed = point.allowed;
      }
      row.instead = experiment.At(filter, queried_idx, step).answers.rate();
      row.paper = PrintedRate(experiment.sides()[side], queried_idx, step);
      if (queried_idx == 1) row.tolerance = 0.15;  // "about"
      table.rows.push_back(row);
    }
  }
  Row outside{.what = "points of the chart outside their model's range", .unit = Unit::kCount};
  outside.exact = 0;
  outside.measured = num_outside;
  outside.allowed = Exactly(0);
  outside.note = "Of " + FigureText(num_points, Unit::kCount) + ", at six standard deviations.";
  table.rows.push_back(outside);
  if (queried_idx == 0) {
    for (const char* name : {"SBF", "BFM", "CBF", "CBFM, two cuts"}) {
      table.rows.push_back(OrdersRow(experiment, name, "MDBF"));
    }
    table.rows.push_back(OrdersRow(experiment, "CBFM, two cuts", "CMDBF"));
    table.rows.back().note =
        "The joint filter of CMDBF has a quarter of the memory and refuses two thirds of the false "
        "positives of MDBF.";
  }
  return table;
}

Chart FigureChart(const CbfmExperiment& experiment, size_t queried_idx) {
  Chart chart{.title = kFigures[queried_idx].figure, .x_name = "alpha", .y_name = "rate"};
  chart.unit = Unit::kShare;
  chart.least_y = 1e-6;
  for (int step = 0; step <= kAlphaSteps; ++step) {
    chart.x.push_back(static_cast<double>(step) / kAlphaSteps);
  }
  for (size_t side = 0; side < experiment.sides().size(); ++side) {
    if (experiment.At(side, queried_idx, 0).answers.num_queried == 0) continue;
    Line line{.name = experiment.sides()[side].name};
    bool is_printed = false;
    for (size_t step = 0; step < chart.x.size(); ++step) {
      const CbfmPoint& point = experiment.At(side, queried_idx, step);
      line.y.push_back(point.answers.rate());
      line.exact.push_back(point.model);
      const std::optional<double> printed =
          PrintedRate(experiment.sides()[side], queried_idx, step);
      is_printed |= printed.has_value();
      line.paper.push_back(printed.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    if (!is_printed) line.paper.clear();
    chart.lines.push_back(line);
  }
  return chart;
}

}  // namespace

void CbfmSynthetic(const Options& options, const CbfmExperiment& experiment, Report& report) {
  for (size_t queried_idx = 0; queried_idx < kNumQueriedSets; ++queried_idx) {
    report.tables.push_back(FigureTable(experiment, queried_idx));
    report.charts.push_back(FigureChart(experiment, queried_idx));
  }
  report.tables.push_back(CbfmReadings(experiment, options.seed));
  report.tables.push_back(CbfmCombinations(experiment));
}

namespace {

constexpr double kFilterRate = 0.0022;  // that of the matrix with 10 M tuples in 16 MB

uint64_t NumTuples(const Options& options) {
  if (options.tuples != 0) return options.tuples;
  return options.quick ? 20'000 : kCbfmTuples;
}

// As many cells as make them as full as 10 M tuples make 16 MB.
uint64_t CellsFor(uint64_t num_tuples) {
  return static_cast<uint64_t>(static_cast<double>(kCbfmCells) * static_cast<double>(num_tuples) /
                               static_cast<double>(kCbfmTuples));
}

}  // namespace

CbfmExperiment::CbfmExperiment(const Options& options)
    : workload_(3, NumTuples(options), options.seed),
      num_cells_(CellsFor(NumTuples(options))),
      num_queries_(options.quick ? 10'000 : 400'000) {
  for (const NamedRequest& named : PublishedRequests(num_cells_)) {
    sides_.push_back(MakeMatrix(named.name, named.request));
  }
  sides_.push_back(MakeAttributeFilter("AttributeFilter", TwoCuts(), workload_.num_tuples(),
                                       TargetForRate(kFilterRate)));
  std::vector<TupleIndex*> indices;
  for (const Structure& side : sides_) indices.push_back(side.index.get());
  workload_.InsertInto(indices);
  points_.resize(sides_.size() * kNumQueriedSets * (kAlphaSteps + 1));
  for (size_t queried_idx = 0; queried_idx < kNumQueriedSets; ++queried_idx) {
    const AttributeMask queried = kQueriedSets[queried_idx];
    for (size_t step = 0; step <= kAlphaSteps; ++step) {
      const double alpha = static_cast<double>(step) / kAlphaSteps;
      const auto non_members =
          workload_.NonMembers(queried, alpha, num_queries_, 100 * (queried_idx + 1) + step);
      for (size_t side = 0; side < sides_.size(); ++side) {
        const Structure& structure = sides_[side];
        if (!structure.index->CanAnswer(queried)) continue;
        CbfmPoint& point =
            points_[(side * kNumQueriedSets + queried_idx) * (kAlphaSteps + 1) + step];
        point.answers = bench::QueryNonMembers(*structure.index, workload_, non_members,
                                               structure.PartsOf(queried));
        point.model = ModelledRate(structure, queried, alpha, workload_.num_tuples());
        point.allowed =
            ModelledRange(structure, queried, alpha, workload_.num_tuples(), num_queries_);
      }
    }
  }
}

size_t CbfmExperiment::SideNamed(std::string_view name) const {
  size_t side = 0;
  while (sides_[side].name != name) ++side;
  return side;
}

namespace {

// The rate of {1,2} at alpha = 1, by the model, without building anything.
double PairRate(const AttributeSets& sets, uint64_t num_cells, double num_tuples) {
  matrix::Request request;
  request.sets = sets;
  request.num_hashes = kCbfmHashes;
  request.num_cells = num_cells;
  const matrix::MatrixGeometry geometry = matrix::GeometryFor(request).value();
  for (const matrix::Block& block : geometry.blocks) {
    if (block.set != kKeptPair) continue;
    return matrix::PredictedFpr(block, kCbfmHashes, static_cast<uint64_t>(num_tuples));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double TuplesForPrinted(const AttributeSets& sets, uint64_t num_cells, double most) {
  double low = 0;
  double high = most;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (PairRate(sets, num_cells, middle) <= kPrintedPairRate ? low : high) = middle;
  }
  return low;
}

}  // namespace

Table CbfmReadings(const CbfmExperiment& experiment, uint64_t seed) {
  Table table{.title = "What 0.21 % fits: tuples and cuts"};
  table.text =
      "The text says that CBFM cuts one pair (4.1) and, of the same figure, that it cut two; the "
      "number of tuples is not printed. In 16 MB (scaled as the tuples are) a pair has half of the "
      "memory after one cut and all of it after two.";
  const double n = static_cast<double>(experiment.workload().num_tuples());
  const uint64_t half_tuples = experiment.workload().num_tuples() / 2;
  const bench::TupleWorkload half(3, half_tuples, seed + 1);
  const auto non_members = half.NonMembers(kKeptPair, 1, experiment.num_queries(), 7);
  for (const auto& [sets, name] :
       {std::pair(TwoCuts(), "two cuts"), std::pair(OneCut(), "one cut")}) {
    for (const bool is_half : {false, true}) {
      Row row{.what = std::string(name) + ", " + FigureText(is_half ? n / 2 : n, Unit::kCount) +
                      " tuples"};
      row.unit = Unit::kShare;
      row.paper = kPrintedPairRate;
      if (is_half) {
        matrix::Request request;
        request.sets = sets;
        request.num_hashes = kCbfmHashes;
        request.num_cells = experiment.num_cells();
        const Structure built = MakeMatrix(name, request);
        half.InsertInto(*built.index);
        row.measured =
            bench::QueryNonMembers(*built.index, half, non_members, built.PartsOf(kKeptPair))
                .rate();
        row.exact = ModelledRate(built, kKeptPair, 1, half_tuples);
        row.allowed = ModelledRange(built, kKeptPair, 1, half_tuples, experiment.num_queries());
      } else {
        const CbfmPoint& point =
            experiment.At(experiment.SideNamed(std::string("CBFM, ") + name), 1, kAlphaSteps);
        row.measured = point.answers.rate();
        row.exact = point.model;
        row.allowed = point.allowed;
      }
      const double fits = TuplesForPrinted(sets, experiment.num_cells(), 4 * n);
      row.note = "0.21 % exactly: " + FigureText(fits, Unit::kCount) + " tuples.";
      const bool fits_well = std::abs(*row.exact / kPrintedPairRate - 1) < 0.15;
      row.given = fits_well ? Verdict::kAgrees : Verdict::kShown;
      if (!fits_well) row.note += " This reading does not fit.";
      table.rows.push_back(row);
    }
  }
  Row orders{.what = "CBFM below BFM, two cuts, orders", .paper = 3};
  const CbfmPoint& bfm = experiment.At(experiment.SideNamed("BFM"), 1, kAlphaSteps);
  const CbfmPoint& cbfm = experiment.At(experiment.SideNamed("CBFM, two cuts"), 1, kAlphaSteps);
  orders.exact = std::log10(bfm.model / cbfm.model);
  orders.measured = std::log10(bfm.answers.rate() / cbfm.answers.rate());
  orders.tolerance = 0.15;
  orders.note = "100 % over 0.21 % is 476.";
  table.rows.push_back(orders);
  return table;
}

Table CbfmCombinations(const CbfmExperiment& experiment) {
  Table table{.title = "Combination false positives: {1,2} of one tuple and {0} of another"};
  table.text =
      "Queries for whole tuples whose parts after both cuts are in, in different tuples. Where the "
      "query is split in this way every answer is a false positive, whatever the memory. The "
      "measured column counts these; the note has the false positives of hashes.";
  const auto mixtures =
      experiment.workload().Mixtures(kWhole, kKeptPair, experiment.num_queries(), 9);
  table.instead = "AttributeFilter";
  std::vector<bench::NonMemberAnswers> answers;
  for (const Structure& side : experiment.sides()) {
    answers.push_back(
        bench::QueryNonMembers(*side.index, experiment.workload(), mixtures, side.PartsOf(kWhole)));
  }
  for (size_t side = 0; side < experiment.sides().size(); ++side) {
    const std::vector<AttributeMask> parts = experiment.sides()[side].PartsOf(kWhole);
    bool is_split_so = true;
    for (const AttributeMask part : parts) is_split_so &= part == 1 || (part & 1) == 0;
    Row row{.what = experiment.sides()[side].name, .unit = Unit::kShare};
    row.exact = is_split_so ? 1 : 0;
    row.measured = answers[side].combination_rate();
    row.allowed = Exactly(*row.exact);
    row.instead = answers.back().combination_rate();
    if (answers[side].num_combination < answers[side].num_queried) {
      row.note =
          "By hashes: " + FigureText(answers[side].hash_rate(), Unit::kShare) + " of the rest.";
    }
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace trommel::paper
