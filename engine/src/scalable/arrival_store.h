// ArrivalStore: the newest generation's store, with a limit of side memory, for a batch of
// insertions.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_ARRIVAL_STORE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_ARRIVAL_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/src/blocks/noting_store.h"
#include "engine/src/blocks/store.h"
#include "engine/src/scalable/generation_store.h"

namespace trommel {

// kInsertIfPresent inserts any key, and it is counted how many were new. In input order, each key
// by itself: whether a key is new, or finds space, may depend on the one before.
class ArrivalStore final : public NotingStore<Store> {
 public:
  using NotingStore::NotingStore;
  uint64_t num_new() const { return num_new_.load(std::memory_order_relaxed); }

  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers) override {
    if (update != Update::kInsertIfPresent) {
      return NotingStore::Apply(update, digests, range, answers);
    }
    uint64_t num_left_out = 0;
    for (size_t i = range.begin; i < range.end; ++i) {
      const uint64_t is_in{UpdateOne(update, digests[i])};
      answers[i / 64] |= is_in << (i % 64);
      num_left_out += 1 - is_in;
    }
    return num_left_out;
  }
  bool UpdateOne(Update update, uint64_t digest) override {
    if (update != Update::kInsertIfPresent) return NotingStore::UpdateOne(update, digest);
    if (store_.UpdateOne(Update::kInsertIfAbsent, digest)) {
      num_new_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    // One that is not in was refused.
    if (IsIn(store_, digest) && store_.InsertOne(digest)) return true;
    Note(1);
    return false;
  }

 private:
  std::atomic<uint64_t> num_new_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_ARRIVAL_STORE_H_
