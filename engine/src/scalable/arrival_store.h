// ArrivalStore: the newest generation's store, with a limit of side memory, for a batch of
// insertions.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_ARRIVAL_STORE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_ARRIVAL_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/blocks/store.h"
#include "engine/src/scalable/generation_store.h"

namespace trommel {

// kInsertIfPresent inserts any key, and it is counted how many were new. In input order, each key
// by itself: whether a key is new, or finds space, may depend on the one before.
class ArrivalStore final : public KeyStore {
 public:
  explicit ArrivalStore(Store& store) : store_(store) {}
  uint64_t num_new() const { return num_new_.load(std::memory_order_relaxed); }

  uint64_t ApplyNoting(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                       uint64_t* answers, uint64_t* refused) override {
    if (update != Update::kInsertIfPresent) {
      return store_.ApplyNoting(update, digests, range, answers, refused);
    }
    uint64_t num_refused = 0;
    for (size_t i = range.begin; i < range.end; ++i) {
      num_refused += NoteFate(UpdateOne(update, digests[i]), update, i, answers, refused);
    }
    return num_refused;
  }
  Fate UpdateOne(Update update, uint64_t digest) override {
    if (update != Update::kInsertIfPresent) return store_.UpdateOne(update, digest);
    const Fate fate = store_.UpdateOne(Update::kInsertIfAbsent, digest);
    if (fate == Fate::kChanged) num_new_.fetch_add(1, std::memory_order_relaxed);
    return fate == Fate::kUnchanged ? store_.UpdateOne(Update::kInsert, digest) : fate;
  }
  void FetchAhead(std::span<const uint64_t> digests) const override { store_.FetchAhead(digests); }
  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const override {
    return store_.Query(digests, maybe_present);
  }
  bool MayContain(uint64_t digest) const noexcept override { return store_.MayContain(digest); }
  uint64_t CountEstimate(uint64_t digest) const override { return store_.CountEstimate(digest); }
  uint32_t owned_range_bits() const override { return store_.owned_range_bits(); }
  UpdateCost update_cost() const override { return store_.update_cost(); }

 private:
  Store& store_;
  std::atomic<uint64_t> num_new_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_ARRIVAL_STORE_H_
