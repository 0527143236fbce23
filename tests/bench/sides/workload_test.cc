#include "bench/sides/workload.h"

#include <cmath>
#include <set>
#include <vector>

#include "support/catch.h"
#include "trommel/digest.h"

namespace trommel::bench {
namespace {

TEST_CASE("ranks are drawn with a frequency of about one over them", "[bench][workload]") {
  constexpr uint64_t kRanks = 50;
  constexpr int kDraws = 200'000;
  std::vector<double> count(kRanks);
  for (int i = 0; i < kDraws; ++i) ++count.at(ZipfRank((i + 0.5) / kDraws, kRanks));
  for (uint64_t r = 0; r + 1 < kRanks; ++r) {
    const double from = static_cast<double>(r + 1);
    CHECK(count[r] ==
          Catch::Approx(kDraws * std::log((from + 1) / from) / std::log(kRanks)).margin(2));
  }
}

}  // namespace
}  // namespace trommel::bench
