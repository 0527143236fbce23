#include "bench/paper/cbfm_sizing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/paper/cbfm_structures.h"

namespace trommel::paper {
namespace {

constexpr uint64_t kTable3Tuples = 1000;
constexpr double kCellsInMegabyte = static_cast<double>(kCbfmMegabyte);

struct PrintedRow {
  double fpr;
  const char* name;
  double bfm_tuples;
  double cbfm_tuples;
  double bfm_megabytes;
  double cbfm_megabytes;
};
constexpr PrintedRow kPrinted[] = {{1e-1, "1e-1", 42, 604, 13'125.00, 2.74},
                                   {1e-2, "1e-2", 21, 302, 105'007.00, 10.96},
                                   {1e-3, "1e-3", 14, 201, 354'328.05, 24.65},
                                   {1e-4, "1e-4", 10, 151, 839'932.53, 43.81},
                                   {1e-5, "1e-5", 8, 121, 1'640'339.20, 68.46}};

std::string Hundredths(double figure) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", figure);
  return text;
}

double RoundedTo(double figure, double step) { return std::round(figure / step) * step; }

// The general sum, for positions alike: m^2 + 3 m + 1 with both cuts.
double CellsWith(const AttributeSets& sets, double positions) {
  const double all[] = {positions, positions, positions};
  return matrix::CbfmCells(sets, all);
}

// The most positions an attribute for which `cells_with` stays within `num_cells`.
template <class CellsWith>
double PositionsFor(double num_cells, const CellsWith& cells_with) {
  double low = 0;
  double high = num_cells;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (cells_with(middle) <= num_cells ? low : high) = middle;
  }
  return low;
}

Table TuplesTable() {
  Table table{.title = "Table 2: tuples n in 1 MB (d = 3, cuts 0x5 and 0x3)"};
  table.text =
      "Formula (4) is for cuts without common attributes; 0x5 and 0x3 share attribute 1. The sum "
      "over allowed sets holds for any: M = m^2 + 3 m + 1, and (m + 1)^3 without cuts. With m = n "
      "log2(e) log2(1/eps) the printed n follow, of BFM rounded down, of CBFM to the nearest: 121 "
      "tuples do not fit at 1e-5, 120 do. MB are 2^20 bytes.";
  const AttributeSets all = AttributeSets::Create(3).value();
  const AttributeSets two = TwoCuts();
  for (const PrintedRow& printed : kPrinted) {
    const double positions_a_tuple = matrix::PublishedPositions(printed.fpr, 1);
    const auto tuples = [&](const AttributeSets& sets) {
      return PositionsFor(kCellsInMegabyte, [&](double m) { return CellsWith(sets, m); }) /
             positions_a_tuple;
    };
    const double bfm = tuples(all);
    const double cbfm = tuples(two);
    const std::string at = std::string("eps = ") + printed.name;
    Row bfm_row{.what = at + ", BFM", .unit = Unit::kCount, .paper = printed.bfm_tuples};
    bfm_row.formula = std::floor(bfm);
    bfm_row.note = FigureText(bfm, Unit::kNumber) + " before rounding.";
    Row cbfm_row{.what = at + ", CBFM", .unit = Unit::kCount, .paper = printed.cbfm_tuples};
    cbfm_row.formula = std::round(cbfm);
    cbfm_row.note = FigureText(cbfm, Unit::kNumber) + " before rounding; " +
                    FigureText(cbfm / bfm, Unit::kNumber) + " times BFM's.";
    for (Row* row : {&bfm_row, &cbfm_row}) {
      row->tolerance = 1e-9;
      table.rows.push_back(*row);
    }
  }
  return table;
}

// A filter of all allowed sets at this rate, full, and its worst set.
struct BuiltFilter {
  double megabytes = 0;
  double worst_rate = 0;
  double worst_modelled = 0;
  Range worst_allowed;
};

BuiltFilter BuildFilter(const Options& options, double fpr) {
  const Structure built = MakeAttributeFilter("AttributeFilter", TwoCuts(), kTable3Tuples, fpr);
  const bench::TupleWorkload workload(3, kTable3Tuples, options.seed);
  workload.InsertInto(*built.index);
  BuiltFilter found;
  found.megabytes = static_cast<double>(built.index->num_bytes()) / 1048576;
  const auto num_strangers = static_cast<size_t>(options.quick ? 200'000 : 10'000'000);
  for (const AttributeMask set : built.sets.allowed()) {
    constexpr size_t kMost = 1'000'000;
    uint64_t num_maybe = 0;
    for (size_t done = 0; done < num_strangers; done += kMost) {
      const auto strangers = workload.Strangers(set, 0, std::min(kMost, num_strangers - done),
                                                1000 * uint64_t{set} + done / kMost);
      num_maybe +=
          bench::AskStrangers(*built.index, workload, strangers, built.PartsOf(set)).num_maybe;
    }
    const double rate = static_cast<double>(num_maybe) / static_cast<double>(num_strangers);
    if (rate < found.worst_rate) continue;
    found.worst_rate = rate;
    found.worst_modelled = ModelledRate(built, set, 0, kTable3Tuples);
    found.worst_allowed = ModelledRange(built, set, 0, kTable3Tuples, num_strangers);
  }
  return found;
}

std::vector<Table> MegabyteTables(const Options& options) {
  Table memory{.title = "Table 3: MB for n = 1000 tuples (d = 3, cuts 0x5 and 0x3)"};
  memory.text =
      "BFM's cells are ceil(m)^3, CBFM's floor(m)^2 + 3 floor(m) + 1. The last column is an "
      "AttributeFilter that was built, all its bytes; its rates are in the next table.";
  memory.instead = "AttributeFilter";
  Table rates{.title = "What the MB of Table 3 buy: rates of allowed sets at n = 1000"};
  rates.text =
      "The matrix is sized for single attributes at eps, and spends most of its memory on a pair "
      "whose rate nobody asked for. Every allowed set of the AttributeFilter is at eps or under: "
      "the last column is the worst of the four as measured.";
  rates.instead = "AttributeFilter";
  for (const PrintedRow& printed : kPrinted) {
    const double m = matrix::PublishedPositions(printed.fpr, kTable3Tuples);
    const double bfm = std::pow(std::ceil(m), 3) / kCellsInMegabyte;
    const double cbfm = CellsWith(TwoCuts(), std::floor(m)) / kCellsInMegabyte;
    const BuiltFilter filter = BuildFilter(options, printed.fpr);
    const std::string at = std::string("eps = ") + printed.name + ", ";
    Row bfm_row{.what = at + "BFM, MB", .unit = Unit::kCount, .paper = printed.bfm_megabytes};
    bfm_row.formula = RoundedTo(bfm, 0.01);
    bfm_row.tolerance = 1e-8;
    if (std::abs(bfm - printed.bfm_megabytes) > 0.01) {
      bfm_row.note = "The printed " + Hundredths(printed.bfm_megabytes) + " is the formula's " +
                     Hundredths(bfm - 0.005) + "... cut off to whole MB; the rows below are not.";
    } else {
      bfm_row.note = Hundredths(bfm) + ", as printed.";
    }
    Row cbfm_row{.what = at + "CBFM, MB", .paper = printed.cbfm_megabytes};
    cbfm_row.formula = RoundedTo(cbfm, 0.01);
    cbfm_row.tolerance = 1e-8;
    cbfm_row.instead = filter.megabytes;
    cbfm_row.note = "CBFM takes " + FigureText(cbfm / filter.megabytes, Unit::kNumber) +
                    " times the AttributeFilter's " +
                    FigureText(filter.megabytes * 1024, Unit::kNumber) +
                    " KB (target: 100): " + (cbfm >= 100 * filter.megabytes ? "met." : "NOT MET.");
    memory.rows.push_back(bfm_row);
    memory.rows.push_back(cbfm_row);

    const uint32_t k = matrix::PublishedHashes(printed.fpr);
    const auto positions = static_cast<uint64_t>(m);
    const auto block_rate = [&](std::vector<uint64_t> sides) {
      const AttributeMask set = sides.size() == 1 ? 1 : kKeptPair;
      return matrix::PredictedFpr({.set = set, .is_joint = false, .positions = std::move(sides)}, k,
                                  kTable3Tuples);
    };
    Row single{.what = at + "single attribute, k = " + std::to_string(k)};
    single.paper = printed.fpr;
    single.exact = block_rate({positions});
    single.tolerance = 0.05;
    single.note =
        "The best k is " + FigureText(std::log2(1 / printed.fpr), Unit::kNumber) + ", rounded.";
    Row pair{.what = at + "the allowed pair"};
    pair.exact = block_rate({positions, positions});
    Row worst{.what = at + "AttributeFilter, worst set"};
    worst.exact = filter.worst_modelled;
    worst.measured = filter.worst_rate;
    worst.instead = filter.worst_rate;
    worst.allowed = filter.worst_allowed;
    worst.note = filter.worst_rate <= printed.fpr ? "At most eps: met." : "At most eps: NOT MET.";
    rates.rows.insert(rates.rows.end(), {single, pair, worst});
  }
  return {memory, rates};
}

}  // namespace

std::vector<Table> CbfmSizing(const Options& options) {
  std::vector<Table> tables = {TuplesTable()};
  for (Table& table : MegabyteTables(options)) tables.push_back(std::move(table));
  return tables;
}

}  // namespace trommel::paper
