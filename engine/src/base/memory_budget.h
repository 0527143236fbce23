// MemoryBudget: one memory limit for several filters, each of which grows by itself.
//
// Memory is taken and given back as blocks become more and fewer; side tables are not counted, and
// no limit stops them. Growth that would bring the sum over the limit is refused.
#ifndef TROMMEL_ENGINE_SRC_BASE_MEMORY_BUDGET_H_
#define TROMMEL_ENGINE_SRC_BASE_MEMORY_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace trommel {

// Thread safety: any thread may call any member at any time.
class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // A filter has `after` bytes, no longer the `before` that it reported last. Returns false, and
  // changes nothing, if that is more and the sum would exceed the limit.
  bool Change(uint64_t before, uint64_t after) {
    uint64_t sum = num_bytes_.load(std::memory_order_relaxed);
    do {
      const uint64_t others = sum - before;
      if (after > before && after > limit_bytes_ - std::min(limit_bytes_, others)) return false;
    } while (!num_bytes_.compare_exchange_weak(sum, sum - before + after));
    return true;
  }

  // Are so many bytes free? Other filters may take them before the caller does.
  bool HasSpaceFor(uint64_t num_bytes) const {
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
