// PerSetCache: a value per set of attributes, such as a query's plan, made on first use and kept.
//
// A hash table that grows with the sets that were looked up, not with those there could be. Lookups
// take no lock. A mutex is held while a value is made, so that of threads that look up a new set at
// the same time one makes its value, and all get the same.
#ifndef TROMMEL_ENGINE_SRC_TUPLES_PER_SET_CACHE_H_
#define TROMMEL_ENGINE_SRC_TUPLES_PER_SET_CACHE_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "trommel/attribute_sets.h"

namespace trommel {

// Which of 2^num_bits slots a set's value is looked for first.
constexpr size_t FirstSlotOf(AttributeMask set, int num_bits) {
  return static_cast<size_t>(set * 0x9e3779b97f4a7c15 >> (64 - num_bits));
}

template <class Made>
class PerSetCache {
 public:
  explicit PerSetCache(uint32_t num_attributes)
      : first_bits_(static_cast<int>(std::min<uint32_t>(num_attributes + 1, kMostFirstBits))) {
    AddTable(first_bits_);
  }

  // The value, or null if none was made. Valid until the next Drop. Thread safety: any thread, at
  // any time but during Drop.
  const Made* Find(AttributeMask set) const {
    const Table& table = *table_.load(std::memory_order_acquire);
    for (size_t i = FirstSlotOf(set, table.num_bits);; i = (i + 1) & (table.num_slots() - 1)) {
      const Entry* entry = table.slots[i].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->set == set) return &entry->made;
    }
  }

  // What make() returned for the set. Valid until the next Drop. Nothing is kept if memory is
  // refused, which throws std::bad_alloc. Thread safety: as Find.
  template <class Make>
  const Made& For(AttributeMask set, const Make& make) const {
    if (const Made* made = Find(set)) return *made;
    const std::lock_guard lock(mutex_);
    if (const Made* made = Find(set)) return *made;  // meanwhile
    auto entry = std::make_unique<const Entry>(Entry{set, make()});
    // At least half of the slots stay empty, and searches short.
    const Table& table = *table_.load(std::memory_order_relaxed);
    if (2 * (entries_.size() + 1) > table.num_slots()) AddTable(table.num_bits + 1);
    entries_.push_back(std::move(entry));
    Put(*entries_.back(), *tables_.back());
    return entries_.back()->made;
  }

  // Destroys all values. Thread safety: exclusive.
  void Drop() {
    entries_.clear();
    tables_.clear();
    AddTable(first_bits_);
  }

 private:
  static constexpr uint32_t kMostFirstBits = 6;

  struct Entry {
    AttributeMask set;
    Made made;
  };
  struct Table {
    explicit Table(int bits)
        : num_bits(bits), slots(std::make_unique<std::atomic<const Entry*>[]>(size_t{1} << bits)) {}
    size_t num_slots() const { return size_t{1} << num_bits; }

    int num_bits;
    std::unique_ptr<std::atomic<const Entry*>[]> slots;
  };

  static void Put(const Entry& entry, Table& table) {
    size_t i = FirstSlotOf(entry.set, table.num_bits);
    while (table.slots[i].load(std::memory_order_relaxed) != nullptr) {
      i = (i + 1) & (table.num_slots() - 1);
    }
    table.slots[i].store(&entry, std::memory_order_release);
  }

  // One with all entries, for lookups from now on. Those under way may be reading the others, which
  // together have fewer slots, and stay.
  void AddTable(int num_bits) const {
    auto table = std::make_unique<Table>(num_bits);
    for (const auto& entry : entries_) Put(*entry, *table);
    tables_.push_back(std::move(table));
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  int first_bits_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<const Entry>> entries_;
  mutable std::vector<std::unique_ptr<Table>> tables_;
  mutable std::atomic<const Table*> table_{nullptr};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_TUPLES_PER_SET_CACHE_H_
