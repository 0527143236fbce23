// The predictions behind sizing: published values, brute force, and filters.
#include <cmath>
#include <cstdint>

#include "engine/src/sizing/block_load.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/statistics.h"
#include "trommel/counting_filter.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

using Catch::Approx;

TEST_CASE("predicted FPR has the values of the Parquet specification", "[engine][sizing]") {
  // Presence bits per key, and rate: parquet-format, BloomFilter.md.
  const auto [bits_per_key, fpr] = GENERATE(table<double, double>({{5, .1792},
                                                                   {6, .0993},
                                                                   {10, .01265},
                                                                   {10.5, .01013},
                                                                   {16.9, .000997},
                                                                   {20, .00042},
                                                                   {26.4, 9.88e-5},
                                                                   {41, 9.98e-6}}));
  const Geometry geometry{.num_slices = 8, .num_blocks = 10'000'000};
  const auto num_keys = static_cast<uint64_t>(
      std::llround(static_cast<double>(geometry.num_positions()) / bits_per_key));
  CHECK(PredictedFpr(geometry, num_keys) == Approx(fpr).epsilon(0.006));
}

// Visits every way the keys can be spread over the blocks, as a number in base num_blocks.
double FprByEnumeration(uint64_t num_keys, uint64_t num_blocks, uint32_t num_slices) {
  const long double positions = num_slices % 8 == 0 ? 32 : 64;
  const bool has_same_halves = num_slices >= 8;  // fewer slices tell all 32-bit halves apart
  uint64_t num_ways = 1;
  for (uint64_t i = 0; i < num_keys; ++i) num_ways *= num_blocks;
  long double sum = 0;
  for (uint64_t way = 0; way < num_ways; ++way) {
    uint64_t load = 0;  // of block 0; all blocks are alike
    uint64_t rest = way;
    for (uint64_t i = 0; i < num_keys; ++i, rest /= num_blocks) load += rest % num_blocks == 0;
    long double empty = 1;
    for (uint64_t i = 0; i < load; ++i) empty *= 1 - 1 / positions;
    long double hit = 1;
    for (uint32_t s = 0; s < num_slices; ++s) hit *= 1 - empty;
    sum += hit;
    if (has_same_halves) sum += (1 - hit) * static_cast<long double>(load) / 4294967296.0L;
  }
  return static_cast<double>(sum / static_cast<long double>(num_ways));
}

TEST_CASE("few blocks have the binomial rate, by brute force", "[engine][sizing][long]") {
  const uint32_t num_slices = GENERATE(uint32_t{8}, 4, 5, 10);
  const auto [num_blocks, num_keys] = GENERATE(
      table<uint64_t, uint64_t>({{1, 1}, {1, 60}, {2, 1}, {2, 16}, {3, 11}, {5, 8}, {10, 6}}));
  const Geometry geometry{.num_slices = num_slices, .num_blocks = num_blocks};
  // One of three blocks has 2^32 / 3 high halves, rounded: a difference of 1e-9, times the
  // exponent.
  CHECK(PredictedFpr(geometry, num_keys) ==
        Approx(FprByEnumeration(num_keys, num_blocks, num_slices)).epsilon(3e-8));
}

TEST_CASE("uneven blocks of a giant filter raise its predicted rate", "[engine][sizing]") {
  // 1.5 * 2^30 blocks have 2 or 3 high halves each; 2^30 blocks have 4 each.
  const Geometry even{.num_slices = 8, .num_blocks = uint64_t{1} << 30};
  const Geometry uneven{.num_slices = 8, .num_blocks = uint64_t{3} << 29};
  CHECK(PredictedFpr(uneven, 12 * uneven.num_blocks) >
        1.1 * PredictedFpr(even, 12 * even.num_blocks));
}

