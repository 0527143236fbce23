// What a ConcurrentFilter is made of: a CountingFilter and locks. The argument why that is enough
// stands in concurrent_filter.cc.
#ifndef TROMMEL_ENGINE_SRC_COUNTING_CONCURRENT_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_COUNTING_CONCURRENT_FILTER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/keys/radix_split.h"
#include "engine/src/sync/exclusive_access_check.h"
#include "engine/src/sync/range_locks.h"
#include "trommel/concurrent_filter.h"

namespace trommel {

struct ConcurrentFilter::Impl {
  Impl(CountingFilter&& whole, RangeLocks&& made) noexcept;

  CountingFilter::Impl& core() { return *filter.impl_; }
  const CountingFilter::Impl& core() const { return *filter.impl_; }

  RangeLocks::Held HoldFor(uint64_t digest) {
    return locks.Hold(RangeOf(digest, locks.lock_bits()), locks.lock_bits());
  }

  // Whether the key was inserted or erased.
  template <Update update>
  bool UpdateOne(uint64_t digest) {
    RangeLocks::Held held = HoldFor(digest);
    const uint64_t num_applied{core().UpdateOne<update>(digest)};
    held.AddKeys(update == Update::kErase ? 0 - num_applied : num_applied);
    return num_applied == 1;
  }
  template <Update update>
  uint64_t UpdateAll(Keys keys, std::span<uint64_t> answers) {
    CountingFilter::Impl& all = core();
    if (!all.AreFew(keys)) {
      return UpdateBatch(all.Target(&locks), update, keys, answers).num_applied;
    }
    return AnswerFew(
        all.one, all.policy, keys, answers,
        [&all](auto digests) { all.store->FetchAhead(digests); },
        [this](uint64_t digest) { return UpdateOne<update>(digest); });
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
  OneKey& one = core().one;  // what ImplPtr has a pointer to
  RangeLocks locks;          // they count the keys; the filter's own count rests meanwhile
  std::atomic<uint64_t> num_refused_erases{0};
  ExclusiveAccessCheck access_check;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COUNTING_CONCURRENT_FILTER_IMPL_H_
