// ConcurrentFilter: why its contract holds.
//
// *Blocks and locks.* A digest's top bits name its block's owned range, owned ranges share
// 2^lock_bits locks, and no thread changes a block's words, its counts or its part of the side
// table without its lock (updates of one key and of small batches: concurrent_filter_impl.h;
// others: update_batch.cc). So the updates of one block happen one after another; all of a key is
// in one block, and therefore every update of a key is a moment under its block's lock:
// linearizable. Counts are looked up under the lock, too. A thread that holds a lock waits for no
// other, except in a point-in-time save, which takes all locks in order; so there is no deadlock.
// Input order within a block is kept by the stable split.
//
// *InsertIfAbsent.* Looking and inserting are one moment under the lock: of n racing callers the
// first finds the key absent and the others find it present. (Where other keys' bits cover the key,
// all of them find it "maybe present", as with one thread.)
//
// *Queries* read presence words without a lock. Let a key be in: its insertion happened before the
// query, and no erasure that could match it has begun. Each bit of the key was set by a store that
// happened before the query's load. What may be stored to that word later?
//
//   an insertion of another key      only adds bits
//   an erasure of another key        clears bits whose counts it takes to zero; our key counts one
//                                    at each of its positions, so never ours
//   a promotion                      nothing: presence words stay as they are
//   a return from the side table     the bits whose counts are not zero, ours among them, in one
//                                    store (EncodePlanes, EncodeRuns); or nothing, where long runs
//                                    become a block's strings as they are
//
// Blocks of runs take the same steps slice by slice. TryInsert and TryErase store each slice's
// presence once, with its final value, and then its string, which queries do not look at. Two cases
// have code of their own: the first key of a block (InsertFirstKey) stores its bits alone, for
// there were none; the last one (EraseLastKey) stores zeros, for a block that holds one key does
// not hold ours and another. Long runs of the side table take the same steps
// (kernels/long_runs-inl.h); beside exact counters a bit is stored when its count comes to one or
// to zero, and else not touched (MarkPresent, MarkAbsent). A query's last vector may reach into
// words of strings while they change; it takes nothing from them.
//
// A load sees the last of the stores that happened before it or a later one (coherence), and all of
// these show the bit. Words of different slices need no order among each other. What makes loads
// and stores of words whole stands in kernels/presence_words.h.
//
// *Queries of fingerprints* cannot rely on that, for fingerprints move. Each 64 blocks have a
// version, and an answer "absent" counts only if no change came between: kernels/group_versions.h.
// A version has one writer at a time, for its blocks are within one owned range, and what an update
// moves, slots, line and record, has one version. Queries never look into the side table, which
// moves in memory: they answer "maybe present" for what only that could decide, where a block
// hides keys. Merge, Clear and the like need not raise versions: they are exclusive, so no query
// runs beside them.
//
// *InsertIfAbsent and Erase* see the words the same way, but under the lock; those of fingerprints
// look into the side table.
//
// *num_keys* is kept for each lock, under it; a copy of the lock's blocks taken under it has just
// that many keys. So a snapshot of a filter in use is valid: every block is some moment's state,
// and the sum of keys is the sum over what was copied.
#include "trommel/concurrent_filter.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/blocks/store_stats.h"
#include "engine/src/counting/concurrent_filter_impl.h"
#include "engine/src/files/filter_files.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
namespace {

template <class Impl>
void CheckAlone(Impl* impl) {
  if (impl == nullptr) return;
  [[maybe_unused]] const auto access = impl->access_check.EnterExclusive();
}

}  // namespace

ConcurrentFilter::Impl::Impl(CountingFilter&& whole, RangeLocks&& made) noexcept
    : filter(std::move(whole)), locks(std::move(made)) {
  // The keys that are in the filter already belong to no lock: they count for the first one.
  locks.Hold(0, locks.lock_bits()).AddKeys(core().one.num_keys);
  num_refused_erases = core().one.num_refused_erases;
}

ConcurrentFilter::ConcurrentFilter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
ConcurrentFilter::ConcurrentFilter(CountingFilter&& filter) {
  Result<ConcurrentFilter> adopted = Adopt(std::move(filter));
  TROMMEL_CHECK(adopted.ok(), adopted.error().message.c_str());
  *this = *std::move(adopted);
}
ConcurrentFilter::ConcurrentFilter(ConcurrentFilter&& other) noexcept { *this = std::move(other); }
ConcurrentFilter& ConcurrentFilter::operator=(ConcurrentFilter&& other) noexcept {
  CheckAlone(impl_.get());
  CheckAlone(other.impl_.get());
  impl_ = std::move(other.impl_);
  return *this;
}
ConcurrentFilter::~ConcurrentFilter() { CheckAlone(impl_.get()); }

Result<ConcurrentFilter> ConcurrentFilter::Create(const CountingConfig& config) {
  Result<CountingFilter> filter = CountingFilter::Create(config);
  if (!filter) return filter.error();
  return Adopt(*std::move(filter));
}

