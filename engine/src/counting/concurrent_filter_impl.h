// What a ConcurrentFilter is made of: a CountingFilter and locks. The argument why that is enough
// stands in concurrent_filter.cc.
#ifndef TROMMEL_ENGINE_SRC_COUNTING_CONCURRENT_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_COUNTING_CONCURRENT_FILTER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "engine/src/batches/update_batch.h"
#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/keys/batch_output.h"
#include "engine/src/keys/radix_split.h"
#include "engine/src/sync/exclusive_access_check.h"
#include "engine/src/sync/range_locks.h"
#include "trommel/concurrent_filter.h"

namespace trommel {

struct ConcurrentFilter::Impl {
  Impl(CountingFilter&& whole, RangeLocks&& made) noexcept;

  CountingFilter::Impl& core() { return *filter.impl_; }
  const CountingFilter::Impl& core() const { return *filter.impl_; }
  UpdateTarget ForUpdates() { return core().ForUpdates(&locks); }

  RangeLocks::Held HoldFor(uint64_t digest) {
    return locks.Hold(RangeOf(digest, locks.lock_bits()), locks.lock_bits());
  }

  InsertOutcome Outcome(Keys keys, uint64_t num_inserted) const {
    return SideMemoryOutcome(num_inserted, keys.size() - num_inserted);
  }

  // Whether the key was inserted or erased.
  bool UpdateOne(Update update, Key key) {
    [[maybe_unused]] const auto access = access_check.Enter();
    const uint64_t digest = core().DigestOf(key);
    uint64_t bit = 0;
    const uint64_t num_applied =
        ApplyRange(ForUpdates(), update, &digest, {0, 1}, RangeOf(digest, locks.lock_bits()),
                   locks.lock_bits(), std::span(&bit, 1));
    return num_applied == 1;
  }

  EraseOutcome Count(Keys keys, uint64_t num_erased) {
    const EraseOutcome outcome{num_erased, keys.size() - num_erased};
    num_refused_erases.fetch_add(outcome.num_refused, std::memory_order_relaxed);
    return outcome;
  }

  // A CountingFilter with what is in: each lock's blocks as they are at one moment, or all.
  enum class Moments : uint8_t { kOneForEachLock, kOne };
  Result<CountingFilter> Copy(Moments moments);
  // The fill, as it is at one moment for each lock.
  BlockFill MeasureFill();

  CountingFilter filter;
  RangeLocks locks;  // they count the keys; the filter's own count rests meanwhile
  std::atomic<uint64_t> num_refused_erases{0};
  ExclusiveAccessCheck access_check;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COUNTING_CONCURRENT_FILTER_IMPL_H_
