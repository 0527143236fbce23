// The steps in which keys that kernels leave over are used.
#include <cstddef>
#include <vector>

#include "engine/src/blocks/store.h"
#include "support/catch.h"

namespace trommel {
namespace {

TEST_CASE("each key is found, then fetched, then used once, in the order of keys", "[engine]") {
  for (const size_t count : {0, 1, 15, 16, 17, 31, 32, 33, 100}) {
    std::vector<int> steps(count);
    size_t num_used = 0;
    bool is_right = true;
    UseInSteps(
        count, [&](size_t i) { is_right = is_right && steps.at(i)++ == 0; },
        [&](size_t i) { is_right = is_right && steps.at(i)++ == 1; },
        [&](size_t i) { is_right = is_right && steps.at(i)++ == 2 && i == num_used++; });
    CHECK(is_right);
    CHECK(num_used == count);
  }
}

}  // namespace
}  // namespace trommel
