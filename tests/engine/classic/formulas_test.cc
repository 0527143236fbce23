// The formulas against the tables that were printed, and against counting.
#include "engine/src/classic/formulas.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "support/catch.h"
#include "support/death.h"

namespace trommel::classic {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the split filter's Table 1 comes out as printed", "[engine][classic]") {
  constexpr uint64_t kPositions = 45 * 1024 * 8;
  CHECK(PublishedSplitFor(kPositions, 1e-3) == PublishedSplit{10, 36864, 25639});
  CHECK(PublishedSplitFor(kPositions, 1e-4) == PublishedSplit{14, 26331, 19229});
  CHECK(PublishedSplitFor(kPositions, 1e-5) == PublishedSplit{17, 21684, 15383});
  CHECK(PublishedSplitFor(kPositions, 1e-6) == PublishedSplit{20, 18432, 12819});
}

TEST_CASE("overflow comes out as printed, as derived and as it is", "[engine][classic]") {
  struct Row {
    uint64_t count;
    double printed, bound, exact;
  };
  // Tables 2 and 3, the text's formula, and Table 4 (but for its last row, which printed the
  // rounding step of double arithmetic).
  const std::vector<Row> rows = {{2, 0.03388, 0.2504, 0.1534},
                                 {4, 1.80e-4, 9.82e-3, 5.56e-3},
                                 {8, 4.48e-10, 1.34e-6, 7.15e-7},
                                 {16, 1.54e-23, 1.36e-16, 7.07e-17},
                                 {32, 3.89e-55, 3.07e-41, 1.56e-41}};
  for (const Row& row : rows) {
    INFO("j = " << row.count);
    CHECK(OverflowAsPrinted(std::numbers::ln2, row.count) == Approx(row.printed).epsilon(0.01));
    CHECK(OverflowBound(std::numbers::ln2, row.count) == Approx(row.bound).epsilon(0.01));
    CHECK(PoissonTail(std::numbers::ln2, row.count) == Approx(row.exact).epsilon(0.01));
    // A counter of Table 1's first row: 25 639 keys on 36 864 counters.
    const double poisson = PoissonTail(25639.0 / 36864, row.count);
    CHECK(BinomialTail(25639, 36864, row.count) == Approx(poisson).epsilon(0.03));
    CHECK(BinomialTail(25639, 36864, row.count) < poisson);
    CHECK(OverflowBound(std::numbers::ln2, row.count) > row.exact);
  }
}

TEST_CASE("tails are the sums that they stand for", "[engine][classic]") {
  const double load = GENERATE(0.1, 0.7, 3.0, 40.0);
  double below = 0;
  double term = std::exp(-load);
  for (uint64_t j = 0; j < 60; ++j) {
    CHECK(PoissonTail(load, j) == Approx(1 - below).margin(1e-12));
    below += term;
    term *= load / static_cast<double>(j + 1);
  }
  CHECK(PoissonTail(0, 0) == 1);
  CHECK(PoissonTail(0, 1) == 0);
  CHECK(PoissonTail(1e9, 5) == 1);

  // Three hashes on two positions: 1/8 each of 0 and 3, 3/8 each of 1 and 2.
  CHECK(BinomialTail(3, 2, 0) == 1);
  CHECK(BinomialTail(3, 2, 1) == Approx(7.0 / 8));
  CHECK(BinomialTail(3, 2, 2) == Approx(1.0 / 2));
  CHECK(BinomialTail(3, 2, 3) == Approx(1.0 / 8));
  CHECK(BinomialTail(3, 2, 4) == 0);
  CHECK(BinomialTail(5, 1, 5) == 1);
  CHECK(BinomialTail(0, 10, 1) == 0);
  CHECK(BinomialTail(uint64_t{1} << 40, uint64_t{1} << 32, 256) == Approx(0.5).margin(0.02));
}

TEST_CASE("fill and rates are those of their definitions", "[engine][classic]") {
  CHECK(Fill(10, 0) == 0);
  CHECK(Fill(10, 1) == Approx(0.1));
  CHECK(Fill(10, 2) == Approx(0.19));
  CHECK(Fill(1, 1) == 1);
  CHECK(SplitFpr(3, 10, 2) == Approx(0.19 * 0.19 * 0.19));
  CHECK(SplitFpr(10, 36864, 25639) == Approx(1e-3).epsilon(0.01));
  CHECK(SplitFpr(3, 10, 0) == 0);
}

