// StampedView: a stamped store at the moment of a call, for batches of updates.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_STAMPED_VIEW_H_
#define TROMMEL_ENGINE_SRC_WINDOW_STAMPED_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/blocks/store.h"
#include "engine/src/window/stamped_store.h"

namespace trommel {

class StampedView final : public KeyStore {
 public:
  StampedView(StampedStore& store, const StampedSpan& span) : store_(store), span_(span) {}

  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers, uint64_t* refused) override {
    return store_.Apply(update, span_, digests, range, answers, refused);
  }
  Fate UpdateOne(Update update, uint64_t digest) override {
    return store_.UpdateOne(update, span_, digest);
  }
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
  StampedStore& store_;
  const StampedSpan span_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_STAMPED_VIEW_H_
