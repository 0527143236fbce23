#include "engine/src/locked_update.h"

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include "engine/src/radix_split.h"
#include "support/catch.h"
#include "support/ways.h"

namespace trommel {
namespace {

using tests::WayStore;

TEST_CASE("a run is applied under its lock, and its keys are counted there",
          "[engine][locked_update]") {
  WayStore store({Route::kDirect, 0, true}, {.shard_bits = 2, .num_blocks = 16});
  REQUIRE(store.locks->lock_bits() == 2);
  const UpdateTarget target{
      .store = store.store, .policy = store.policy, .locks = store.locks.get()};
  // Keys 1 and 2 of four, in the third quarter of the blocks.
  const std::vector<uint64_t> digests = {0, uint64_t{2} << 62 | 5, uint64_t{2} << 62 | 77, 0};
  uint64_t bits = 0;
  const size_t owner = OwnerOf(digests[1], 2);
  CHECK(owner == 2);
  CHECK(ApplyRun(target, Update::kInsert, digests.data(), {1, 3}, owner, 2, {}) == 2);
  CHECK(store.locks->Hold(2, 2).num_keys() == 2);
  CHECK(store.locks->num_keys() == 2);
  CHECK(ApplyRun(target, Update::kErase, digests.data(), {1, 3}, owner, 2, std::span(&bits, 1)) ==
        2);
  CHECK(bits == 6);
  bits = 1;  // another run's answer in the same word is not counted, and stays
  CHECK(ApplyRun(target, Update::kErase, digests.data(), {1, 3}, owner, 2, std::span(&bits, 1)) ==
        0);
  CHECK(bits == 1);
  CHECK(store.locks->num_keys() == 0);
}

TEST_CASE("threads that update the same blocks lose nothing", "[engine][locked_update][threads]") {
  WayStore store({Route::kDirect, 0, true}, {.shard_bits = 3, .num_blocks = 8});
  const UpdateTarget target{
      .store = store.store, .policy = store.policy, .locks = store.locks.get()};
  const size_t batch = GENERATE(size_t{1}, 40, 300);
  const auto work = [&](uint64_t thread) {
    for (uint64_t round = 0; round < 40; ++round) {
      std::vector<uint64_t> keys(batch);
      for (size_t i = 0; i < batch; ++i) keys[i] = thread * 1000 + i;
      UpdateLocked(target, Update::kInsert, keys, {});
      if (round % 2 == 1) UpdateLocked(target, Update::kErase, keys, {});
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  CHECK(store.locks->num_keys() == 3 * 20 * batch);
  uint64_t num_erased = 0;
  for (uint64_t thread = 0; thread < 3; ++thread) {
    std::vector<uint64_t> keys(batch);
    for (size_t i = 0; i < batch; ++i) keys[i] = thread * 1000 + i;
    for (int times = 0; times < 20; ++times) {
      num_erased += UpdateLocked(target, Update::kErase, keys, {});
    }
  }
  CHECK(num_erased == 3 * 20 * batch);
  CHECK(store.store.Tally().num_present == 0);
  CHECK(store.store.side_table().num_blocks() == 0);
}

}  // namespace
}  // namespace trommel
