// The undecided share: the model against blocks of stores that were filled, and whose keys were
// replaced.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "engine/src/blocks/store_stats.h"
#include "engine/src/fingerprints/make_store.h"
#include "engine/src/fingerprints/wide_store.h"
#include "engine/src/sizing/geometry_checks.h"
#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/shapes.h"
#include "support/shrink.h"
#include "support/statistics.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

constexpr Encoding kWide = Encoding::kFingerprints16;

// The most keys with MaxPromotedShare of the blocks promoted.
uint64_t FullLoad(const Geometry& geometry) { return CapacityFor(geometry, kMaxTargetFpr).value(); }

// A store of random keys, which can be replaced.
class FilledStore {
 public:
  FilledStore(const Geometry& geometry, uint64_t num_keys, uint64_t seed)
      : store_(WideStore::Create(geometry, 0).value()), random_(seed), digests_(num_keys) {
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
  static double ShareOf(const uint32_t* block) {
    return kernels::WideSlot(block, kernels::kWideSlots - 1) == kernels::kSpillMark ? 1 : 0;
  }

  std::unique_ptr<WideStore> store_;
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

TEST_CASE("no more keys are undecided than predicted once keys are replaced",
          "[engine][sizing][long]") {
  const auto times_full = GENERATE(0.9, 1.0, 1.25, 1.9);
  const Geometry geometry = tests::FingerprintsOf(kWide, tests::Scaled(4096));
  const auto num_keys = static_cast<uint64_t>(times_full * static_cast<double>(FullLoad(geometry)));
  FilledStore store(geometry, num_keys, 23);
  const std::vector<double> fresh = store.UndecidedShares();
  store.Replace(4);
  const std::vector<double> replaced = store.UndecidedShares();
  const double predicted = PredictedUndecidedShare(geometry, num_keys);
  const tests::RateBound bound = BoundOf(predicted, replaced);
  CAPTURE(times_full, bound, MeanOf(fresh), MeanOf(replaced));
  CHECK(MeanOf(replaced) <= bound.high());
  CHECK(MeanOf(fresh) <= BoundOf(predicted, fresh).high());  // filling alone leaves fewer
}

TEST_CASE("no more keys of grown filters are undecided than predicted", "[engine][sizing]") {
  const uint32_t bits_less = GENERATE(3U, 6U);  // 8 bits at least: many keys meet an equal one
  const Geometry geometry = tests::FingerprintsOf(kWide, tests::Scaled(4096), 0, bits_less);
  const uint64_t num_keys = geometry.num_blocks * 26;
  FilledStore store(geometry, num_keys, 29);
  store.Replace(4);
  const std::vector<double> replaced = store.UndecidedShares();
  const auto bound = BoundOf(PredictedUndecidedShare(geometry, num_keys), replaced);
  CAPTURE(bits_less, bound, MeanOf(replaced));
  CHECK(MeanOf(replaced) <= bound.high());
}

// Lines become more: at every load to 1.9 times a full one, after any history.
TEST_CASE("next to nothing of dense filters is undecided", "[engine][sizing][long]") {
  const uint32_t slots = GENERATE(51U, 48U, 40U, 26U, 22U);
  const auto times_full = GENERATE(1.0, 1.5, 1.9);
  // Of few blocks one is a large share: the mean over many filters counts.
  const auto [num_blocks, num_filters] = GENERATE(std::pair{16U, 30}, std::pair{1024U, 1});
  Geometry geometry{
      .num_slices = 0, .encoding = Encoding::kDense, .num_blocks = num_blocks, .slots = slots};
  geometry.fingerprint_bits = geometry.max_dense_bits();
  const auto num_keys = static_cast<uint64_t>(times_full * static_cast<double>(FullLoad(geometry)));
  std::mt19937_64 random(31);
  double share = 0;
  for (int filter = 0; filter < num_filters; ++filter) {
    const std::unique_ptr<Store> store = MakeStore(geometry, 0).value();
    std::vector<uint64_t> digests(num_keys);
    for (uint64_t& digest : digests) store->InsertOne(digest = random());
    for (uint64_t i = 0; i < 4 * num_keys; ++i) {
      uint64_t& digest = digests[random() % num_keys];
      REQUIRE(store->EraseOne(digest));
      store->InsertOne(digest = random());
    }
    share += UndecidedShareOf(geometry, store->Figures()) / num_filters;
  }
  CAPTURE(slots, times_full, num_blocks, share);
  CHECK(share < 0.001);  // half of a block's bins are 0.0005 of 1,024 blocks
}

TEST_CASE("what is undecided grows with the keys, from nothing to nearly all of them",
          "[engine][sizing]") {
  const uint64_t num_blocks = GENERATE(uint64_t{1}, 2, 63, 64, 1000, 1'000'000);
  const Geometry geometry = tests::FingerprintsOf(kWide, num_blocks);
  double last = 0;
  for (uint64_t keys_of_block = 0; keys_of_block <= 400; keys_of_block += 4) {
    const uint64_t num_keys = keys_of_block * num_blocks;
    const double share = PredictedUndecidedShare(geometry, num_keys);
    CAPTURE(num_blocks, keys_of_block, share);
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
  CHECK(PredictedUndecidedShare(tests::FingerprintsOf(kWide, 1), 49) == 0);
  CHECK(PredictedUndecidedShare(tests::FingerprintsOf(kWide, 1), 50) == 1);
  CHECK(PredictedUndecidedShare(tests::FingerprintsOf(Encoding::kDense, 1), 48) == 0);
}

}  // namespace
}  // namespace trommel
