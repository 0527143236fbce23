// The predictions behind sizing: published values, brute force, and simulated filters.
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/src/sizing/block_load.h"
#include "kernels/layout.h"
#include "kernels/run_block.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/statistics.h"
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

TEST_CASE("few blocks do not have the Poisson rate", "[engine][sizing]") {
  // One block of 25 keys has no spread of loads: (1 - (31/32)^25)^8, and Poisson would say more.
  const Geometry one_block{.num_slices = 8, .num_blocks = 1};
  const double fill = 1 - std::pow(31.0 / 32, 25);
  CHECK(PredictedFpr(one_block, 25) == Approx(std::pow(fill, 8)).epsilon(1e-5));
  const Geometry many_blocks{.num_slices = 8, .num_blocks = 1 << 20};
  CHECK(PredictedFpr(many_blocks, 25 << 20) > 1.3 * PredictedFpr(one_block, 25));
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

// A filter of random digests, counted in plain arrays.
struct Simulated {
  uint64_t num_promoted = 0;
  double promoted_bytes = 0;
  double promoted_squares = 0;  // of the bytes
  double mean_product = 0;      // of the slices' fills, over blocks
};

Simulated Simulate(const Geometry& geometry, uint64_t num_keys, uint64_t seed) {
  const size_t num_positions = geometry.slice_positions();
  const size_t block_size = geometry.num_slices * num_positions;
  std::vector<uint32_t> counters(geometry.num_blocks * block_size);
  for (uint64_t i = 0; i < num_keys; ++i) {
    const uint64_t digest = tests::RandomKey(tests::KeySpace::kMembers, seed, i);
    uint32_t* block = &counters[kernels::BlockIndex(digest, geometry.num_blocks) * block_size];
    for (size_t s = 0; s < geometry.num_slices; ++s) {
      ++block[s * num_positions + kernels::Position(digest, s, geometry.num_slices)];
    }
  }
  Simulated simulated;
  for (size_t block = 0; block < geometry.num_blocks; ++block) {
    bool overflows = false;
    double product = 1;
    uint32_t load = 0;  // the same in every slice
    for (size_t s = 0; s < geometry.num_slices; ++s) {
      int num_present = 0;
      load = 0;
      for (size_t i = 0; i < num_positions; ++i) {
        const uint32_t count = counters[block * block_size + s * num_positions + i];
        num_present += count > 0;
        load += count;
        overflows |= geometry.encoding == Encoding::kPlanes && count > 8;
      }
      product *= num_present / static_cast<double>(num_positions);
    }
    overflows |=
        geometry.encoding == Encoding::kRuns && load > kernels::RunCapacity(geometry.num_slices);
    simulated.num_promoted += overflows;
    const double bytes = overflows ? PromotedBlockBytes(load, geometry.num_slices) : 0;
    simulated.promoted_bytes += bytes;
    simulated.promoted_squares += bytes * bytes;
    simulated.mean_product += product / static_cast<double>(geometry.num_blocks);
  }
  return simulated;
}

TEST_CASE("promoted share and rate agree with simulated counters", "[engine][sizing][long]") {
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
  const Simulated simulated = Simulate(geometry, num_keys, 11);

  // Block loads are negatively associated, so the spread of the count is at most binomial.
  const auto share =
      tests::BinomialBound(PredictedPromotedShare(geometry, num_keys), geometry.num_blocks);
  INFO(share << "; simulated " << simulated.num_promoted);
  CHECK(share.ContainsHits(simulated.num_promoted));
  const auto bytes = static_cast<double>(PredictedSideTableBytes(geometry, num_keys));
  const double sigma = std::sqrt(simulated.promoted_squares -
                                 simulated.promoted_bytes * simulated.promoted_bytes / 20'000);
  INFO("side table " << bytes << " +- " << sigma << "; simulated " << simulated.promoted_bytes);
  CHECK(std::abs(simulated.promoted_bytes - bytes) <=
        6 * (sigma + PromotedBlockBytes(64, num_slices)));  // of few promoted blocks sigma is rough
  const auto fpr = tests::FilterFprBound(geometry, num_keys);
  INFO(fpr << "; simulated " << simulated.mean_product);
  CHECK(fpr.Contains(simulated.mean_product));
}

TEST_CASE("the filter-to-filter variance bounds that of many small filters", "[engine][sizing]") {
  const Geometry geometry{.num_slices = 8, .num_blocks = 4};
  constexpr uint64_t kNumKeys = 100;
  constexpr int kNumFilters = 4000;
  double sum = 0;
  double sum_of_squares = 0;
  for (uint64_t seed = 0; seed < kNumFilters; ++seed) {
    const double rate = Simulate(geometry, kNumKeys, 1000 + seed).mean_product;
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
