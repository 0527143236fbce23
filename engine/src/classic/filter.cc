// Creation, batches, single keys and statistics. Whole filters: filter_merge.cc.
#include "trommel/classic/filter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/classic/filter_impl.h"
#include "engine/src/keys/batch_output.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/parallel_batch.h"
#include "trommel/classic/sizing.h"

namespace trommel::classic {
namespace {

// Keys whose digests are kept while slice after slice is updated. One thread: what a second-level
// cache holds beside a slice. Several: so many that starting the tasks does not count.
constexpr size_t kCachedRoundKeys = size_t{1} << 16;
constexpr size_t kMaxRoundKeys = size_t{1} << 20;
// Fewer keys are inserted before other threads are awake.
constexpr size_t kMinSpreadKeys = size_t{1} << 12;

}  // namespace

Filter::Filter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;
Filter::~Filter() = default;

Result<Filter> Filter::Create(const Config& config) {
  const Result<Sizing> sizing = SizeFor({.kind = config.kind,
                                         .capacity = config.capacity,
                                         .target_fpr = config.target_fpr,
                                         .num_hashes = config.num_hashes,
                                         .counter_bits = config.counter_bits,
                                         .hashing = config.hashing});
  if (!sizing) return sizing.error();
  Result<Filter> filter =
      CreateWithGeometry(sizing->geometry, config.digest, config.memory_limit_bytes);
  if (filter) {
    filter->impl_->capacity = config.capacity;
    filter->impl_->target_fpr = config.target_fpr;
    filter->UseExecutor(config.executor);
  }
  return filter;
}

Result<Filter> Filter::CreateWithGeometry(const ArrayGeometry& geometry, const DigestPolicy& digest,
                                          uint64_t memory_limit_bytes) {
  if (const Status good = CheckPolicy(digest); !good) return good.error();
  Result<PositionStore> store = PositionStore::Create(geometry, memory_limit_bytes);
  if (!store) return store.error();
  return Filter(
      std::make_unique<Impl>(*std::move(store), FilterFacts{.policy = digest}, memory_limit_bytes));
}

void Filter::Impl::CheckCounters() const {
  TROMMEL_CHECK(store.geometry().kind != Kind::kBloom, "a filter of plain bits has no counters");
}

// --- Batches.

void Filter::Insert(Keys keys) noexcept {
  Executor* const executor = keys.size() < kMinSpreadKeys ? nullptr : impl_->executor.get();
  const size_t round_keys =
      std::min(keys.size(), executor == nullptr ? kCachedRoundKeys : kMaxRoundKeys);
  impl_->num_keys += keys.size();
  // Not zeroed. Digests that the caller brought need no room.
  std::unique_ptr<uint64_t[]> buffer;
  if (keys.kind() != KeyKind::kDigests) {
    buffer.reset(new (std::nothrow) uint64_t[round_keys]);
    if (buffer == nullptr) {  // slower, but nothing here may fail
      return ForEachChunk(impl_->policy, keys, [&](size_t, std::span<const uint64_t> digests) {
        impl_->store.Insert(digests);
      });
    }
  }
  for (size_t first = 0; first < keys.size(); first += round_keys) {
    const size_t count = std::min(round_keys, keys.size() - first);
    std::span<const uint64_t> digests;
    if (buffer == nullptr) {
      digests = ViewedDigests(impl_->policy, keys, first, count, {});
    } else {
      ForEachTask(executor, count, kTaskKeys, [&](size_t begin, size_t size) {
        impl_->policy.Digests(keys.Subspan(first + begin, size),
                              std::span(buffer.get() + begin, size));
      });
      digests = std::span(buffer.get(), count);
    }
    impl_->store.Insert(digests, executor);
  }
}

size_t Filter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  size_t num_inserted = 0;
  ForEachChunk(impl_->policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    num_inserted += impl_->store.InsertIfAbsent(digests, inserted.data() + first / 64);
  });
  impl_->num_keys += num_inserted;
  return num_inserted;
}

size_t Filter::Impl::Query(Keys keys, uint32_t num_probes,
                           std::span<uint64_t> maybe_present) const noexcept {
  std::atomic<size_t> num_present{0};
  ForEachTask(executor.get(), keys, [&](size_t begin, Keys task_keys) {
    size_t num_here = 0;
    ForEachViewedChunk(policy, task_keys, [&](size_t first, std::span<const uint64_t> digests) {
      num_here += store.Query(digests, num_probes, maybe_present.data() + (begin + first) / 64);
    });
    num_present.fetch_add(num_here, std::memory_order_relaxed);
  });
  return num_present.load(std::memory_order_relaxed);
}

size_t Filter::Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept {
  CheckBitmap(keys, maybe_present);
  return impl_->Query(keys, geometry().num_hashes, maybe_present);
}

size_t Filter::QueryFirst(Keys keys, uint32_t num_probes,
                          std::span<uint64_t> maybe_present) const noexcept {
  CheckBitmap(keys, maybe_present);
  TROMMEL_CHECK(num_probes >= 1 && num_probes <= geometry().num_hashes,
                "num_probes must be between 1 and num_hashes");
  return impl_->Query(keys, num_probes, maybe_present);
}