// The exact rate of an unsplit filter: the distribution of how many positions are set, one hash at
// a time.
double ExactBloomFpr(uint32_t num_hashes, uint64_t num_positions, uint64_t num_keys) {
  std::vector<double> chance(num_positions + 1, 0);
  chance[0] = 1;
  const auto m = static_cast<double>(num_positions);
  for (uint64_t h = 0; h < num_hashes * num_keys; ++h) {
    for (uint64_t set = num_positions; set > 0; --set) {
      const auto s = static_cast<double>(set);
      chance[set] = chance[set] * s / m + chance[set - 1] * (m - s + 1) / m;
    }
    chance[0] = 0;
  }
  double fpr = 0;
  for (uint64_t set = 0; set <= num_positions; ++set) {
    fpr += chance[set] * std::pow(static_cast<double>(set) / m, num_hashes);
  }
  return fpr;
}

TEST_CASE("the second order is nearer to the exact rate than the textbook is",
          "[engine][classic][long]") {
  struct Row {
    uint32_t num_hashes;
    uint64_t num_positions, num_keys;
    double epsilon;
  };
  const std::vector<Row> rows = {{1, 50, 20, 1e-9},    {2, 50, 20, 1e-9},    {3, 100, 30, 1e-3},
                                 {7, 1000, 100, 1e-3}, {10, 1000, 70, 2e-2}, {10, 3000, 200, 1e-3}};
  for (const Row& row : rows) {
    INFO(row.num_hashes << " hashes, " << row.num_positions << " positions");
    const double exact = ExactBloomFpr(row.num_hashes, row.num_positions, row.num_keys);
    const double second = BloomFprSecondOrder(row.num_hashes, row.num_positions, row.num_keys);
    const double load =
        static_cast<double>(row.num_hashes * row.num_keys) / static_cast<double>(row.num_positions);
    const double textbook = std::pow(1 - std::exp(-load), row.num_hashes);
    CHECK(second == Approx(exact).epsilon(row.epsilon));
    CHECK(textbook < exact);
    CHECK(std::abs(second - exact) < std::abs(textbook - exact));
  }
  CHECK(BloomFprSecondOrder(3, 1, 1) == 1);
  CHECK(BloomFprSecondOrder(3, 100, 0) == 0);
}

TEST_CASE("numbers of hashes are rounded up, and rates out of range end the program",
          "[engine][classic]") {
  CHECK(NumHashesFor(0.5) == 1);
  CHECK(NumHashesFor(0.25) == 2);
  CHECK(NumHashesFor(0.2) == 3);
  CHECK(NumHashesFor(1e-3) == 10);
  CHECK(NumHashesFor(std::exp2(-64)) == 64);
  for (const double fpr : {std::nan(""), 0.0, 1.0, 1e-30}) {
    CHECK_THAT(tests::AbortMessage([=] { NumHashesFor(fpr); }),
               ContainsSubstring("a rate must be below 1, and at least 2^-64"));
  }
  CHECK_THAT(tests::AbortMessage([] { PublishedSplitFor(6, 0.01); }),  // 7 slices
             ContainsSubstring("at least one per slice"));
}

TEST_CASE("a slice has the fewest positions that keep the rate", "[engine][classic]") {
  const uint64_t num_keys = GENERATE(uint64_t{1}, uint64_t{1000}, uint64_t{1'000'000});
  const double fpr = GENERATE(0.5, 0.01, 1e-6);
  const uint32_t num_hashes = NumHashesFor(fpr);
  const uint64_t positions = SlicePositionsFor(num_hashes, num_keys, fpr);
  CHECK(SplitFpr(num_hashes, positions, num_keys) <= fpr);
  if (positions > 1) CHECK(SplitFpr(num_hashes, positions - 1, num_keys) > fpr);
  // 2^-10 is met by ten slices half full: m = n / ln 2.
  CHECK(static_cast<double>(SlicePositionsFor(10, 1'000'000, 0x1p-10)) ==
        Approx(1e6 / std::numbers::ln2).epsilon(1e-4));
  CHECK_THAT(tests::AbortMessage([] { SlicePositionsFor(7, uint64_t{1} << 40, 0.01); }),
             ContainsSubstring("no slice"));
}

TEST_CASE("outside their domain the formulas are no number", "[engine][classic]") {
  CHECK(std::isnan(Fill(0, 1)));
  CHECK(std::isnan(PoissonTail(-1, 1)));
  CHECK(std::isnan(PoissonTail(std::nan(""), 1)));
  CHECK(std::isnan(BinomialTail(1, 0, 1)));
  CHECK(std::isnan(OverflowBound(1, 0)));
  CHECK(std::isnan(OverflowAsPrinted(-1, 2)));
}

}  // namespace
}  // namespace trommel::classic