TEST_CASE("predicted FPR rises with keys and falls with blocks", "[engine][sizing][long]") {
  const uint32_t num_slices = GENERATE(uint32_t{8}, 4, 5, 10);
  double last = -1;
  for (uint64_t num_keys = 0; num_keys < 200'000; num_keys += 1000) {
    const double fpr = PredictedFpr({.num_slices = num_slices, .num_blocks = 3000}, num_keys);
    CHECK(fpr > last);
    last = fpr;
  }
  for (uint64_t num_blocks = 3001; num_blocks < 100'000; num_blocks += 997) {
    const double fpr = PredictedFpr({.num_slices = num_slices, .num_blocks = num_blocks}, 199'000);
    CHECK(fpr < last);
    last = fpr;
  }
}

TEST_CASE("predictions stay finite for any load", "[engine][sizing][long]") {
  const uint64_t num_blocks = GENERATE(uint64_t{1}, 2, 1000, uint64_t{1} << 28, kMaxBlocks);
  const auto [encoding, num_slices] = GENERATE(table<Encoding, uint32_t>({{Encoding::kPlanes, 8},
                                                                          {Encoding::kRuns, 4},
                                                                          {Encoding::kRuns, 5},
                                                                          {Encoding::kRuns, 8},
                                                                          {Encoding::kRuns, 10}}));
  const Geometry geometry{.num_slices = num_slices, .encoding = encoding, .num_blocks = num_blocks};
  CHECK(PredictedFpr(geometry, 0) == 0.0);
  CHECK(PredictedPromotedShare(geometry, 0) == 0.0);
  CHECK(PredictedSideTableBytes(geometry, 0) == 0);
  // At most the bytes of all blocks.
  const auto most_bytes = static_cast<uint64_t>(
      std::round(static_cast<double>(num_blocks) * PromotedBlockBytes(1000, num_slices)));
  for (int power = 0; power <= 40; ++power) {
    const double fpr = PredictedFpr(geometry, uint64_t{1} << power);
    const double share = PredictedPromotedShare(geometry, uint64_t{1} << power);
    CHECK((fpr > 0 && fpr <= 1));
    CHECK((share >= 0 && share <= 1));
    CHECK(PredictedSideTableBytes(geometry, uint64_t{1} << power) <= most_bytes);
  }
  if (num_blocks <= 1000) {
    CHECK(PredictedFpr(geometry, kMaxCapacity) == 1.0);
    CHECK(PredictedPromotedShare(geometry, kMaxCapacity) == 1.0);
    CHECK(PredictedSideTableBytes(geometry, kMaxCapacity) == most_bytes);
  }
}

// A filter of random digests.
CountingFilter Filled(const Geometry& geometry, uint64_t num_keys, uint64_t seed) {
  CountingFilter filter =
      CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller}).value();
  filter.Insert(Keys::Digests(tests::MemberKeys(num_keys, seed)));
  return filter;
}

TEST_CASE("promoted share, side table and rate are those of filters", "[engine][sizing][long]") {
  const auto [encoding, num_slices, mean_load] =
      GENERATE(table<Encoding, uint32_t, uint64_t>({{Encoding::kPlanes, 8, 24},
                                                    {Encoding::kPlanes, 8, 40},
                                                    {Encoding::kPlanes, 8, 60},
                                                    {Encoding::kRuns, 4, 50},
                                                    {Encoding::kRuns, 4, 70},
                                                    {Encoding::kRuns, 5, 27},
                                                    {Encoding::kRuns, 8, 22},
                                                    {Encoding::kRuns, 10, 27},
                                                    {Encoding::kRuns, 10, 60}}));
  const Geometry geometry{.num_slices = num_slices, .encoding = encoding, .num_blocks = 20'000};
  const uint64_t num_keys = mean_load * geometry.num_blocks;
  const CountingFilter filter = Filled(geometry, num_keys, 11);
  const Stats stats = filter.GetStats();

  // Block loads are negatively associated, so the spread of the count is at most binomial.
  const auto share =
      tests::BinomialBound(PredictedPromotedShare(geometry, num_keys), geometry.num_blocks);
  INFO(share << "; promoted " << stats.num_promoted);
  CHECK(share.ContainsHits(stats.num_promoted));
  const auto bytes = static_cast<double>(PredictedSideTableBytes(geometry, num_keys));
  const auto of_block = PromotedBlockBytes(64, num_slices);
  const double sigma = share.margin() * static_cast<double>(geometry.num_blocks) * of_block;
  INFO("side table " << bytes << " +- " << sigma << "; taken " << stats.side_table_bytes);
  CHECK(std::abs(static_cast<double>(stats.side_table_bytes) - bytes) <=
        sigma + 6 * of_block + 0.25 * bytes);  // a quarter to grow into
  const auto fpr = tests::FilterFprBound(geometry, num_keys);
  const double rate = filter.MeasureFill().current_fpr;
  INFO(fpr << "; filled to " << rate);
  CHECK(fpr.Contains(rate));
}

TEST_CASE("the filter-to-filter variance bounds that of many small filters", "[engine][sizing]") {
  const Geometry geometry{.num_slices = 8, .num_blocks = 4};
  constexpr uint64_t kNumKeys = 100;
  constexpr int kNumFilters = 4000;
  double sum = 0;
  double sum_of_squares = 0;
  for (uint64_t seed = 0; seed < kNumFilters; ++seed) {
    const double rate = Filled(geometry, kNumKeys, 1000 + seed).MeasureFill().current_fpr;
    sum += rate;
    sum_of_squares += rate * rate;
  }
  const double mean = sum / kNumFilters;
  const double variance = sum_of_squares / kNumFilters - mean * mean;
  const auto bound = tests::FilterFprBound(geometry, kNumKeys);
  CHECK(std::abs(mean - bound.predicted) < 6 * bound.sigma / std::sqrt(double{kNumFilters}));
  CHECK(variance < tests::FilterVariance(geometry, kNumKeys));  // about 0.3 of it
}

}  // namespace
}  // namespace trommel