EraseOutcome Filter::Erase(Keys keys, std::span<uint64_t> erased) noexcept {
  CheckBitmap(keys, erased);
  impl_->CheckCounters();
  EraseOutcome outcome;
  ForEachChunk(impl_->policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    outcome.num_erased += impl_->store.Erase(digests, erased.data() + first / 64);
  });
  outcome.num_refused = keys.size() - outcome.num_erased;
  impl_->TakeKeys(outcome.num_erased);
  impl_->num_refused_erases += outcome.num_refused;
  return outcome;
}

EraseOutcome Filter::Erase(Keys keys) noexcept {
  impl_->CheckCounters();
  EraseOutcome outcome;
  std::array<uint64_t, BitmapWords(kernels::kMaxChunkKeys)> erased;
  for (size_t first = 0; first < keys.size(); first += kernels::kMaxChunkKeys) {
    const size_t count = std::min(kernels::kMaxChunkKeys, keys.size() - first);
    const EraseOutcome part =
        Erase(keys.Subspan(first, count), std::span(erased).first(BitmapWords(count)));
    outcome.num_erased += part.num_erased;
    outcome.num_refused += part.num_refused;
  }
  return outcome;
}

void Filter::CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept {
  CheckCounts(keys, counts);
  impl_->CheckCounters();
  ForEachTask(impl_->executor.get(), keys, [&](size_t begin, Keys task_keys) {
    ForEachViewedChunk(
        impl_->policy, task_keys, [&](size_t first, std::span<const uint64_t> digests) {
          impl_->store.CountEstimates(digests, counts.subspan(begin + first, digests.size()));
        });
  });
}

// --- One key.

void Filter::Insert(Key key) noexcept {
  const uint64_t digest = impl_->policy(key);
  impl_->store.Insert(std::span(&digest, 1));
  impl_->num_keys += 1;
}

bool Filter::InsertIfAbsent(Key key) noexcept {
  const uint64_t digest = impl_->policy(key);
  uint64_t inserted = 0;
  impl_->num_keys += impl_->store.InsertIfAbsent(std::span(&digest, 1), &inserted);
  return inserted != 0;
}

bool Filter::MayContain(Key key) const noexcept {
  return impl_->store.MayContain(impl_->policy(key));
}

bool Filter::Erase(Key key) noexcept {
  impl_->CheckCounters();
  const uint64_t digest = impl_->policy(key);
  uint64_t erased = 0;
  impl_->TakeKeys(impl_->store.Erase(std::span(&digest, 1), &erased));
  impl_->num_refused_erases += 1 - erased;
  return erased != 0;
}

uint64_t Filter::CountEstimate(Key key) const noexcept {
  impl_->CheckCounters();
  const uint64_t digest = impl_->policy(key);
  uint64_t count = 0;
  impl_->store.CountEstimates(std::span(&digest, 1), std::span(&count, 1));
  return count;
}

// --- What it is.

void Filter::Clear() noexcept {
  impl_->store.Clear();
  impl_->num_keys = 0;
  impl_->num_refused_erases = 0;
}

void Filter::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  impl_->executor = std::move(executor);
}

const ArrayGeometry& Filter::geometry() const noexcept { return impl_->store.geometry(); }
const DigestPolicy& Filter::digest_policy() const noexcept { return impl_->policy; }
uint64_t Filter::capacity() const noexcept { return impl_->capacity; }
double Filter::target_fpr() const noexcept { return impl_->target_fpr; }
uint64_t Filter::num_keys() const noexcept { return impl_->num_keys; }

std::vector<uint64_t> Filter::CounterHistogram() const {
  std::vector<uint64_t> histogram(geometry().max_count() + 1, 0);
  for (size_t s = 0; s < geometry().num_slices(); ++s) {
    const std::vector<uint64_t> of_slice = impl_->store.Histogram(s);
    for (size_t c = 0; c < histogram.size(); ++c) histogram[c] += of_slice[c];
  }
  return histogram;
}

Stats Filter::GetStats() const {
  const PositionStore& store = impl_->store;
  const bool is_counting = geometry().kind != Kind::kBloom;
  Stats stats;
  stats.num_keys = impl_->num_keys;
  stats.num_bytes = geometry().num_bytes();
  for (size_t s = 0; s < geometry().num_slices(); ++s) stats.slice_fills.push_back(store.Fill(s));
  stats.fill_ratio = std::accumulate(stats.slice_fills.begin(), stats.slice_fills.end(), 0.0) /
                     static_cast<double>(stats.slice_fills.size());
  stats.current_fpr = store.FillProduct(geometry().num_hashes);
  stats.predicted_fpr = PredictedFpr(geometry(), impl_->num_keys);
  stats.num_stuck = is_counting ? CounterHistogram().back() : 0;
  stats.num_lost_increments = is_counting ? store.num_lost() : 0;
  stats.num_refused_erases = impl_->num_refused_erases;
  return stats;
}

uint32_t Filter::ProbesFor(double target_fpr) const noexcept {
  for (uint32_t probes = 1; probes < geometry().num_hashes; ++probes) {
    if (impl_->store.FillProduct(probes) <= target_fpr) return probes;
  }
  return geometry().num_hashes;
}

}  // namespace trommel::classic
