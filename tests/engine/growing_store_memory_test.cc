// The memory of a GrowingStore over its growth, against that of blocks sized in advance, and the
// rate of false positives, against what its codes say.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "engine/src/batches/update_batch.h"
#include "engine/src/growing/growing_store.h"
#include "engine/src/sync/range_locks.h"
#include "support/catch.h"
#include "support/statistics.h"
#include "trommel/keys.h"

namespace trommel {
namespace {

// Of blocks with slots of 16 bits at 21 keys per block, with their overflow lines.
double BytesInAdvance(double num_keys) { return num_keys / 21 * 64 * (1 + 1.0 / 64); }

}  // namespace

TEST_CASE("a growing store takes 1.1 to 2.1 times the memory of one sized in advance",
          "[engine][growing][long]") {
  const auto store = GrowingStore::Create({}).value();
  RangeLocks locks(GrowingStore::kShardBits);
  const DigestPolicy policy;
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> batch(10'000);
  double least = 10;
  double most = 0;
  double sum = 0;
  double weights = 0;
  for (uint64_t num_keys = batch.size(); num_keys <= 7'000'000; num_keys += batch.size()) {
    for (uint64_t& digest : batch) digest = random();
    UpdateBatch({.store = *store, .policy = policy, .locks = &locks}, Update::kInsert,
                Keys::Digests(batch), {});
    const auto num_bytes = static_cast<double>(store->num_bytes());
    const double ratio = num_bytes / BytesInAdvance(static_cast<double>(num_keys));
    if (num_keys < 1'000'000) {
      // Below some thousands what every store has weighs more than keys.
      if (num_keys >= 30'000) CHECK(num_bytes <= 12 * static_cast<double>(num_keys));
      continue;
    }
    least = std::min(least, ratio);
    most = std::max(most, ratio);
    // Two doublings, of which each number of keys counts by its logarithm.
    if (num_keys < 5'600'000 && num_keys >= 1'400'000) {
      sum += ratio / static_cast<double>(num_keys);
      weights += 1 / static_cast<double>(num_keys);
    }
  }
  CHECK(least <= 1.1);
  CHECK(most <= 2.1);
  CHECK(sum / weights <= 1.5);
}

TEST_CASE("the rate of a growing store is what the lengths of its codes say",
          "[engine][growing][long]") {
  for (const size_t num_keys : {100'000, 170'000, 1'000'000}) {
    const auto store = GrowingStore::Create({}).value();
    std::mt19937_64 random(Catch::rngSeed());
    for (size_t i = 0; i < num_keys; ++i) REQUIRE(store->InsertOne(random()));
    double chances = 0;
    for (size_t shard = 0; shard < GrowingStore::kNumShards; ++shard) {
      const std::array<uint64_t, 16> tally = store->TallyOf(shard);
      for (int bits = 1; bits < 16; ++bits) {
        chances += std::ldexp(static_cast<double>(tally[static_cast<size_t>(bits)]), -bits);
      }
    }
    const double rate = chances / static_cast<double>(store->Figures().num_blocks);
    constexpr uint64_t kNumQueries = 2'000'000;
    uint64_t num_present = 0;
    for (uint64_t i = 0; i < kNumQueries; ++i) num_present += uint64_t{store->MayContain(random())};
    const tests::RateBound bound = tests::BinomialBound(rate, kNumQueries);
    INFO(num_keys << " keys: " << bound << ", got " << num_present);
    CHECK(bound.ContainsHits(num_present));
    // 15 bits at a load of 10 to 21.5, less one for each doubling.
    CHECK(rate < 3 * 21.5 / 32'768);
  }
}

}  // namespace trommel
