// The load of a block: the distribution of the number of its keys, and what follows from that
// number. This is the arithmetic of sizing, without geometries and searches.
//
// The distribution. A digest's block comes from its high 32 bits, so num_blocks blocks share 2^32
// values as evenly as integers allow: each has q or q + 1 of them. A block with w values holds
// Binomial(num_keys, w / 2^32) keys. The two classes differ by less than 1e-4 below 2^18 blocks,
// but at 2^30 blocks some would have 4 values and some 5, and the rate is a high power of the load.
#ifndef TROMMEL_ENGINE_SRC_SIZING_BLOCK_LOAD_H_
#define TROMMEL_ENGINE_SRC_SIZING_BLOCK_LOAD_H_

#include <cmath>
#include <cstdint>

#include "kernels/layout.h"

namespace trommel {

// Beyond this mean load every block is full to within 1e-18 (even a load 10 sigma below the mean
// leaves one of 64 positions empty with probability 1e-23), so f is taken at the mean instead of
// being summed. That also bounds the time of the sum, which has a few sigma terms.
inline constexpr double kMaxSummedLoad = 4096;

// The expectation of f(load) for load ~ Binomial(num_keys, share), 0 < share <= 1. Weights are
// computed by ratios outward from the mode and divided by their sum: without factorials that could
// overflow, and exact for few blocks as for many. Weights under 1e-20 of the mode's are left out.
template <class F>
double MeanOverLoad(uint64_t num_keys, double share, const F& f) {
  const double n = static_cast<double>(num_keys);
  if (share >= 1) return f(num_keys);
  if (n * share > kMaxSummedLoad) return f(static_cast<uint64_t>(n * share));
  constexpr double kNegligible = 1e-20;
  const double odds = share / (1 - share);
  const uint64_t mode = static_cast<uint64_t>((n + 1) * share);
  double total = 0;
  double sum = 0;
  double weight = 1;
  for (uint64_t i = mode; i <= num_keys && weight > kNegligible; ++i) {
    total += weight;
    sum += weight * f(i);
    weight *= (n - static_cast<double>(i)) / static_cast<double>(i + 1) * odds;
  }
  weight = 1;
  for (uint64_t i = mode; i > 0; --i) {
    weight *= static_cast<double>(i) / (n - static_cast<double>(i - 1)) / odds;
    if (weight <= kNegligible) break;
    total += weight;
    sum += weight * f(i - 1);
  }
  return sum / total;
}

// num_blocks blocks, each with `share` of all digests.
struct LoadClass {
  double num_blocks;
  double share;
};

struct LoadClasses {
  LoadClass smaller;
  LoadClass larger;  // num_blocks is 0 if all blocks have the same share
};

// The two classes of blocks of a filter. Requires 1 <= num_blocks < 2^32.
LoadClasses ClassesOf(uint64_t num_blocks) noexcept;

// The expectation of f(load of the block of a random key): weighted by keys, for rates.
template <class F>
double MeanOverKeys(uint64_t num_keys, uint64_t num_blocks, const F& f) {
  const auto [smaller, larger] = ClassesOf(num_blocks);
  double mean = smaller.num_blocks * smaller.share * MeanOverLoad(num_keys, smaller.share, f);
  if (larger.num_blocks > 0) {
    mean += larger.num_blocks * larger.share * MeanOverLoad(num_keys, larger.share, f);
  }
  return mean;
}

// The expectation of f(load of a random block): for shares of blocks.
template <class F>
double MeanOverBlocks(uint64_t num_keys, uint64_t num_blocks, const F& f) {
  const auto [smaller, larger] = ClassesOf(num_blocks);
  double sum = smaller.num_blocks * MeanOverLoad(num_keys, smaller.share, f);
  if (larger.num_blocks > 0) sum += larger.num_blocks * MeanOverLoad(num_keys, larger.share, f);
  return sum / static_cast<double>(num_blocks);
}

// The false-positive rate of a block of `load` distinct keys: the probability that all bits of a
// non-member are set, or that its low 32 digest bits are those of one of the keys. These bits alone
// choose the positions, so the rate cannot fall below load / 2^32, however many slices there are.
// (4 and 5 slices of 64 have fewer than 2^32 combinations of positions, taken from the digest bits:
// then the first probability is all.)
double BlockFpr(uint64_t load, uint32_t num_slices) noexcept;

// The probability that the counters of a block of `load` distinct keys do not fit three planes:
// some counter is above kernels::kMaxPlaneCount, or all of slice 0 are equal to it, which is the
// marker of promoted blocks.
double PlanesPromotedChance(uint64_t load) noexcept;

// The bytes that a promoted block of `load` keys has in the side table.
double PromotedBlockBytes(uint64_t load, uint32_t num_slices) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIZING_BLOCK_LOAD_H_
