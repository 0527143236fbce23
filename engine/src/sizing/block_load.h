// The load of a block: how many keys it holds, and what follows from that number. The arithmetic
// under sizing; it knows no geometry and no search.
//
// The law of the load. A digest's block comes from its high 32 bits, so num_blocks blocks share
// 2^32 values as evenly as integers allow: each owns q or q + 1 of them. A block that owns w values
// holds Binomial(num_keys, w / 2^32) keys. The two kinds differ by less than 1e-4 below 2^18
// blocks, but at 2^30 blocks some would get 4 values and some 5, and the rate is a high power of
// the load.
#ifndef TROMMEL_ENGINE_SRC_SIZING_BLOCK_LOAD_H_
#define TROMMEL_ENGINE_SRC_SIZING_BLOCK_LOAD_H_

#include <cmath>
#include <cstdint>

#include "kernels/layout.h"

namespace trommel {

// Beyond this mean load whatever the functions below tell of a block is certain to 1e-18 (the least
// likely load, 10 sigma down, still leaves a position of 64 empty with chance 1e-23), so the law is
// not walked but taken at its mean. It also keeps hopeless requests fast: the walk is sigma long.
inline constexpr double kMaxWalkedLoad = 4096;

// The expectation of f(load) for load ~ Binomial(num_keys, share), 0 < share <= 1. Weights are
// found by ratios outward from the mode and divided by their sum: no factorial, nothing to
// overflow, exact for few blocks as for many. Weights under 1e-20 of the mode's are left out.
template <class F>
double MeanOverLoad(uint64_t num_keys, double share, const F& f) {
  const double n = static_cast<double>(num_keys);
  if (share >= 1) return f(num_keys);
  if (n * share > kMaxWalkedLoad) return f(static_cast<uint64_t>(n * share));
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

// Blocks alike: num_blocks of them, each owning `share` of all digests.
struct LoadClass {
  double num_blocks;
  double share;
};

struct LoadClasses {
  LoadClass smaller;
  LoadClass larger;  // num_blocks is 0 when all blocks are alike
};

// The two kinds of blocks of a filter. 1 <= num_blocks < 2^32.
LoadClasses ClassesOf(uint64_t num_blocks) noexcept;

// The expectation of f(load of the block a random key falls into): key-weighted, for rates.
template <class F>
double MeanOverKeys(uint64_t num_keys, uint64_t num_blocks, const F& f) {
  const auto [smaller, larger] = ClassesOf(num_blocks);
  double mean = smaller.num_blocks * smaller.share * MeanOverLoad(num_keys, smaller.share, f);
  if (larger.num_blocks > 0) {
    mean += larger.num_blocks * larger.share * MeanOverLoad(num_keys, larger.share, f);
  }
  return mean;
}

// The expectation of f(load of a block), every block counting alike: for shares of blocks.
template <class F>
double MeanOverBlocks(uint64_t num_keys, uint64_t num_blocks, const F& f) {
  const auto [smaller, larger] = ClassesOf(num_blocks);
  double sum = smaller.num_blocks * MeanOverLoad(num_keys, smaller.share, f);
  if (larger.num_blocks > 0) sum += larger.num_blocks * MeanOverLoad(num_keys, larger.share, f);
  return sum / static_cast<double>(num_blocks);
}

// The chance that a non-member in a block of `load` distinct keys meets num_slices set bits, or the
// low 32 digest bits of one of these keys: those alone choose the positions, so the rate cannot
// fall under load / 2^32, however many slices there are. (4 and 5 slices of 64 have fewer than 2^32
// combinations of positions, digest bits as they are: there the product says it all.)
// Of a query that probes the first num_probes slices only, the same with these: fewer than 2^32
// combinations again where they are few.
double BlockFpr(uint64_t load, uint32_t num_slices, uint32_t num_probes) noexcept;
inline double BlockFpr(uint64_t load, uint32_t num_slices) noexcept {
  return BlockFpr(load, num_slices, num_slices);
}

// The chance that the counters of a block of `load` distinct keys do not fit three planes: some
// counter above kernels::kMaxPlaneCount, or all of slice 0 at it (the marker of promoted blocks).
double PlanesPromotedChance(uint64_t load, uint32_t num_slices) noexcept;

// What a promoted block of `load` keys takes in the side table.
double PromotedBlockBytes(uint64_t load, uint32_t num_slices) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIZING_BLOCK_LOAD_H_
