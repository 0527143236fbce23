#include "engine/src/sizing/undecided_share.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/src/sizing/block_load.h"
#include "engine/src/sizing/dense_load.h"
#include "engine/src/sizing/fingerprint_load.h"
#include "engine/src/sizing/overflow_line.h"
#include "kernels/fingerprint_layout.h"

namespace trommel {
namespace {

// --- Slots of 16 bits.
//
// A block's load changes by single keys, and when the filter's keys are replaced, it is a chain
// whose stationary distribution is the binomial one:
//
//   n --birth: (num_keys - n) odds--> n + 1        n --death: n--> n - 1
//
// From 33 keys on it is either in its line, with n - 31 entries, or spilled:
//
//   plain 32 --2 entries are free--> line 33 --1 is free--> line 34 ..  line 49 --> spilled 50
//       ^  \--else--> spilled 33        \--else--> spilled 34
//       |                 |
//       +-----------------+   from there only by the loss of its keys, back to 32
//
// So a block's chances of being in the line follow from the chances that the line has space, and
// these from what the other blocks of the group have in it. Blocks are taken as independent, up to
// the line's limit (a mean field); the two are calculated in turn until they agree, in 10 to 50
// rounds. It is an upper bound: stores decide a spilled block before that, if its line has space.

constexpr size_t kPlainLoad = kernels::kWideSlots;
constexpr size_t kLeastEntries = 2;  // of a block in the line
constexpr size_t kLoadOfNoEntries = kPlainLoad + 1 - kLeastEntries;

// Of a block, what does not depend on its group.
struct WideChain {
  double birth(size_t load) const {
    return std::max(0.0, (num_keys - static_cast<double>(load)) * odds);
  }

