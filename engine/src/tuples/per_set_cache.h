// PerSetCache: a value per set of attributes, such as a query's plan, made on first use and kept.
//
// Lookups take no lock. A mutex is held while a value is made, so that of threads that look up a
// new set at the same time one makes its value, and all get the same.
#ifndef TROMMEL_ENGINE_SRC_TUPLES_PER_SET_CACHE_H_
#define TROMMEL_ENGINE_SRC_TUPLES_PER_SET_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "trommel/attribute_sets.h"

namespace trommel {

template <class Made>
class PerSetCache {
 public:
  explicit PerSetCache(uint32_t num_attributes)
      : slots_(std::make_unique<Slot[]>(size_t{1} << num_attributes)) {}

  // What make() returned for the set, which must be of the attributes. Valid until the next Drop.
  // Thread safety: any thread, at any time but during Drop.
  template <class Make>
  const Made& For(AttributeMask set, const Make& make) const {
    Slot& slot = slots_[set];
    if (const Made* made = slot.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(mutex_);
    if (const Made* made = slot.load(std::memory_order_relaxed)) return *made;  // meanwhile
    made_.emplace_back(&slot, std::make_unique<const Made>(make()));
    const Made* made = made_.back().second.get();
    slot.store(made, std::memory_order_release);
    return *made;
  }

  // Destroys all values. Thread safety: exclusive.
  void Drop() {
    for (auto& [slot, made] : made_) slot->store(nullptr, std::memory_order_relaxed);
    made_.clear();
  }

 private:
  using Slot = std::atomic<const Made*>;
  std::unique_ptr<Slot[]> slots_;  // by set
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Slot*, std::unique_ptr<const Made>>> made_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_TUPLES_PER_SET_CACHE_H_
