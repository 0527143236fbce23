// EraseAll of CountingFilter and ConcurrentFilter.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>

#include "engine/src/batches/erase_all.h"
#include "engine/src/counting/concurrent_filter_impl.h"
#include "engine/src/counting/counting_filter_impl.h"

namespace trommel {

Result<EraseOutcome> CountingFilter::EraseAll(Keys keys, std::span<uint64_t> missing) {
  const Result<EraseOutcome> outcome = EraseWholeBatch(
      impl_->policy, keys, missing,
      [this](std::span<const uint64_t> digests, Shortfalls& shortfalls) {
        impl_->store->FindMissing(digests, shortfalls);
      },
      [this](Keys digests) {
        return UpdateBatch(impl_->Target(), Update::kErase, digests, {}).num_applied;
      });
  if (outcome.ok()) impl_->Count(*outcome);
  return outcome;
}

Result<EraseOutcome> ConcurrentFilter::EraseAll(Keys keys, std::span<uint64_t> missing) {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  RangeLocks& locks = impl_->locks;
  const Store& store = *impl_->core().store;
  const Result<EraseOutcome> outcome = EraseWholeBatch(
      impl_->core().policy, keys, missing,
      [&](std::span<const uint64_t> digests, Shortfalls& shortfalls) {
        ForEachRange(digests, locks.lock_bits(),
                     [&](size_t range_idx, std::span<const uint64_t> of_range) {
                       const RangeLocks::Held held = locks.Hold(range_idx, locks.lock_bits());
                       store.FindMissing(of_range, shortfalls);
                     });
      },
      [this](Keys digests) {
        return UpdateBatch(impl_->core().Target(&impl_->locks), Update::kErase, digests, {})
            .num_applied;
      });
  if (outcome.ok()) {
    impl_->num_refused_erases.fetch_add(outcome->num_refused, std::memory_order_relaxed);
  }
  return outcome;
}

}  // namespace trommel
