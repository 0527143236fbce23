// StampedView: a stamped store at the moment of a call, for batches of updates. As with
// NotingStore, kInsertIfPresent is kInsert with an answer for each key: whether it is in.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_STAMPED_VIEW_H_
#define TROMMEL_ENGINE_SRC_WINDOW_STAMPED_VIEW_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/blocks/key_store.h"
#include "engine/src/window/stamped_store.h"

namespace trommel {

class StampedView final : public KeyStore {
 public:
  StampedView(StampedStore& store, const StampedSpan& span) : store_(store), span_(span) {}

  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers) override {
    const bool is_noting = update == Update::kInsertIfPresent;
    const uint64_t num_refused = store_.Apply(is_noting ? Update::kInsert : update, span_, digests,
                                              range, answers, is_noting ? answers : nullptr);
    // The bits are those of refused keys.
    for (size_t i = range.begin; i < range.end && is_noting; ++i) {
      answers[i / 64] ^= uint64_t{1} << (i % 64);
    }
    Note(num_refused);
    return num_refused;
  }
  bool UpdateOne(Update update, uint64_t digest) override {
    bool is_refused = false;
    const bool is_applied = store_.UpdateOne(
        update == Update::kInsertIfPresent ? Update::kInsert : update, span_, digest, &is_refused);
    Note(uint64_t{is_refused});
    return is_applied;
  }
  // Keys that a limit refused through this.
  uint64_t num_refused() const { return num_refused_.load(std::memory_order_relaxed); }
  bool InsertOne(uint64_t digest) noexcept override { return UpdateOne(Update::kInsert, digest); }
  bool EraseOne(uint64_t digest) override { return UpdateOne(Update::kErase, digest); }
  void FetchAhead(std::span<const uint64_t> digests) const override { store_.FetchAhead(digests); }

  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const override {
    return store_.Query(span_.first_live, digests, maybe_present);
  }
  bool MayContain(uint64_t digest) const noexcept override {
    return store_.MayContain(span_.first_live, digest);
  }
  uint64_t CountEstimate(uint64_t digest) const override {
    return store_.CountEstimate(span_.first_live, digest);
  }

  uint32_t owned_range_bits() const override { return store_.owned_range_bits(); }
  UpdateCost update_cost() const override { return UpdateCost::Of(store_.geometry()); }

 private:
  void Note(uint64_t num_refused) {
    if (num_refused != 0) num_refused_.fetch_add(num_refused, std::memory_order_relaxed);
  }

  StampedStore& store_;
  const StampedSpan span_;
  std::atomic<uint64_t> num_refused_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_STAMPED_VIEW_H_