  double num_keys;
  double odds;
  double plain_chance;     // P(load = 32)
  double promoted_chance;  // P(load > 32)
};

// What a block meets in its line.
struct LineSpace {
  LineSums fits{};       // [e]: that the others leave space for e entries
  LineSums has_space{};  // [e]: that they leave it for one key more, if they do for e entries
};

// `others` is the distribution of the others' entries as if a full line refused entries and nothing
// else. But the block that is refused leaves the line with all that it has there, so lines are
// nearly full less often, as a birth-death chain of entries is, with this ratio of births to
// deaths, that ends with the birth after its last state. Without that the share at capacity is
// twice as large.
LineSpace SpaceBeside(const LineSums& others, double ratio) {
  LineSums full_less{};  // by entries of the whole line
  double rest = 0;       // births that come back from above
  for (size_t i = kEntriesOfLine; i > 0; --i) {
    full_less[i] = 1 / (1 + ratio * (1 - rest));
    rest = full_less[i];
  }
  full_less[0] = 1;
  for (size_t i = 1; i <= kEntriesOfLine; ++i) full_less[i] *= full_less[i - 1];
  LineSpace space;
  for (size_t e = 0; e <= kEntriesOfLine; ++e) {
    const size_t needed = e == 0 ? kLeastEntries : 1;
    double too_full = 0;
    for (size_t i = 0; i + e <= kEntriesOfLine; ++i) {
      const double chance = others[i] * full_less[i + e];
      space.fits[e] += chance;
      if (i + e + needed > kEntriesOfLine) too_full += chance;
    }
    space.has_space[e] = 1 - too_full / space.fits[e];
  }
  return space;
}

// [e]: the chance that a block has e entries in the line; [0]: that it is not in it.
LineSums LineChances(const WideChain& chain, const LineSpace& space) {
  // The balance of each state, solved from the last one down:
  //   (birth + death) chances[e] = has_space birth chances[e - 1] + death chances[e + 1]
  LineSums ratios{};  // chances[e] / chances[e - 1]
  double from_above = 0;
  for (size_t e = kEntriesOfLine; e >= kLeastEntries; --e) {
    const size_t load = kLoadOfNoEntries + e;
    const auto death = static_cast<double>(load);
    ratios[e] = space.has_space[e == kLeastEntries ? 0 : e - 1] * chain.birth(load - 1) /
                (chain.birth(load) + death - from_above);
    from_above = ratios[e] * death;
  }
  LineSums chances{};
  double chance = chain.plain_chance;
  double in_line = 0;
  for (size_t e = kLeastEntries; e <= kEntriesOfLine; ++e) {
    chance *= ratios[e];
    chances[e] = chance;
    in_line += chance;
  }
  chances[0] = std::max(0.0, 1 - in_line);
  return chances;
}

// The share of spilled blocks in a group.
double SpilledShare(const WideChain& chain, uint64_t num_blocks) {
  constexpr int kMostRounds = 1000;
  constexpr double kPrecision = 1e-9;
  constexpr double kLeastChance = 1e-300;
  constexpr double kLeastStep = 0.125;
  const double ratio = chain.birth(kPlainLoad + 1) / static_cast<double>(kPlainLoad + 2);
  // Of a block that has the line for itself, relative to that of not being in it.
  LineSums weights{};
  weights[0] = 1;
  LineSums chances{};
  double step = 1;
  double last_change = 1;
  for (int round = 0; round < kMostRounds; ++round) {
    LineSums block = weights;
    double sum = 0;
    for (const double weight : block) sum += weight;
    for (double& chance : block) chance /= sum;
    const LineSpace space = SpaceBeside(SumOfBlocks(block, num_blocks - 1), ratio);
    chances = LineChances(chain, space);
    double change = 0;  // the largest, relatively
    for (size_t e = kLeastEntries; e <= kEntriesOfLine; ++e) {
      // A block's chance is its weight times the chance that the others leave it the space.
      const double weight =
          chances[e] / std::max(chances[0], kLeastChance) * space.fits[0] / space.fits[e];
      if (weight > 0) change = std::max(change, std::abs(weight - weights[e]) / weight);
      weights[e] += step * (weight - weights[e]);
    }
    if (change < kPrecision) break;
    if (change > 0.8 * last_change) step = std::max(kLeastStep, step / 2);  // it may swing
    last_change = change;
  }
  double share = chain.promoted_chance;
  for (size_t e = kLeastEntries; e <= kEntriesOfLine; ++e) share -= chances[e];
  constexpr double kRounding = 1e-12;
  return share > kRounding ? share : 0;
}

double WideUndecidedShare(const Geometry& geometry, uint64_t num_keys) {
  const double promoted_chance = FingerprintPromotedShare(geometry, num_keys);
  if (promoted_chance == 0) return 0;
  if (geometry.num_blocks == 1) return num_keys > kLoadOfNoEntries + kEntriesOfLine ? 1 : 0;
  const double share = 1 / static_cast<double>(geometry.num_blocks);
  const WideChain chain = {
      .num_keys = static_cast<double>(num_keys),
      .odds = share / (1 - share),
      .plain_chance = MeanOverLoad(num_keys, share,
                                   [](uint64_t load) { return load == kPlainLoad ? 1.0 : 0.0; }),
      .promoted_chance = promoted_chance};
  const uint64_t num_left = geometry.num_blocks % kBlocksOfGroup;
  const auto in_groups = static_cast<double>(geometry.num_blocks - num_left);
  double num_spilled = 0;
  if (in_groups > 0) num_spilled += in_groups * SpilledShare(chain, kBlocksOfGroup);
  if (num_left > 0) num_spilled += static_cast<double>(num_left) * SpilledShare(chain, num_left);
  return num_spilled * share;
}

}  // namespace

double FingerprintUndecidedShare(const Geometry& geometry, uint64_t num_keys) noexcept {
  if (geometry.encoding == Encoding::kFingerprints16) return WideUndecidedShare(geometry, num_keys);
  if (num_keys <= geometry.slots) return 0;
  // Only what is cut can be undecided: a twenty-fifth of the bins at most at capacity, where the
  // share is about a tenth of what it is when a quarter of the bins is cut.
  return kDenseUndecidedShare * std::min(1.0, 4 * DenseLoadOf(geometry, num_keys).cut_bins);
}

}  // namespace trommel
