// The undecided share: the model against blocks of stores that were filled, and whose keys were
// replaced.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "engine/src/fingerprints/fingerprint_store.h"
#include "engine/src/sizing/geometry_checks.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/narrow_block.h"
#include "support/catch.h"
#include "support/shrink.h"
#include "support/statistics.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

Geometry GeometryOfKeys(Encoding encoding, uint64_t num_blocks, uint32_t bits_less = 0) {
  return {.num_slices = 0,
          .encoding = encoding,
          .num_blocks = num_blocks,
          .fingerprint_bits = MaxFingerprintBits(encoding) - bits_less};
}

// The most keys with MaxPromotedShare of the blocks promoted.
uint64_t FullLoad(const Geometry& geometry) { return CapacityFor(geometry, kMaxTargetFpr).value(); }

// A store of random keys, which can be replaced.
class FilledStore {
 public:
  FilledStore(const Geometry& geometry, uint64_t num_keys, uint64_t seed)
      : store_(FingerprintStore::Create(geometry, 0).value()), random_(seed), digests_(num_keys) {
    for (uint64_t& digest : digests_) Insert(digest);
  }

  // Erases a random key and inserts another, `times` as often as there are keys.
  void Replace(uint64_t times) {
    for (uint64_t i = 0; i < times * digests_.size(); ++i) {
      uint64_t& digest = digests_[random_() % digests_.size()];
      store_->EraseOne(digest);
      Insert(digest);
    }
  }

  // For each block, the share of keys that a query without the side table cannot decide.
  std::vector<double> UndecidedShares() const {
    std::vector<double> shares(store_->geometry().num_blocks);
    for (size_t b = 0; b < shares.size(); ++b) {
      shares[b] = ShareOf(store_->blocks().data() + b * kernels::kFingerprintBlockWords);
    }
    return shares;
  }

 private:
  void Insert(uint64_t& digest) {
    digest = random_();
    store_->InsertOne(digest);
  }
  double ShareOf(const uint32_t* block) const {
    if (store_->geometry().encoding == Encoding::kFingerprints8) {
      const int num_cut = std::popcount(~kernels::ShownBins(block));
      return num_cut / static_cast<double>(kernels::kNarrowBins);
    }
    return kernels::WideSlot(block, kernels::kWideSlots - 1) == kernels::kSpillMark ? 1 : 0;
  }

  std::unique_ptr<FingerprintStore> store_;
  std::mt19937_64 random_;
  std::vector<uint64_t> digests_;
};

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Blocks are independent but for the line that a group shares. A block's share is between 0 and 1,
// so it varies no more than a binomial share; a group's is estimated from the groups.
tests::RateBound BoundOf(double predicted, const std::vector<double>& shares) {
  tests::RateBound bound = tests::BinomialBound(predicted, shares.size());
  std::vector<double> groups;
  for (size_t b = 0; b + kGroupBlocks <= shares.size(); b += kGroupBlocks) {
    groups.push_back(MeanOf({shares.begin() + static_cast<std::ptrdiff_t>(b),
                             shares.begin() + static_cast<std::ptrdiff_t>(b + kGroupBlocks)}));
  }
  const double mean = MeanOf(groups);
  double squares = 0;
  for (const double group : groups) squares += (group - mean) * (group - mean);
  const auto num_groups = static_cast<double>(groups.size());
  bound.sigma = std::max(bound.sigma, std::sqrt(squares / (num_groups - 1) / num_groups));
  return bound;
}

// With slots of 16 bits the prediction is an upper bound.
void CheckUndecided(Encoding encoding, const tests::RateBound& bound, double measured) {
  CHECK(measured <= bound.high());
  if (encoding == Encoding::kFingerprints8) CHECK(measured >= bound.low());
}

TEST_CASE("no more keys are undecided than predicted, and in bins as many, once keys are replaced",
          "[engine][sizing][long]") {
  const auto encoding = GENERATE(Encoding::kFingerprints16, Encoding::kFingerprints8);
  const auto times_full = GENERATE(0.9, 1.0, 1.25, 1.9);
  const Geometry geometry = GeometryOfKeys(encoding, tests::Scaled(4096));
  const auto num_keys = static_cast<uint64_t>(times_full * static_cast<double>(FullLoad(geometry)));
  FilledStore store(geometry, num_keys, 23);
  const std::vector<double> fresh = store.UndecidedShares();
  store.Replace(4);
  const std::vector<double> replaced = store.UndecidedShares();
  const double predicted = PredictedUndecidedShare(geometry, num_keys);
  const tests::RateBound bound = BoundOf(predicted, replaced);
  CAPTURE(EncodingName(encoding), times_full, bound, MeanOf(fresh), MeanOf(replaced));
  CheckUndecided(encoding, bound, MeanOf(replaced));
  CHECK(MeanOf(fresh) <= BoundOf(predicted, fresh).high());  // filling alone leaves fewer
}

