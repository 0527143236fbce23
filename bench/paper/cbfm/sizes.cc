// Tables 2 and 3, figure 11, and the whole report.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/paper/cbfm/cbfm.h"

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

// The most positions per attribute for which `cells_with` stays within `num_cells`.
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
    const double positions_per_tuple = matrix::PublishedPositions(printed.fpr, 1);
    const auto tuples = [&](const AttributeSets& sets) {
      return PositionsFor(kCellsInMegabyte, [&](double m) { return CellsWith(sets, m); }) /
             positions_per_tuple;
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
  const auto num_non_members = static_cast<size_t>(options.quick ? 200'000 : 10'000'000);
  for (const AttributeMask set : built.sets.allowed()) {
    constexpr size_t kMost = 1'000'000;
    uint64_t num_maybe = 0;
    for (size_t done = 0; done < num_non_members; done += kMost) {
      const auto non_members = workload.NonMembers(set, 0, std::min(kMost, num_non_members - done),
                                                   1000 * uint64_t{set} + done / kMost);
      num_maybe +=
          bench::QueryNonMembers(*built.index, workload, non_members, built.PartsOf(set)).num_maybe;
    }
    const double rate = static_cast<double>(num_maybe) / static_cast<double>(num_non_members);
    if (rate < found.worst_rate) continue;
    found.worst_rate = rate;
    found.worst_modelled = ModelledRate(built, set, 0, kTable3Tuples);
    found.worst_allowed = ModelledRange(built, set, 0, kTable3Tuples, num_non_members);
  }
  return found;
}

std::vector<Table> MegabyteTables(const Options& options) {
  Table memory{.title = "Table 3: MB for n = 1000 tuples (d = 3, cuts 0x5 and 0x3)"};
  memory.text =
      "BFM's cells are ceil(m)^3, CBFM's floor(m)^2 + 3 floor(m) + 1. The last column is an "
      "AttributeFilter that was built, all its bytes; its rates are in the next table.";
  memory.instead = "AttributeFilter";
  Table rates{.title = "The rates that the MB of Table 3 give: allowed sets at n = 1000"};
  rates.text =
      "The matrix is sized for single attributes at eps, and uses most of its memory for a pair "
      "whose rate was not requested. Every allowed set of the AttributeFilter is at most at eps: "
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
                     Hundredths(bfm - 0.005) + "... truncated to whole MB; the rows below are not.";
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

namespace {

constexpr uint64_t kFig11Tuples = 100;
constexpr double kFig11Fpr = 0.1;
constexpr uint32_t kMostDimensions = 4;
constexpr double kMostBuilt = 1 << 30;  // bytes

matrix::MatrixGeometry AlikeGeometry(matrix::Kind kind, const AttributeSets& sets,
                                     uint64_t positions) {
  matrix::Request request;
  request.kind = kind;
  request.sets = sets;
  request.num_hashes = matrix::PublishedHashes(kFig11Fpr);
  request.positions.assign(sets.num_attributes(), positions);
  return matrix::GeometryFor(request).value();
}

// The memory of the matrix as built, or of its geometry where that is too much to build.
double BytesOf(const matrix::MatrixGeometry& geometry) {
  if (static_cast<double>(geometry.num_bytes()) > kMostBuilt) {
    return static_cast<double>(geometry.num_bytes());
  }
  matrix::Request request;
  request.kind = geometry.kind;
  request.sets = geometry.sets;
  request.num_hashes = geometry.num_hashes;
  for (uint32_t i = 0; i < geometry.sets.num_attributes(); ++i) {
    request.positions.push_back(geometry.blocks.front().positions.front());
  }
  return static_cast<double>(MakeMatrix("built", request).index->num_bytes());
}

}  // namespace

void CbfmMemory(const Options& options, Report& report) {
  Table table{.title = "Fig. 11: bytes for n = 100 tuples at eps = 0.1"};
  const double exact_positions = matrix::PublishedPositions(kFig11Fpr, kFig11Tuples);
  const auto positions = static_cast<uint64_t>(std::ceil(exact_positions));
  table.text = "m = " + FigureText(static_cast<double>(positions), Unit::kCount) +
               " positions per attribute. CBFM cuts one pair for three and four attributes. "
               "Formula: (4) for CBFM, (m + 1)^d for BFM; exact: the sum over allowed sets. Blocks "
               "begin on cache lines, which shows for one attribute, as the variables of the "
               "source's program do. AttributeFilter has every allowed set at eps.";
  table.instead = "AttributeFilter";
  Chart chart{.title = table.title, .x_name = "attributes", .y_name = "bytes"};
  chart.unit = Unit::kCount;
  chart.least_y = 10;
  chart.lines = {{.name = "CBFM, theory"},
                 {.name = "CBFM, built"},
                 {.name = "BFM, built"},
                 {.name = "AttributeFilter, built"}};
  double orders = 0;
  for (uint32_t d = 1; d <= kMostDimensions; ++d) {
    const AttributeSets all = AttributeSets::Create(d).value();
    const AttributeMask cut[] = {0b11};
    const AttributeSets sets = d < 3 ? all : AttributeSets::Create(d, cut).value();
    const auto m = static_cast<double>(positions);
    const std::vector<double> alike(d, m);
    const std::string at = std::to_string(d) + (d == 1 ? " attribute, " : " attributes, ");

    const Structure filter = MakeAttributeFilter("AttributeFilter", sets, kFig11Tuples, kFig11Fpr);
    bench::TupleWorkload(d, kFig11Tuples, options.seed).InsertInto(*filter.index);
    const auto filter_bytes = static_cast<double>(filter.index->num_bytes());

    Row cbfm{.what = at + "CBFM", .unit = Unit::kCount};
    cbfm.formula = matrix::PublishedCells(sets, m).value() / 8;
    cbfm.exact = matrix::CbfmCells(sets, alike) / 8;
    cbfm.measured = BytesOf(AlikeGeometry(matrix::Kind::kCbfm, sets, positions));
    cbfm.instead = filter_bytes;
    Row bfm{.what = at + "BFM", .unit = Unit::kCount};
    bfm.formula = std::pow(m + 1, d) / 8;
    bfm.exact = matrix::CbfmCells(all, alike) / 8;
    bfm.measured = BytesOf(AlikeGeometry(matrix::Kind::kBfm, all, positions));
    if (*bfm.measured > kMostBuilt) bfm.note = "Not built: the memory of its geometry.";
    const double lines = 64 * static_cast<double>(all.allowed().size());
    cbfm.allowed = Range{*cbfm.exact - 1, *cbfm.exact + lines};
    bfm.allowed = Range{*bfm.exact - 1, *bfm.exact + lines};
    chart.x.push_back(d);
    chart.lines[0].y.push_back(*cbfm.formula);
    chart.lines[1].y.push_back(*cbfm.measured);
    chart.lines[1].exact.push_back(*cbfm.exact);
    chart.lines[2].y.push_back(*bfm.measured);
    chart.lines[2].exact.push_back(*bfm.exact);
    chart.lines[3].y.push_back(filter_bytes);
    orders = std::log10(*bfm.measured / *cbfm.measured);
    table.rows.push_back(cbfm);
    table.rows.push_back(bfm);
  }
  Row last{.what = "4 attributes: BFM over CBFM, orders", .paper = 2};
  last.measured = orders;
  last.tolerance = 0.2;
  last.note = "\"About\" two: (m + 1)^2 / (2 m + 1) = 241.";
  table.rows.push_back(last);
  report.tables.push_back(std::move(table));
  report.charts.push_back(std::move(chart));
}

Report CbfmReport(const Options& options) {
  Report report{.name = "reproduce_cbfm",
                .source =
                    "Wang, Yun, Wang and Wang, CBFM: cutted Bloom filter matrix for "
                    "multi-dimensional membership query",
                .tables = CbfmSizing(options)};
  const CbfmExperiment experiment(options);
  CbfmSynthetic(options, experiment, report);
  CbfmCrossover(options, experiment, report);
  CbfmTriples(options, report);
  for (Table& table : CbfmWeights(options, experiment)) report.tables.push_back(std::move(table));
  report.tables.push_back(CbfmTimes(options, experiment));
  report.tables.push_back(CbfmTimesAlone(options, experiment));
  report.tables.push_back(CbfmTimesShared(options, experiment));
  report.tables.push_back(CbfmIndices(options, experiment));
  report.tables.push_back(CbfmUpdates(options));
  CbfmMemory(options, report);
  CbfmDimensions(options, report);
  return report;
}

}  // namespace trommel::paper
