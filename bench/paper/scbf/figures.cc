// Figures 1 to 5: the worked example.
#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "bench/paper/report/random.h"
#include "bench/paper/scbf/scbf.h"
#include "engine/src/classic/filter.h"

namespace trommel::paper {
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