TEST_CASE("no more keys of grown filters are undecided than predicted", "[engine][sizing][long]") {
  const auto encoding = GENERATE(Encoding::kFingerprints16, Encoding::kFingerprints8);
  const uint32_t bits_less = GENERATE(3U, 6U);  // 8 bits at least: many keys meet an equal one
  const Geometry geometry = GeometryOfKeys(encoding, tests::Scaled(4096), bits_less);
  const uint64_t num_keys = geometry.num_blocks * (encoding == Encoding::kFingerprints8 ? 44 : 26);
  FilledStore store(geometry, num_keys, 29);
  store.Replace(4);
  const std::vector<double> replaced = store.UndecidedShares();
  const auto bound = BoundOf(PredictedUndecidedShare(geometry, num_keys), replaced);
  CAPTURE(EncodingName(encoding), bits_less, bound, MeanOf(replaced));
  CheckUndecided(encoding, bound, MeanOf(replaced));
}

TEST_CASE("what is undecided grows with the keys, from nothing to nearly all of them",
          "[engine][sizing]") {
  const auto encoding = GENERATE(Encoding::kFingerprints16, Encoding::kFingerprints8);
  const uint64_t num_blocks = GENERATE(uint64_t{1}, 2, 63, 64, 1000, 1'000'000);
  const Geometry geometry = GeometryOfKeys(encoding, num_blocks);
  double last = 0;
  for (uint64_t keys_of_block = 0; keys_of_block <= 400; keys_of_block += 4) {
    const uint64_t num_keys = keys_of_block * num_blocks;
    const double share = PredictedUndecidedShare(geometry, num_keys);
    CAPTURE(EncodingName(encoding), num_blocks, keys_of_block, share);
    CHECK(share >= last * (1 - 1e-6));  // up to the precision of the model
    CHECK(share <= PredictedPromotedShare(geometry, num_keys) * (1 + 1e-9));
    last = share;
  }
  CHECK(last > 0.85);
  CHECK(last <= 1);
}

TEST_CASE("what every query reads leaves nothing undecided", "[engine][sizing]") {
  const Encoding encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  const Geometry geometry{.num_slices = 8, .encoding = encoding, .num_blocks = 100};
  CHECK(PredictedUndecidedShare(geometry, 100'000) == 0);
  // 32 keys are in slots, and 49 in slots and the overflow line.
  CHECK(PredictedUndecidedShare(GeometryOfKeys(Encoding::kFingerprints16, 1), 49) == 0);
  CHECK(PredictedUndecidedShare(GeometryOfKeys(Encoding::kFingerprints16, 1), 50) == 1);
  CHECK(PredictedUndecidedShare(GeometryOfKeys(Encoding::kFingerprints8, 1), 31) == 0);
}

TEST_CASE("sizing keeps its target beside writers", "[engine][sizing]") {
  const Encoding encoding = GENERATE(Encoding::kFingerprints16, Encoding::kFingerprints8);
  // Where the undecided keys decide: just above the rate of full blocks.
  const double target_fpr = encoding == Encoding::kFingerprints16 ? 0.00034 : 0.00215;
  const uint64_t capacity = GENERATE(uint64_t{100}, 12345, 1'000'000, 30'000'000);
  const auto sizing =
      SizeFor({.capacity = capacity, .target_fpr = target_fpr, .encoding = encoding});
  REQUIRE(sizing.ok());
  const auto sum = [&](const Geometry& geometry, uint64_t num_keys) {
    return PredictedFpr(geometry, num_keys) + PredictedUndecidedShare(geometry, num_keys);
  };
  CAPTURE(EncodingName(encoding), capacity, sizing->geometry.num_blocks);
  CHECK(sizing->predicted_undecided_share == PredictedUndecidedShare(sizing->geometry, capacity));
  CHECK(sum(sizing->geometry, capacity) <= target_fpr);
  Geometry smaller = sizing->geometry;
  smaller.num_blocks -= BlockUnit(encoding, smaller.shard_bits);
  CHECK(sum(smaller, capacity) > target_fpr);
  const uint64_t most = CapacityFor(sizing->geometry, target_fpr).value();
  CHECK(most >= capacity);
  CHECK(sum(sizing->geometry, most) <= target_fpr);
  CHECK(sum(sizing->geometry, most + 1) > target_fpr);
}

}  // namespace
}  // namespace trommel
