#include "engine/src/batches/locked_update.h"

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/shapes.h"
#include "support/ways.h"

namespace trommel {
namespace {

using tests::WayStore;

TEST_CASE("threads that update the same blocks lose nothing", "[engine][locked_update][threads]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  WayStore store({Route::kDirect, 0, true}, tests::GeometryOf(shape, 8, /*shard_bits=*/3));
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
