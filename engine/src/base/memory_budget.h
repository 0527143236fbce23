// MemoryBudget: one memory limit for several filters, each of which grows by itself.
//
// A member says what it takes whenever its list of generations changes; between two changes only
// its side tables grow, which no limit stops. So the sum is what members took when they last
// changed, and a growth that would bring it over the limit is refused, whoever asks.
#ifndef TROMMEL_ENGINE_SRC_BASE_MEMORY_BUDGET_H_
#define TROMMEL_ENGINE_SRC_BASE_MEMORY_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace trommel {

// Any thread may call it at any time.
class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // A member takes `after` bytes, no longer the `before` that it said last. False, and nothing
  // changes, where that is more and the sum would exceed the limit.
  bool Change(uint64_t before, uint64_t after) {
    uint64_t sum = num_bytes_.load(std::memory_order_relaxed);
    do {
      const uint64_t others = sum - before;
      if (after > before && after > limit_bytes_ - std::min(limit_bytes_, others)) return false;
    } while (!num_bytes_.compare_exchange_weak(sum, sum - before + after));
    return true;
  }

  // Would so many bytes more be refused? Others may take the room meanwhile.
  bool HasRoomFor(uint64_t num_bytes) const {
    return num_bytes <= limit_bytes_ - std::min(limit_bytes_, this->num_bytes());
  }

  uint64_t limit_bytes() const { return limit_bytes_; }
  uint64_t num_bytes() const { return num_bytes_.load(std::memory_order_relaxed); }

 private:
  const uint64_t limit_bytes_;
  std::atomic<uint64_t> num_bytes_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_MEMORY_BUDGET_H_