Result<ConcurrentFilter> ConcurrentFilter::Adopt(CountingFilter&& filter) {
  CountingFilter::Impl& core = *filter.impl_;
  // All memory first: where there is none, the filter stays the caller's as it was.
  try {
    RangeLocks locks(RangeLocks::LockBitsFor(core.store->owned_range_bits()));
    if (Status serves = core.store->ServeQueries(core.memory_limit_bytes); !serves) {
      return serves.error();
    }
    core.SetKernels();
    return ConcurrentFilter(std::make_unique<Impl>(std::move(filter), std::move(locks)));
  } catch (const std::bad_alloc&) {
    core.StopServingQueries();
    return Error{ErrorCode::kOutOfMemory, "the system refused the memory of a filter's locks"};
  }
}

// --- Batches.

InsertOutcome ConcurrentFilter::Insert(Keys keys) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t num_inserted = impl_->UpdateAll<Update::kInsert>(keys, {});
  return SideMemoryOutcome(num_inserted, keys.size() - num_inserted);
}

InsertOutcome ConcurrentFilter::Insert(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  if (impl_->core().has_side_limit()) {
    [[maybe_unused]] const auto access = impl_->access_check.Enter();
    return impl_->core().InsertNoting(keys, inserted, &impl_->locks);
  }
  const InsertOutcome outcome = Insert(keys);
  SetAllBits(keys, inserted);
  return outcome;
}

size_t ConcurrentFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->UpdateAll<Update::kInsertIfAbsent>(keys, inserted);
}

InsertOutcome ConcurrentFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                               std::span<uint64_t> refused) noexcept {
  CheckBitmap(keys, inserted);
  CheckBitmap(keys, refused);
  if (impl_->core().has_side_limit()) {
    [[maybe_unused]] const auto access = impl_->access_check.Enter();
    return impl_->core().InsertAbsentNoting(keys, inserted, refused, &impl_->locks);
  }
  std::ranges::fill(refused, 0);
  return {.num_inserted = InsertIfAbsent(keys, inserted)};
}

EraseOutcome ConcurrentFilter::Erase(Keys keys) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Count(keys, impl_->UpdateAll<Update::kErase>(keys, {}));
}

EraseOutcome ConcurrentFilter::Erase(Keys keys, std::span<uint64_t> erased) noexcept {
  CheckBitmap(keys, erased);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Count(keys, impl_->UpdateAll<Update::kErase>(keys, erased));
}

size_t ConcurrentFilter::Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->filter.Query(keys, maybe_present);
}

size_t ConcurrentFilter::Select(Keys keys, Answer answer,
                                std::span<uint32_t> selection) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->filter.Select(keys, answer, selection);
}

void ConcurrentFilter::CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept {
  CheckCounts(keys, counts);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  CountBatch(impl_->core().Target(&impl_->locks), keys, counts);
}

// --- One key.

bool ConcurrentFilter::InsertDigest(uint64_t digest) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->UpdateOne<Update::kInsert>(digest);
}

bool ConcurrentFilter::InsertAbsentDigest(uint64_t digest) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->UpdateOne<Update::kInsertIfAbsent>(digest);
}

bool ConcurrentFilter::EraseDigest(uint64_t digest) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const bool is_erased = impl_->UpdateOne<Update::kErase>(digest);
  if (!is_erased) impl_->num_refused_erases.fetch_add(1, std::memory_order_relaxed);
  return is_erased;
}

bool ConcurrentFilter::FinishQuery(uint64_t digest) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->core().store->FinishQuery(digest);
}

void ConcurrentFilter::FetchAhead(uint64_t digest) const noexcept {
  impl_->core().store->FetchAhead(std::span(&digest, 1));
}

uint64_t ConcurrentFilter::CountOf(uint64_t digest) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const auto held = impl_->HoldFor(digest);
  return impl_->core().store->CountEstimate(digest);
}

// --- What it is.

const Geometry& ConcurrentFilter::geometry() const noexcept { return impl_->filter.geometry(); }
const DigestPolicy& ConcurrentFilter::digest_policy() const noexcept {
  return impl_->filter.digest_policy();
}
uint64_t ConcurrentFilter::capacity() const noexcept { return impl_->filter.capacity(); }
double ConcurrentFilter::target_fpr() const noexcept { return impl_->filter.target_fpr(); }
uint64_t ConcurrentFilter::num_keys() const noexcept { return impl_->locks.num_keys(); }

// --- Copies and snapshots, a lock range at a time.

Result<CountingFilter> ConcurrentFilter::Impl::Copy(Moments moments) {
  [[maybe_unused]] const auto access = access_check.Enter();
  const Store& from = *core().store;
  Result<CountingFilter> copy = core().NewLikeThis();
  if (!copy) return copy;
  CountingFilter::Impl& into = *copy->impl_;
  const auto copy_range = [&](size_t o) { into.store->CopyOwnedRange(from, o); };
  into.one.num_keys = moments == Moments::kOne
                          ? locks.VisitRangesAtOnce(from.num_owned_ranges(), copy_range)
                          : locks.VisitRanges(from.num_owned_ranges(), copy_range);
  return copy;
}

