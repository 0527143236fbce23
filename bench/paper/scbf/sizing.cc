// Table 1, and the whole report.
#include <cmath>

#include "bench/paper/report/random.h"
#include "bench/paper/scbf/scbf.h"
#include "bench/sides/fpr_bounds.h"
#include "engine/src/classic/filter.h"
#include "engine/src/classic/formulas.h"

namespace trommel::paper {
namespace {

struct PrintedRow {
  double fpr;
  const char* name;
  double num_hashes;
  double slice_positions;
  double capacity;
};
constexpr PrintedRow kTable1[] = {{1e-3, "1e-3", 10, 36864, 25639},
                                  {1e-4, "1e-4", 14, 26331, 19229},
                                  {1e-5, "1e-5", 17, 21684, 15383},
                                  {1e-6, "1e-6", 20, 18432, 12819}};

// The most keys for which (1 - (1 - 1/m)^n)^k <= P.
double ExactCapacity(const PrintedRow& printed) {
  const double fill = std::pow(printed.fpr, 1 / printed.num_hashes);
  return std::floor(std::log1p(-fill) / std::log1p(-1 / printed.slice_positions));
}

Row RateAt(const Options& options, const PrintedRow& printed) {
  const auto num_hashes = static_cast<uint32_t>(printed.num_hashes);
  const auto slice_positions = static_cast<uint64_t>(printed.slice_positions);
  const auto num_keys = static_cast<uint64_t>(printed.capacity);
  const uint64_t num_non_members = options.quick ? 200'000 : 40'000'000;
  classic::Filter filter({.hashing = classic::Hashing::kMixed,
                          .num_hashes = num_hashes,
                          .num_positions = slice_positions});
  InsertRandom(filter, RandomStream(options.seed, 31), num_keys);
  Row row{.what = std::string("P = ") + printed.name + ": rate with n keys", .paper = printed.fpr};
  const double exact = classic::SplitFpr(num_hashes, slice_positions, num_keys);
  row.exact = exact;
  row.measured = MeasuredFpr(filter, RandomStream(options.seed, 32), num_non_members);
  row.allowed =
      BinomialRange(exact, num_non_members,
                    bench::TextbookOwnSigma(num_hashes * slice_positions, num_hashes, num_keys));
  row.tolerance = 0.01;
  return row;
}

}  // namespace

Table ScbfSizing(const Options& options) {
  Table table{.title = "Table 1: M = 45 KB = 368,640 positions"};
  table.text =
      "k = log2(1/P) is rounded up and m = M / k down; n = M (ln 2)^2 / |ln P| uses k before "
      "rounding. The exact n is the most that k slices of m positions hold at rate P. (M counts "
      "positions: with counters of 4 bits the filter takes 180 KB.)";
  for (const PrintedRow& printed : kTable1) {
    const std::string at = std::string("P = ") + printed.name + ": ";
    const auto published = classic::PublishedSplitFor(kScbfPositions, printed.fpr);
    Row hashes{.what = at + "hashes k", .unit = Unit::kCount, .paper = printed.num_hashes};
    hashes.formula = published.num_hashes;
    Row positions{
        .what = at + "positions m", .unit = Unit::kCount, .paper = printed.slice_positions};
    positions.formula = static_cast<double>(published.slice_positions);
    Row capacity{.what = at + "keys n", .unit = Unit::kCount, .paper = printed.capacity};
    capacity.formula = static_cast<double>(published.capacity);
    capacity.exact = ExactCapacity(printed);
    Row rate = RateAt(options, printed);
    table.rows.insert(table.rows.end(), {hashes, positions, capacity, rate});
  }
  return table;
}

Report ScbfReport(const Options& options) {
  Report report{.name = "reproduce_scbf",
                .source =
                    "Huang, Fang and Zhang, Split Counting Bloom Filter and its Application in "
                    "Hbase Secondary Index",
                .tables = {ScbfFigures(options), ScbfSizing(options)}};
  for (Table& table : ScbfOverflow(options)) report.tables.push_back(std::move(table));
  for (Table& table : ScbfGenerations(options)) report.tables.push_back(std::move(table));
  return report;
}

}  // namespace trommel::paper
