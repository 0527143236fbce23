// The sizing model of dense blocks against ranges that were filled, and whose keys were replaced.
#include "engine/src/sizing/dense_load.h"

#include <cmath>
#include <cstdint>

#include "kernels/dense_block.h"
#include "kernels/dense_layout.h"
#include "support/catch.h"
#include "support/dense_filter.h"

namespace trommel {
namespace {

using kernels::kDenseShapes;
using tests::DenseFilter;

TEST_CASE("lines, cut bins and memory of dense blocks are what the model says",
          "[fingerprints][dense][sizing]") {
  struct Row {
    size_t shape;
    double keys_per_block;
  };
  // The second shape at .95, 1, 1.25 and 1.9 times its full load; the others full.
  const Row row = GENERATE(Row{1, 42}, Row{1, 44.4}, Row{1, 55.5}, Row{1, 84.4}, Row{0, 48},
                           Row{2, 40.2}, Row{3, 36}, Row{4, 33.7}, Row{5, 33}, Row{6, 29.5},
                           Row{7, 23}, Row{8, 19.2}, Row{9, 17.2});
  const kernels::DenseLayout layout{kDenseShapes[row.shape], kDenseShapes[row.shape].max_bits};
  CAPTURE(row.shape, row.keys_per_block);
  constexpr uint64_t kRanges = 4;
  const DenseLoad full = DenseLoadOf(layout, row.keys_per_block, true);
  const auto num_blocks = static_cast<double>(kRanges * DenseFilter::kBlocks);
  DenseFilter filter(layout, kRanges, DenseFilter::kBlocks,
                     static_cast<uint64_t>(std::ceil(full.lines_per_block * DenseFilter::kBlocks)));
  const auto num_keys = static_cast<uint64_t>(row.keys_per_block * num_blocks);
  filter.Insert(num_keys);
  for (const bool are_replaced : {false, true}) {
    CAPTURE(are_replaced);
    if (are_replaced) filter.Replace(num_keys * 3 / 2);
    const DenseLoad model = DenseLoadOf(layout, row.keys_per_block, are_replaced);
    // A block has 2.5 times the root of its mean entries as their deviation, about; and a bin is
    // cut with others.
    const double mean = model.entries_per_block;
    const double deviation = 0.05 + 3 * 2.5 / std::sqrt(mean * num_blocks);
    CHECK(filter.EntriesPerBlock() == Catch::Approx(mean).epsilon(deviation));
    CHECK(filter.CutBins() == Catch::Approx(model.cut_bins).epsilon(deviation));
    CHECK(filter.UndecidedShare() <= kDenseUndecidedShare + 1 / num_blocks);
  }
  const double bits = DenseBitsPerKey(layout, row.keys_per_block, true);
  CHECK(filter.BitsPerKey() == Catch::Approx(bits).epsilon(0.04));
}

}  // namespace
}  // namespace trommel
