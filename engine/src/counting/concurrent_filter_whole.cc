// Whole concurrent filters: copies, snapshots, and what needs the filter to itself.
#include <new>
#include <utility>

#include "engine/src/blocks/store_stats.h"
#include "engine/src/counting/concurrent_filter_impl.h"

namespace trommel {

Result<CountingFilter> ConcurrentFilter::Impl::Copy() try {
  [[maybe_unused]] const auto access = access_check.Enter();
  const BlockStore& from = core().store;
  Result<CountingFilter> copy =
      CountingFilter::CreateWithGeometry(from.geometry(), core().policy, core().memory_limit_bytes);
  if (!copy) return copy;
  CountingFilter::Impl& into = *copy->impl_;
  into.capacity = core().capacity;
  into.target_fpr = core().target_fpr;
  for (size_t l = 0; l < locks.num_locks(); ++l) {
    const RangeLocks::Held held = locks.Hold(l, locks.lock_bits());
    for (size_t o = 0; o < owned_ranges_per_lock(); ++o) {
      into.store.CopyOwnedRange(from, l * owned_ranges_per_lock() + o);
    }
    into.num_keys += held.num_keys();
  }
  return copy;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a copy of the filter"};
}

Stats ConcurrentFilter::Impl::GetStats() {
  [[maybe_unused]] const auto access = access_check.Enter();
  const BlockStore& store = core().store;
  StoreTotals totals;
  for (size_t l = 0; l < locks.num_locks(); ++l) {
    const RangeLocks::Held held = locks.Hold(l, locks.lock_bits());
    for (size_t o = 0; o < owned_ranges_per_lock(); ++o) {
      totals += store.TotalsOf(l * owned_ranges_per_lock() + o);
    }
    totals.num_keys += held.num_keys();
  }
  return StatsOf(store, totals, num_refused_erases.load(std::memory_order_relaxed));
}

Stats ConcurrentFilter::GetStats() const noexcept { return impl_->GetStats(); }

Status ConcurrentFilter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  const Result<CountingFilter> copy = impl_->Copy();
  if (!copy) return copy.error();
  return copy->Save(path, options);
}

std::vector<std::byte> ConcurrentFilter::Serialize() const {
  const Result<CountingFilter> copy = impl_->Copy();
  if (!copy) throw std::bad_alloc();
  return copy->Serialize();
}

Result<ConcurrentFilter> ConcurrentFilter::Load(const std::filesystem::path& path,
                                                uint64_t memory_limit_bytes,
                                                const DigestKey& digest_key) {
  Result<CountingFilter> filter = CountingFilter::Load(path, memory_limit_bytes, digest_key);
  if (!filter) return filter.error();
  return ConcurrentFilter(*std::move(filter));
}

// --- Exclusive. The filter's own count of keys is right while they work.

Status ConcurrentFilter::Merge(const CountingFilter& other) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->core().num_keys = impl_->locks.num_keys();
  Status merged = impl_->filter.Merge(other);
  if (!merged) return merged;
  // Which keys are whose the merge does not tell; a copy takes all locks, so the sum is enough.
  impl_->locks.Hold(0, impl_->locks.lock_bits()).AddKeys(other.num_keys());
  return merged;
}

void ConcurrentFilter::Clear() noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->filter.Clear();
  for (size_t l = 0; l < impl_->locks.num_locks(); ++l) {
    RangeLocks::Held held = impl_->locks.Hold(l, impl_->locks.lock_bits());
    held.AddKeys(0 - held.num_keys());
  }
  impl_->num_refused_erases = 0;
}

CountingFilter ConcurrentFilter::TakeExclusive() && {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->core().num_keys = impl_->locks.num_keys();
  impl_->core().num_refused_erases = impl_->num_refused_erases.load(std::memory_order_relaxed);
  return std::move(impl_->filter);
}

}  // namespace trommel
