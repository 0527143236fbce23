// Figures 1 to 5: the worked example.
#include <string>

#include "bench/paper/report/random.h"
#include "bench/paper/scbf/scbf.h"

namespace trommel::paper {
namespace {

// The sum of all counters.
double Increments(const classic::Filter& filter) {
  const std::vector<uint64_t> histogram = filter.CounterHistogram();
  double sum = 0;
  for (size_t c = 0; c < histogram.size(); ++c) {
    sum += static_cast<double>(c) * static_cast<double>(histogram[c]);
  }
  return sum;
}

Row Counted(const std::string& what, double paper, double measured) {
  return {.what = what, .unit = Unit::kCount, .paper = paper, .measured = measured};
}

void AddExample(const classic::ArrayGeometry& geometry, const std::string& inserted,
                const std::string& erased, uint64_t seed, Table& table) {
  auto filter = classic::Filter::CreateWithGeometry(geometry).value();
  auto first_alone = classic::Filter::CreateWithGeometry(geometry).value();
  RandomStream random(seed, 130);
  const Key x1 = Key::Digest(random.Next());
  const Key x2 = Key::Digest(random.Next());
  first_alone.Insert(x1);
  filter.Insert(x1);
  filter.Insert(x2);
  const double k = geometry.num_hashes;
  table.rows.push_back(Counted(inserted + "sum of counters", 2 * k, Increments(filter)));
  if (geometry.kind == classic::Kind::kSplitCounting) {
    // Of one slice: the filter of the first slice alone.
    auto one = classic::Filter::CreateWithGeometry(geometry).value();
    one.Insert(x1);
    one.Insert(x2);
    if (one.DropSlices(1).ok()) {
      table.rows.push_back(Counted(inserted + "sum of slice 1", 2, Increments(one)));
    }
  }
  filter.Erase(x2);
  table.rows.push_back(Counted(erased + "sum of counters", k, Increments(filter)));
  Row same{.what = erased + "counters are those of x1 alone (1: all)", .paper = 1};
  same.measured = filter.Serialize() == first_alone.Serialize();
  table.rows.push_back(same);
}

}  // namespace

Table ScbfFigures(const Options& options) {
  Table table{.title = "Figures 1 to 5: x1 and x2 are inserted, and x2 is erased"};
  table.text =
      "A plain counting filter with 3 hashes; a split one with M = 16 and k = 4. Each key adds 1 "
      "to "
      "k counters, and erasing it subtracts 1. Random hashes: the figures' positions are drawings.";
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
  Row slices = Counted("Fig. 3, split: slices", 4, 0);
  const auto empty = classic::Filter::CreateWithGeometry(split).value();
  slices.measured = static_cast<double>(empty.GetStats().slice_fills.size());
  Row positions = Counted("Fig. 3, split: positions per slice", 4, 0);
  positions.measured = static_cast<double>(empty.geometry().total_positions()) / *slices.measured;
  table.rows.push_back(slices);
  table.rows.push_back(positions);
  AddExample(split, "Fig. 4, split: ", "Fig. 5, split: ", options.seed, table);
  return table;
}

}  // namespace trommel::paper
