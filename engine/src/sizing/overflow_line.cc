#include "engine/src/sizing/overflow_line.h"

#include <cstddef>
#include <cstdint>

namespace trommel {
namespace {

LineSums SumOf(const LineSums& a, const LineSums& b) {
  LineSums sum{};
  for (size_t i = 0; i < sum.size(); ++i) {
    for (size_t j = 0; i + j < sum.size(); ++j) sum[i + j] += a[i] * b[j];
  }
  return sum;
}

}  // namespace

LineSums SumOfBlocks(LineSums block, uint64_t num_blocks) noexcept {
  LineSums sum{};
  sum[0] = 1;
  for (; num_blocks > 0; num_blocks /= 2) {
    if (num_blocks % 2 != 0) sum = SumOf(sum, block);
    block = SumOf(block, block);
  }
  return sum;
}

}  // namespace trommel
