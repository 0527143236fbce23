// The bounds that other tests trust, and the keys they are fed with.
#include "support/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"

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

TEST_CASE("the bound of a rate adds sampling and filter-to-filter variance", "[support]") {
  const Geometry geometry{.num_slices = 8, .num_blocks = 1000};
  const double p = PredictedFpr(geometry, 25'000);
  const RateBound bound = FprBound(geometry, 25'000, 1'000'000);
  CHECK(bound.predicted == p);
  CHECK(bound.sigma == Approx(std::sqrt(p * (1 - p) / 1e6 + FilterVariance(geometry, 25'000))));
  CHECK(bound.margin() == Approx(6 * bound.sigma + 6e-6));
  CHECK(bound.Contains(p + 0.99 * bound.margin()));
  CHECK(bound.Contains(p - 0.99 * bound.margin()));
  CHECK_FALSE(bound.Contains(p + 1.01 * bound.margin()));
  CHECK_FALSE(bound.Contains(p - 1.01 * bound.margin()));
  CHECK_FALSE(bound.Contains(std::nan("")));
}

TEST_CASE("a bound counts hits of its trials", "[support]") {
  const RateBound bound = BinomialBound(0.5, 10'000, 4);
  CHECK(bound.sigma == Approx(0.005));
  CHECK(bound.ContainsHits(5000));
  CHECK(bound.ContainsHits(5200));
  CHECK_FALSE(bound.ContainsHits(5210));
  std::ostringstream text;
  text << bound;
  CHECK(text.str() == "0.5 +- 0.0202667 (4 sigma, 10000 trials)");
}

TEST_CASE("random keys are distinct, repeatable, and non-members are no members", "[support]") {
  constexpr size_t kNumKeys = 10'000;
  std::vector<uint64_t> keys = MemberKeys(kNumKeys, 1);
  CHECK(keys == MemberKeys(kNumKeys, 1));
  CHECK(keys != MemberKeys(kNumKeys, 2));
  CHECK(MemberKeys(10, 1, 100) == std::vector<uint64_t>(&keys[100], &keys[110]));
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<uint64_t> non_members = NonMemberKeys(kNumKeys, seed);
    keys.insert(keys.end(), non_members.begin(), non_members.end());
  }
  std::sort(keys.begin(), keys.end());
  CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}

TEST_CASE("random strings are distinct lines of all lengths", "[support]") {
  std::vector<std::string> strings = MemberStrings(5000, 1);
  const std::vector<std::string> non_members = StrangerStrings(5000, 1);
  strings.insert(strings.end(), non_members.begin(), non_members.end());
  std::vector<size_t> num_of_length(80);
  for (const std::string& text : strings) {
    REQUIRE(text.size() >= 16);
    REQUIRE(text.size() < 80);
    ++num_of_length[text.size()];
    CHECK(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string::npos);
  }
  CHECK(std::count(num_of_length.begin() + 16, num_of_length.end(), size_t{0}) == 0);
  std::sort(strings.begin(), strings.end());
  CHECK(std::adjacent_find(strings.begin(), strings.end()) == strings.end());
}

TEST_CASE("a random order is a permutation", "[support]") {
  std::vector<size_t> order = RandomOrder(1000, 5);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) REQUIRE(order[i] == i);
  CHECK(RandomOrder(0, 5).empty());
}

}  // namespace
}  // namespace trommel::tests
