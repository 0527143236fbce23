// Queries of a GrowingStore beside threads that make it grow, shrink, and keep digests again.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "engine/src/batches/update_batch.h"
#include "engine/src/growing/growing_store.h"
#include "engine/src/sync/range_locks.h"
#include "support/catch.h"
#include "support/in_threads.h"
#include "support/shrink.h"
#include "trommel/keys.h"

namespace trommel {
namespace {

std::vector<uint64_t> DigestsInTwoShards(size_t size, std::mt19937_64& random) {
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) digest = random() >> 5 | uint64_t{9} << 59;
  return digests;
}

}  // namespace

TEST_CASE("a growing store counts its entries though other threads free what a step has replaced",
          "[engine][growing][threads]") {
  const auto store = GrowingStore::Create({}).value();
  std::mt19937_64 random(Catch::rngSeed());
  // Of one shard, twice each: copies have slots of their own in some sizes, and are counted in
  // others.
  std::vector<uint64_t> digests(6'000);
  for (uint64_t& digest : digests) digest = random() >> 6 | uint64_t{9} << 58;
  digests.insert(digests.end(), digests.begin(), digests.end());
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> num_differing{0};
  tests::InThreads(3, [&](uint64_t t) {
    while (t > 0 && !is_over) store->FreeReplaced();
    for (uint64_t wave = 0; t == 0 && wave < tests::Scaled(200); ++wave) {
      const std::span<const uint64_t> some = std::span(digests).first(digests.size() - wave % 8);
      const kernels::DigestRange all{0, some.size(), 0};
      std::vector<uint64_t> erased((some.size() + 63) / 64);
      store->Apply(Update::kInsert, some.data(), all, nullptr, nullptr);
      store->Apply(Update::kErase, some.data(), all, erased.data(), nullptr);
      num_differing += store->num_entries() != 0 ? 1 : 0;
    }
    is_over = true;
  });
  CHECK(num_differing == 0);
}

TEST_CASE("a key that a thread has inserted into a growing store is found by another at once",
          "[engine][growing][threads]") {
  const DigestPolicy policy;
  std::mt19937_64 random(Catch::rngSeed());
  std::atomic<uint64_t> num_missed{0};
  // Steps are short: several rounds, so that a query meets some.
  for (uint64_t round = 0; round < tests::Scaled(30); ++round) {
    const auto store = GrowingStore::Create({}).value();
    RangeLocks locks(GrowingStore::kShardBits);
    const std::vector<uint64_t> digests = DigestsInTwoShards(100'000, random);
    std::atomic<size_t> num_in{0};  // of the first ones
    tests::InThreads(3, [&](uint64_t t) {
      if (t == 0) {
        const BatchTarget target{.store = *store, .policy = policy, .locks = &locks};
        for (size_t i = 0; i < digests.size(); i += 50) {
          UpdateBatch(target, Update::kInsert, Keys::Digests(std::span(digests).subspan(i, 50)),
                      {});
          num_in.store(i + 50, std::memory_order_release);
        }
        return;
      }
      std::array<uint64_t, 4> bits;
      for (size_t size = 0; size < digests.size();) {
        size = num_in.load(std::memory_order_acquire);
        const size_t last = std::min<size_t>(size, 200);
        num_missed +=
            last - store->Query(std::span(digests).subspan(size - last, last), bits.data());
      }
    });
  }
  CHECK(num_missed == 0);
}

}  // namespace trommel
