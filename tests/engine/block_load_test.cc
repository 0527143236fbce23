// The distribution of a block's load and what follows from it, against independent arithmetic and
// simulation.
#include "engine/src/sizing/block_load.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/layout.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/statistics.h"

namespace trommel {
namespace {

using Catch::Approx;
using tests::KeySpace;
using tests::RandomKey;

double Chance(uint64_t num_keys, double share, uint64_t load) {
  return MeanOverLoad(num_keys, share, [load](uint64_t i) { return i == load ? 1.0 : 0.0; });
}

// The textbook form, in long double.
double BinomialByLogGamma(uint64_t num_keys, long double share, uint64_t load) {
  const auto n = static_cast<long double>(num_keys);
  const auto i = static_cast<long double>(load);
  const long double log_choose = std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1);
  return static_cast<double>(
      std::exp(log_choose + i * std::log(share) + (n - i) * std::log1p(-share)));
}

TEST_CASE("the load of a block is binomial", "[engine][sizing]") {
  const uint64_t num_keys = GENERATE(uint64_t{1}, 2, 7, 40, 1000);
  const double share = GENERATE(1e-9, 0.001, 1.0 / 7, 0.5, 0.75, 0.999);
  for (uint64_t load = 0; load <= num_keys; ++load) {
    const double want = BinomialByLogGamma(num_keys, share, load);
    CHECK(Chance(num_keys, share, load) == Approx(want).epsilon(1e-9).margin(1e-18));
  }
}

TEST_CASE("the load of many keys has the binomial mean and variance", "[engine][sizing]") {
  const uint64_t num_keys = GENERATE(uint64_t{5000}, 1'000'000'000, uint64_t{1} << 40);
  const double mean_load = GENERATE(0.01, 1.0, 25.0, 700.0, 4000.0);
  const double share = mean_load / static_cast<double>(num_keys);
  const double mean =
      MeanOverLoad(num_keys, share, [](uint64_t i) { return static_cast<double>(i); });
  const double variance = MeanOverLoad(num_keys, share, [mean](uint64_t i) {
    return (static_cast<double>(i) - mean) * (static_cast<double>(i) - mean);
  });
  CHECK(mean == Approx(mean_load).epsilon(1e-10));
  CHECK(variance == Approx(mean_load * (1 - share)).epsilon(1e-9));
}

TEST_CASE("block classes share out all digests as BlockIndex does", "[engine][sizing]") {
  const uint64_t num_blocks =
      GENERATE(uint64_t{1}, 2, 3, 1000, 65536, 123456789, 1431655765, 1610612736, 2147483647);
  const auto [smaller, larger] = ClassesOf(num_blocks);
  CHECK(smaller.num_blocks + larger.num_blocks == static_cast<double>(num_blocks));
  CHECK(smaller.num_blocks * smaller.share + larger.num_blocks * larger.share == Approx(1.0));

  // The high halves that BlockIndex sends to the first blocks are as many as the classes say.
  uint64_t half = 0;
  for (uint64_t block = 0; block < std::min<uint64_t>(num_blocks, 20); ++block) {
    if (num_blocks < 65536) break;  // millions of halves per block: too long to count
    uint64_t num_halves = 0;
    for (; kernels::BlockIndex(half << 32, num_blocks) == block; ++half) ++num_halves;
    const double share = std::ldexp(static_cast<double>(num_halves), -32);
    CHECK((share == smaller.share || share == larger.share));
  }
}

TEST_CASE("a non-member hits a block of real positions at the rate of the model",
          "[engine][sizing][long]") {
  const uint32_t num_slices = GENERATE(uint32_t{8}, 4, 5, 10);
  const uint64_t load = GENERATE(uint64_t{1}, 12, 30, 80);
  constexpr uint64_t kNumBlocks = 3000;
  constexpr uint64_t kNumNonMembers = 300;
  uint64_t num_hits = 0;
  for (uint64_t block = 0; block < kNumBlocks; ++block) {
    std::array<uint64_t, kernels::kMaxSlices> presence = {};
    for (uint64_t i = 0; i < load; ++i) {
      const uint64_t digest = RandomKey(KeySpace::kMembers, 7, block * load + i);
      for (size_t s = 0; s < num_slices; ++s) {
        presence[s] |= uint64_t{1} << kernels::Position(digest, s, num_slices);
      }
    }
    for (uint64_t i = 0; i < kNumNonMembers; ++i) {
      const uint64_t digest = RandomKey(KeySpace::kNonMembers, 7, block * kNumNonMembers + i);
      uint64_t hit = 1;
      for (size_t s = 0; s < num_slices; ++s) {
        hit &= presence[s] >> kernels::Position(digest, s, num_slices);
      }
      num_hits += hit;
    }
  }
  auto bound = tests::BinomialBound(BlockFpr(load, num_slices), kNumBlocks * kNumNonMembers);
  const double variance = tests::BlockProductMoment(load, num_slices, 2) -
                          std::pow(tests::BlockProductMoment(load, num_slices, 1), 2);
  bound.sigma = std::sqrt(bound.sigma * bound.sigma + std::max(0.0, variance) / kNumBlocks);
  INFO(bound);
  CHECK(bound.ContainsHits(num_hits));
}

TEST_CASE("the rate of a block cannot fall below its keys' share of low halves",
          "[engine][sizing]") {
  CHECK(BlockFpr(0, 8) == 0.0);
  CHECK(BlockFpr(2, 10) == Approx(std::ldexp(2.0, -32)).epsilon(1e-5));
  CHECK(BlockFpr(uint64_t{1} << 40, 10) == 1.0);
  // 8 slices of 32 and 10 of 64 have 40 and 60 bits of positions, of 32 bits.
  CHECK(BlockFpr(1, 8) == Approx(std::ldexp(1.0, -32) + std::ldexp(1.0, -40)).epsilon(1e-6));
  CHECK(BlockFpr(1, 10) == Approx(std::ldexp(1.0, -32)).epsilon(1e-6));
}

TEST_CASE("where positions are digest bits, the rate of one key is that of equal bits",
          "[engine][sizing]") {
  CHECK(BlockFpr(1, 4) == Approx(std::ldexp(1.0, -24)).epsilon(1e-9));
  CHECK(BlockFpr(1, 5) == Approx(std::ldexp(1.0, -30)).epsilon(1e-9));
}

TEST_CASE("a promoted block takes a record of run strings or a byte per counter",
          "[engine][sizing]") {
  // 8 bytes per slice and an index, an eighth to spare, and 8 bytes to find it.
  CHECK(PromotedBlockBytes(38, 5) == Approx(62));
  CHECK(PromotedBlockBytes(63, 10) == Approx(107));
  CHECK(PromotedBlockBytes(64, 4) == Approx(53 + 256 + 64));
  CHECK(PromotedBlockBytes(64, 8) == Approx(89 + 256 + 64));
  CHECK(PromotedBlockBytes(uint64_t{1} << 40, 10) == Approx(107 + 640 + 64));
}

// Counts all sequences by brute force over compositions: the number of ways to throw `load` keys at
// `num_positions` positions without any count above `most`, divided by all ways.
double FitsByRecursion(int load, int num_positions, int most) {
  std::vector<long double> chance(static_cast<size_t>(load) + 1, 0.0L);
  chance[0] = 1;
  for (int position = 1; position <= num_positions; ++position) {
    // Of i keys at `position` positions, c ~ Binomial(i, 1 / position) are at the newest.
    std::vector<long double> next(chance.size(), 0.0L);
    for (int i = 0; i <= load; ++i) {
      for (int c = 0; c <= std::min(i, most); ++c) {
        const double share = 1.0 / position;
        const double here = position == 1 ? (c == i ? 1.0 : 0.0)
                                          : BinomialByLogGamma(static_cast<uint64_t>(i), share,
                                                               static_cast<uint64_t>(c));
        next[static_cast<size_t>(i)] += here * chance[static_cast<size_t>(i - c)];
      }
    }
    chance = next;
  }
  return static_cast<double>(chance[static_cast<size_t>(load)]);
}

TEST_CASE("the chance of promotion agrees with a position-by-position recursion",
          "[engine][sizing][long]") {
  const int load = GENERATE(9, 10, 20, 50, 100, 150, 200, 240);
  const double fits = FitsByRecursion(load, 32, kernels::kMaxPlaneCount);
  CHECK(PlanesPromotedChance(static_cast<uint64_t>(load)) ==
        Approx(1 - std::pow(fits, 8)).epsilon(1e-7).margin(1e-13));
}

TEST_CASE("a block is never promoted at 8 keys and always at 256", "[engine][sizing]") {
  for (uint64_t load = 0; load <= 8; ++load) CHECK(PlanesPromotedChance(load) == 0.0);
  // The ninth key must meet eight others in one position of a slice: 32 * 32^-9 per slice.
  CHECK(PlanesPromotedChance(9) == Approx(8 * std::ldexp(1.0, -40)).epsilon(1e-2));
  CHECK(PlanesPromotedChance(255) == Approx(1.0));
  CHECK(PlanesPromotedChance(256) == 1.0);
  CHECK(PlanesPromotedChance(uint64_t{1} << 40) == 1.0);
  for (uint64_t load = 1; load <= 300; ++load) {
    CHECK(PlanesPromotedChance(load) >= PlanesPromotedChance(load - 1));
  }
}

}  // namespace
}  // namespace trommel
