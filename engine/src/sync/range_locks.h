// RangeLocks: the locks of a concurrent filter. Each covers a contiguous range of blocks and the
// number of keys in it. Several stores of one geometry may share locks, since a digest's top bits
// name the same lock range in each; each store then counts its own keys.
#ifndef TROMMEL_ENGINE_SRC_SYNC_RANGE_LOCKS_H_
#define TROMMEL_ENGINE_SRC_SYNC_RANGE_LOCKS_H_

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace trommel {

class RangeLocks {
 public:
  // With more, a chunk of 2,048 keys would have fewer than eight keys per lock.
  static constexpr uint32_t kMaxLockBits = 8;

  // Enough locks that threads seldom contend, few enough that a chunk of 2,048 keys has several
  // keys per lock.
  static uint32_t LockBitsFor(uint32_t range_bits) {
    constexpr uint32_t kFewLockBits = 6;
    static_assert(kFewLockBits <= kMaxLockBits);
    constexpr uint32_t kLocksPerThread = 8;
    const uint32_t wanted = std::bit_width(kLocksPerThread * std::thread::hardware_concurrency());
    return std::min(range_bits, std::clamp(wanted, kFewLockBits, kMaxLockBits));
  }

  // 2^lock_bits locks; a digest's top bits choose one.
  explicit RangeLocks(uint32_t lock_bits)
      : lock_bits_(lock_bits), slots_(MakeSlots(lock_bits)), locking_(slots_) {}

  // The same locks as `other`, with counts of zero of its own.
  static RangeLocks Sharing(const RangeLocks& other) {
    RangeLocks locks(other.lock_bits_);
    locks.locking_ = other.locking_;
    return locks;
  }

  uint32_t lock_bits() const { return lock_bits_; }
  size_t num_locks() const { return size_t{1} << lock_bits_; }

  // Holds one lock for its lifetime.
  class Held {
   public:
    // Adds the keys inserted less the keys erased, modulo 2^64.
    void AddKeys(uint64_t difference) {
      const uint64_t before = num_keys_.load(std::memory_order_relaxed);
      num_keys_.store(before + difference, std::memory_order_relaxed);
    }
    uint64_t num_keys() const { return num_keys_.load(std::memory_order_relaxed); }

   private:
    friend class RangeLocks;
    Held(std::unique_lock<std::mutex> lock, std::atomic<uint64_t>& num_keys)
        : lock_(std::move(lock)), num_keys_(num_keys) {}

    std::unique_lock<std::mutex> lock_;
    std::atomic<uint64_t>& num_keys_;
  };

  // Locks range range_idx of 2^range_bits. Requires range_bits >= lock_bits.
  Held Hold(size_t range_idx, uint32_t range_bits) {
    const size_t idx = range_idx >> (range_bits - lock_bits_);
    return Held(std::unique_lock(locking_.get()[idx].mutex), slots_.get()[idx].num_keys);
  }
  // The same, or nothing if another thread holds the lock.
  std::optional<Held> TryHold(size_t range_idx, uint32_t range_bits) {
    const size_t idx = range_idx >> (range_bits - lock_bits_);
    std::unique_lock lock(locking_.get()[idx].mutex, std::try_to_lock);
    if (!lock.owns_lock()) return std::nullopt;
    return Held(std::move(lock), slots_.get()[idx].num_keys);
  }

  // Calls visit(r) for each of num_ranges equal ranges of blocks, at least one per lock, each under
  // its lock. Returns the number of keys, each lock's as it was while its ranges were visited.
  template <class Visit>
  uint64_t VisitRanges(size_t num_ranges, const Visit& visit) {
    const size_t ranges_per_lock = num_ranges >> lock_bits_;
    uint64_t num_keys = 0;
    for (size_t l = 0; l < num_locks(); ++l) {
      const Held held = Hold(l, lock_bits_);
      for (size_t r = l * ranges_per_lock; r < (l + 1) * ranges_per_lock; ++r) visit(r);
      num_keys += held.num_keys();
    }
    return num_keys;
  }

  // The same with all locks held at once, so that all ranges are visited as they are at one moment.
  // (Others hold one lock at a time: whatever the order, no two can wait for each other; of two of
  // these calls, the second waits at the first lock.) May throw std::bad_alloc, before a lock is
  // taken.
  template <class Visit>
  uint64_t VisitRangesAtOnce(size_t num_ranges, const Visit& visit) {
    std::vector<std::unique_lock<std::mutex>> held;
    held.reserve(num_locks());
    for (size_t l = 0; l < num_locks(); ++l) held.emplace_back(locking_.get()[l].mutex);
    for (size_t r = 0; r < num_ranges; ++r) visit(r);
    return num_keys();
  }

  // Sets the number of keys to 0.
  void ForgetKeys() {
    for (size_t l = 0; l < num_locks(); ++l) {
      Held held = Hold(l, lock_bits_);
      held.AddKeys(0 - held.num_keys());
    }
  }

  // Of one lock range.
  uint64_t num_keys_of(size_t lock_idx) const {
    return slots_.get()[lock_idx].num_keys.load(std::memory_order_relaxed);
  }
  // The sum over all lock ranges, each read at a different moment.
  uint64_t num_keys() const {
    uint64_t num_keys = 0;
    for (size_t i = 0; i < num_locks(); ++i) {
      num_keys += slots_.get()[i].num_keys.load(std::memory_order_relaxed);
    }
    return num_keys;
  }

 private:
  struct alignas(64) Slot {  // neighbours are used by other threads
    std::mutex mutex;
    std::atomic<uint64_t> num_keys{0};
  };

  static std::shared_ptr<Slot[]> MakeSlots(uint32_t lock_bits) {
    return std::shared_ptr<Slot[]>(new Slot[size_t{1} << lock_bits]);
  }

  uint32_t lock_bits_;
  std::shared_ptr<Slot[]> slots_;    // the counts
  std::shared_ptr<Slot[]> locking_;  // the mutexes: the same slots unless shared
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_RANGE_LOCKS_H_
