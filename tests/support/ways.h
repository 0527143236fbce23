// Ways of a batch: the routes, threads and locks it may take, all of which must leave the same.
#ifndef TROMMEL_TESTS_SUPPORT_WAYS_H_
#define TROMMEL_TESTS_SUPPORT_WAYS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/batches/update_batch.h"
#include "engine/src/blocks/block_store.h"
#include "engine/src/sync/range_locks.h"
#include "kernels/presence_words.h"
#include "trommel/executor.h"

namespace trommel::tests {

struct Way {
  Route route;
  uint32_t num_threads;  // 0: no executor
  bool is_locked;

  std::string name() const {
    constexpr std::array<const char*, 3> kRoutes = {"automatic", "direct", "split"};
    return std::string(kRoutes[static_cast<size_t>(route)]) + ", " + std::to_string(num_threads) +
           " threads" + (is_locked ? ", locked" : "");
  }
};

inline std::vector<Way> AllWays() {
  std::vector<Way> ways;
  for (const Route route : {Route::kAutomatic, Route::kDirect, Route::kSplit}) {
    for (const uint32_t num_threads : {0, 1, 2, 3, 8}) {
      // Under ThreadSanitizer a thread more finds nothing new, and takes seconds.
      if (TROMMEL_ATOMIC_WORDS && num_threads != 0 && num_threads != 3) continue;
      for (const bool is_locked : {false, true}) ways.push_back({route, num_threads, is_locked});
    }
  }
  return ways;
}

// A store of this geometry that is updated in one way.
struct WayStore {
  WayStore(const Way& chosen, const Geometry& geometry)
      : way(chosen), store(std::move(BlockStore::Create(geometry, 0)).value()) {
    if (way.num_threads > 0) executor = Executor::Create(way.num_threads).value();
    if (way.is_locked) {
      locks = std::make_unique<RangeLocks>(std::min(store.owned_range_bits(), 3U));
    }
  }

  uint64_t Apply(Update update, Keys keys, std::span<uint64_t> answers) {
    const BatchTarget target{.store = store,
                             .policy = policy,
                             .executor = executor.get(),
                             .locks = locks.get(),
                             .route = way.route};
    return UpdateBatch(target, update, keys, answers).num_applied;
  }

  Way way;
  BlockStore store;
  DigestPolicy policy;
  std::shared_ptr<Executor> executor;
  std::unique_ptr<RangeLocks> locks;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_WAYS_H_
