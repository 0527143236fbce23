// Formulas of Bloom filters against values worked out by hand or by counting all cases.
#include "bench/paper/bloom_model.h"

#include <cmath>

#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("bits a key fit the rate they are for", "[paper]") {
  CHECK(BestBitsPerKey(0.01) == Catch::Approx(9.585058));
  CHECK(std::round(1e10 * BestBitsPerKey(1e-4)) == 191'701'167'547);
  for (const double fpr : {0.2, 0.01, 1e-4}) {
    for (const uint32_t k : {1, 3, 7, 20}) {
      CHECK(FprAt(BitsPerKey(k, fpr), k) == Catch::Approx(fpr));
      CHECK(BitsPerKey(k, fpr) >= BestBitsPerKey(fpr));
      CHECK(BitsPerKey(k, fpr) >= LeastBitsPerKey(fpr));
    }
    CHECK(LeastBitsPerKey(fpr) > FewestBitsPerKey(fpr));
  }
  CHECK(BestHashes(0.01) == 7);
  CHECK(BestHashes(1e-4) == 13);
  CHECK(FewestBitsPerKey(0.25) == 2);
}

TEST_CASE("the exact rate of a tiny array is what counting all throws gives", "[paper]") {
  // Two positions, two hashes, one key: both throws equal (1/2) or not.
  CHECK(ExactFpr(2, 2, 1) == Catch::Approx(0.5 * 0.25 + 0.5 * 1));
  // Three positions, one hash, two keys: one position set (1/3) or two.
  CHECK(ExactFpr(3, 1, 2) == Catch::Approx(1 / 3.0 * (1 / 3.0) + 2 / 3.0 * (2 / 3.0)));
  CHECK(ExactFpr(10, 3, 0) == 0);
  CHECK(ExactFpr(10, 3, 2) > FprAt(5, 3));
  CHECK(ExactFpr(100'000 / 8, 6, 100) == Catch::Approx(FprAt(125, 6)).epsilon(0.01));
}

}  // namespace
}  // namespace trommel::paper