BlockFill ConcurrentFilter::Impl::MeasureFill() {
  [[maybe_unused]] const auto access = access_check.Enter();
  const Store& store = *core().store;
  kernels::Tally tally;
  locks.VisitRanges(store.num_owned_ranges(), [&](size_t o) { tally += store.TallyOf(o); });
  return FillOf(store, tally);
}

Stats ConcurrentFilter::GetStats() const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return StatsOf(geometry(), impl_->core().store->Figures(), num_keys(),
                 impl_->num_refused_erases.load(std::memory_order_relaxed));
}

BlockFill ConcurrentFilter::MeasureFill() const noexcept { return impl_->MeasureFill(); }

Status ConcurrentFilter::WriteTo(FileWriter& file) const {
  const Result<CountingFilter> copy = impl_->Copy(Impl::Moments::kOneForEachLock);
  if (!copy) return copy.error();
  return copy->WriteTo(file);
}

Status ConcurrentFilter::WriteOneMomentTo(FileWriter& file) const {
  const Result<CountingFilter> copy = impl_->Copy(Impl::Moments::kOne);
  if (!copy) return copy.error();
  return copy->WriteTo(file);
}

Status ConcurrentFilter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  return FilterFiles::Save(*this, path, options);
}

std::vector<std::byte> ConcurrentFilter::Serialize() const { return FilterFiles::Serialize(*this); }

Result<ConcurrentFilter> ConcurrentFilter::Load(const std::filesystem::path& path,
                                                uint64_t memory_limit_bytes,
                                                const DigestKey& digest_key) {
  Result<CountingFilter> filter = CountingFilter::Load(path, memory_limit_bytes, digest_key);
  if (!filter) return filter.error();
  Result<ConcurrentFilter> adopted = Adopt(*std::move(filter));
  if (!adopted) return Error{adopted.error().code, path.string() + ": " + adopted.error().message};
  return adopted;
}

Status ConcurrentFilter::SaveTo(ByteSink& sink, std::span<const std::byte> metadata,
                                bool point_in_time) const {
  return FilterFiles::SaveTo(*this, sink, metadata, point_in_time);
}

Result<ConcurrentFilter> ConcurrentFilter::LoadFrom(const ByteSource& source,
                                                    uint64_t memory_limit_bytes,
                                                    const DigestKey& digest_key) {
  Result<CountingFilter> filter = CountingFilter::LoadFrom(source, memory_limit_bytes, digest_key);
  if (!filter) return filter.error();
  return Adopt(*std::move(filter));
}

Result<ConcurrentFilter> ConcurrentFilter::Deserialize(std::span<const std::byte> bytes,
                                                       uint64_t memory_limit_bytes,
                                                       const DigestKey& digest_key) {
  return LoadFrom(SpanSource(bytes), memory_limit_bytes, digest_key);
}

Result<ConcurrentFilter> ConcurrentFilter::Clone(bool point_in_time) const try {
  Result<CountingFilter> copy =
      impl_->Copy(point_in_time ? Impl::Moments::kOne : Impl::Moments::kOneForEachLock);
  if (!copy) return copy.error();
  if (Status limited = copy->impl_->TakeSettingsOf(impl_->core()); !limited) return limited.error();
  return Adopt(*std::move(copy));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for a copy of the filter"};
}

bool operator==(const ConcurrentFilter& a, const ConcurrentFilter& b) {
  return FilterFiles::AreSame(a, b);
}

// --- Exclusive. The filter's own count of keys is right while they work.

Status ConcurrentFilter::LimitSideMemory(uint64_t limit_bytes) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  return impl_->filter.LimitSideMemory(limit_bytes);
}

Status ConcurrentFilter::Merge(const CountingFilter& other) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->core().one.num_keys = impl_->locks.num_keys();
  Status merged = impl_->filter.Merge(other);
  if (!merged) return merged;
  // All count for the first lock: a copy takes all locks, so the sum is enough.
  impl_->locks.Hold(0, impl_->locks.lock_bits()).AddKeys(other.num_keys());
  return merged;
}

void ConcurrentFilter::Clear() noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->filter.Clear();
  impl_->locks.ForgetKeys();
  impl_->num_refused_erases = 0;
}

CountingFilter ConcurrentFilter::TakeExclusive() && {
  const ImplPtr<Impl> taken = std::move(impl_);  // any later use of this one ends the program
  [[maybe_unused]] const auto access = taken->access_check.EnterExclusive();
  CountingFilter::Impl& core = taken->core();
  core.one.num_keys = taken->locks.num_keys();
  core.one.num_refused_erases = taken->num_refused_erases.load(std::memory_order_relaxed);
  core.StopServingQueries();
  return std::move(taken->filter);
}

}  // namespace trommel
