// The bounds that other tests trust.
#include "support/statistics.h"

#include <cmath>
#include <cstdint>

#include "support/catch.h"

namespace trommel::tests {
namespace {

using Catch::Approx;

TEST_CASE("moments of a block's product are those of throws counted by hand", "[support]") {
  const auto [num_slices, m] =
      GENERATE(table<uint32_t, double>({{8, 32}, {4, 64}, {5, 64}, {10, 64}}));
  const double k = num_slices;
  const double all_pairs = m * m;
  CHECK(BlockProductMoment(0, num_slices, 1) == 0.0);
  CHECK(BlockProductMoment(0, num_slices, 2) == 0.0);
  // One key fills 1 position of m. Of two, the second fills another with chance (m - 1) / m.
  CHECK(BlockProductMoment(1, num_slices, 1) == Approx(std::pow(1 / m, k)).epsilon(1e-9));
  CHECK(BlockProductMoment(1, num_slices, 2) == Approx(std::pow(1 / all_pairs, k)).epsilon(1e-9));
  const double two = (1 / m) * 1 + ((m - 1) / m) * 4;  // E[positions^2]
  CHECK(BlockProductMoment(2, num_slices, 2) == Approx(std::pow(two / all_pairs, k)).epsilon(1e-9));
  const double three =  // 1, 2 or 3 positions
      (1 / all_pairs) * 1 + (3 * (m - 1) / all_pairs) * 4 + ((m - 1) * (m - 2) / all_pairs) * 9;
  CHECK(BlockProductMoment(3, num_slices, 2) ==
        Approx(std::pow(three / all_pairs, k)).epsilon(1e-9));
}

}  // namespace
}  // namespace trommel::tests
