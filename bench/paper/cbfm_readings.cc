// Beside figures 7a and 7b: what the printed rate fits, and what splitting questions costs.
#include <cmath>
#include <limits>

#include "bench/paper/cbfm_experiment.h"

namespace trommel::paper {
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
  const auto strangers = half.Strangers(kKeptPair, 1, experiment.num_questions(), 7);
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
            bench::AskStrangers(*built.index, half, strangers, built.PartsOf(kKeptPair)).rate();
        row.exact = ModelledRate(built, kKeptPair, 1, half_tuples);
        row.allowed = ModelledRange(built, kKeptPair, 1, half_tuples, experiment.num_questions());
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
      "Questions for whole tuples whose parts after both cuts are in, in different tuples. Where "
      "the question is split in this way everything is a false positive, whatever the memory. The "
      "measured column counts these, apart from hashes' false positives, which the note has.";
  const auto mixtures =
      experiment.workload().Mixtures(kWhole, kKeptPair, experiment.num_questions(), 9);
  table.instead = "AttributeFilter";
  std::vector<bench::StrangerAnswers> answers;
  for (const Structure& side : experiment.sides()) {
    answers.push_back(
        bench::AskStrangers(*side.index, experiment.workload(), mixtures, side.PartsOf(kWhole)));
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
    if (answers[side].num_combination < answers[side].num_asked) {
      row.note =
          "By hashes: " + FigureText(answers[side].hash_rate(), Unit::kShare) + " of the rest.";
    }
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace trommel::paper
