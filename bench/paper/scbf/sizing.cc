// Table 1, the worked example, rates of generations, and the whole report.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "bench/paper/report/random.h"
#include "bench/paper/scbf/scbf.h"
#include "bench/sides/fpr_bounds.h"
#include "engine/src/classic/filter.h"
#include "engine/src/classic/formulas.h"

namespace trommel::paper {
namespace {

struct PrintedSize {
  double fpr;
  const char* name;
  double num_hashes;
  double slice_positions;
  double capacity;
};
constexpr PrintedSize kTable1[] = {{1e-3, "1e-3", 10, 36864, 25639},
                                   {1e-4, "1e-4", 14, 26331, 19229},
                                   {1e-5, "1e-5", 17, 21684, 15383},
                                   {1e-6, "1e-6", 20, 18432, 12819}};

// The most keys for which (1 - (1 - 1/m)^n)^k <= P.
double ExactCapacity(const PrintedSize& printed) {
  const double fill = std::pow(printed.fpr, 1 / printed.num_hashes);
  return std::floor(std::log1p(-fill) / std::log1p(-1 / printed.slice_positions));
}

Row RateAt(const Options& options, const PrintedSize& printed) {
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
  for (const PrintedSize& printed : kTable1) {
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

namespace {

Table RateTable(const Options& options) {
  constexpr uint32_t kSlices = 7;
  constexpr double kTarget = 0x1p-7;
  const uint64_t slice_positions = options.quick ? 4'096 : 65'536;
  classic::ScalableSplit filter(kSlices * slice_positions, kTarget, classic::InsertRule::kNewest,
                                classic::EraseRule::kEverywhere);
  const uint64_t num_keys = filter.half_full();
  const uint64_t num_non_members = options.quick ? 100'000 : 2'000'000;
  Table table{.title = "Scalable filter: P_d = 1 - (1 - P)^d"};
  table.text =
      "Generations of 7 slices, each half full; a non-member is \"maybe present\" if it is in any "
      "of them. The text has the formula and no figure of it; P is 2^-7 there, and f^7 of the true "
      "fill in the exact model.";
  const double p = filter.generation_fpr();
  const double own =
      bench::TextbookOwnSigma(filter.geometry().total_positions(), kSlices, num_keys);
  for (const uint32_t d : {1U, 2U, 4U, 8U, 16U}) {
    while (filter.num_generations() < d) {
      InsertRandom(filter, RandomStream(options.seed, 100 + filter.num_generations()), num_keys);
    }
    const double exact = classic::ScalableSplit::FprOf(p, d);
    Row row{.what = "d = " + std::to_string(d), .unit = Unit::kShare};
    row.formula = classic::ScalableSplit::FprOf(kTarget, d);
    row.exact = exact;
    row.measured = MeasuredFpr(filter, RandomStream(options.seed, 99), num_non_members);
    row.allowed = BinomialRange(exact, num_non_members, own * std::sqrt(d));
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace

std::vector<Table> ScbfGenerations(const Options& options) {
  return {RateTable(options), ScbfErasing(options)};
}

namespace {

double SumOf(std::span<const uint8_t> counters) {
  return std::accumulate(counters.begin(), counters.end(), 0.0);
}

Row Counted(const std::string& what, double paper, double measured) {
  return {.what = what, .unit = Unit::kCount, .paper = paper, .measured = measured};
}

void AddExample(const classic::ArrayGeometry& geometry, const std::string& inserted,
                const std::string& erased, uint64_t seed, Table& table) {
  classic::Filter filter(geometry);
  classic::Filter first_alone(geometry);
  RandomStream random(seed, 130);
  const uint64_t x1 = random.Next();
  const uint64_t x2 = random.Next();
  first_alone.Insert(x1);
  filter.Insert(x1);
  filter.Insert(x2);
  const double k = geometry.num_hashes;
  table.rows.push_back(Counted(inserted + "sum of counters", 2 * k, SumOf(filter.counters())));
  if (geometry.kind == classic::Kind::kSplitCounting) {
    table.rows.push_back(Counted(inserted + "sum of slice 1", 2,
                                 SumOf(filter.counters().first(geometry.num_positions))));
  }
  filter.Erase(x2);
  table.rows.push_back(Counted(erased + "sum of counters", k, SumOf(filter.counters())));
  Row same{.what = erased + "counters are those of x1 alone (1: all)", .paper = 1};
  same.measured = std::ranges::equal(filter.counters(), first_alone.counters());
  table.rows.push_back(same);
}

}  // namespace

Table ScbfFigures(const Options& options) {
  Table table{.title = "Figures 1 to 5: x1 and x2 are inserted, and x2 is erased"};
  table.text =
      "A plain counting filter with 3 hashes; a split one with M = 16 and k = 4. Each key adds 1 "
      "to k counters, and erasing it subtracts 1. Random hashes: the figures' positions are "
      "drawings.";
  table.axis = Axis::kLinear;
  const classic::ArrayGeometry plain{.kind = classic::Kind::kCountingBloom,
                                     .hashing = classic::Hashing::kMixed,
                                     .num_hashes = 3,
                                     .num_positions = 16};
  const classic::ArrayGeometry split{.kind = classic::Kind::kSplitCounting,
                                     .hashing = classic::Hashing::kMixed,
                                     .num_hashes = 4,
                                     .num_positions = 16 / 4};
  AddExample(plain, "Fig. 1, plain: ", "Fig. 2, plain: ", options.seed, table);
  const double num_slices = split.num_slices();
  const auto num_counters = static_cast<double>(classic::Filter(split).counters().size());
  table.rows.push_back(Counted("Fig. 3, split: slices", 4, num_slices));
  table.rows.push_back(Counted("Fig. 3, split: positions per slice", 4, num_counters / num_slices));
  AddExample(split, "Fig. 4, split: ", "Fig. 5, split: ", options.seed, table);
  return table;
}

}  // namespace trommel::paper
