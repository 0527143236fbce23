#include "bench/paper/cbfm_memory.h"

#include <cmath>

#include "bench/paper/cbfm_structures.h"

namespace trommel::paper {
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

// What it takes when it stands there, or would take where that is too much to try.
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
  table.text =
      "m = " + FigureText(static_cast<double>(positions), Unit::kCount) +
      " positions an attribute. CBFM cuts one pair for three and four attributes. Formula: (4) for "
      "CBFM, (m + 1)^d for BFM; exact: the sum over allowed sets. Blocks begin on cache lines, "
      "which shows for one attribute, as the variables of the source's program do. AttributeFilter "
      "has every allowed set at eps.";
  table.instead = "AttributeFilter";
  Chart chart{.title = "Fig. 11: memory", .x_name = "attributes", .y_name = "bytes"};
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
    if (*bfm.measured > kMostBuilt) bfm.note = "Not built: what its geometry takes.";
    const double lines = 64 * static_cast<double>(all.allowed().size());
    cbfm.allowed = Range{*cbfm.exact - 1, *cbfm.exact + lines};
    bfm.allowed = Range{*bfm.exact - 1, *bfm.exact + lines};
    chart.x.push_back(d);
    chart.lines[0].y.push_back(*cbfm.formula);
    chart.lines[1].y.push_back(*cbfm.measured);
    chart.lines[2].y.push_back(*bfm.measured);
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

}  // namespace trommel::paper
