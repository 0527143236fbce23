// ScalableFilter: batches go to the engine that keeps the keys (growing_engine.h).
#include "trommel/scalable_filter.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/batches/erase_all.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/scalable/growing_engine.h"
#include "engine/src/scalable/growth_plan.h"
#include "engine/src/scalable/scalable_filter_impl.h"

namespace trommel {
ScalableFilter::ScalableFilter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
ScalableFilter::ScalableFilter(ScalableFilter&&) noexcept = default;
ScalableFilter& ScalableFilter::operator=(ScalableFilter&&) noexcept = default;
ScalableFilter::~ScalableFilter() = default;

Result<ScalableFilter> ScalableFilter::Create(const ScalableConfig& config) try {
  const Result<GrowthPlan> plan = GrowthPlan::Make(config);
  if (!plan.ok()) return plan.error();
  ScalableConfig made_with = config;
  made_with.first_capacity = plan->first_capacity();
  Result<std::unique_ptr<GrowingEngine>> engine = GrowingEngine::Create(made_with, *plan);
  if (!engine.ok()) return engine.error();
  return ScalableFilter(std::make_unique<Impl>(made_with, *std::move(engine)));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for the first blocks"};
}

// --- Updates.

InsertOutcome ScalableFilter::Insert(Keys keys) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Count(impl_->engine->Insert(impl_->context(), keys, false, {}));
}

InsertOutcome ScalableFilter::Insert(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  std::ranges::fill(inserted, 0);
  return impl_->Count(impl_->engine->Insert(impl_->context(), keys, false, inserted));
}

InsertOutcome ScalableFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  std::ranges::fill(inserted, 0);
  return impl_->Count(impl_->engine->Insert(impl_->context(), keys, true, inserted));
}

EraseOutcome ScalableFilter::Erase(Keys keys) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Count(keys, impl_->engine->Erase(impl_->context(), keys, {}));
}

EraseOutcome ScalableFilter::Erase(Keys keys, std::span<uint64_t> erased) noexcept {
  CheckBitmap(keys, erased);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  std::ranges::fill(erased, 0);
  return impl_->Count(keys, impl_->engine->Erase(impl_->context(), keys, erased));
}

Result<EraseOutcome> ScalableFilter::EraseAll(Keys keys, std::span<uint64_t> missing) {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  Result<EraseOutcome> outcome = EraseWholeBatch(
      impl_->config.digest, keys, missing,
      [this](std::span<const uint64_t> digests, Shortfalls& shortfalls) {
        impl_->engine->FindMissing(digests, shortfalls);
      },
      [this](Keys digests) { return impl_->engine->Erase(impl_->context(), digests, {}); });
  if (outcome.ok()) {
    impl_->num_refused_erases.fetch_add(outcome->num_refused, std::memory_order_relaxed);
  }
  return outcome;
}

// --- Queries.

size_t ScalableFilter::Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept {
  CheckBitmap(keys, maybe_present);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->Query(impl_->context(), keys, maybe_present);
}

size_t ScalableFilter::Select(Keys keys, Answer answer,
                              std::span<uint32_t> selection) const noexcept {
  CheckSelection(keys, selection);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->Select(impl_->context(), keys, answer, selection);
}

void ScalableFilter::CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept {
  CheckCounts(keys, counts);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  impl_->engine->CountEstimates(impl_->context(), keys, counts);
}

// --- One key.

bool ScalableFilter::InsertDigest(uint64_t digest) noexcept {
  return Insert(Keys::Digests(std::span(&digest, 1))).num_inserted == 1;
}

bool ScalableFilter::InsertAbsentDigest(uint64_t digest) noexcept {
  uint64_t bit = 0;
  return InsertIfAbsent(Keys::Digests(std::span(&digest, 1)), std::span(&bit, 1)).num_inserted == 1;
}

bool ScalableFilter::EraseDigest(uint64_t digest) noexcept {
  return Erase(Keys::Digests(std::span(&digest, 1))).num_erased == 1;
}

bool ScalableFilter::HasDigest(uint64_t digest) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->MayContain(digest);
}

Key ScalableFilter::Prefetch(Key key) const noexcept {
  const uint64_t digest = impl_.one().DigestOf(key);
  impl_->engine->Prefetch(digest);
  return Key::Digest(digest);
}

uint64_t ScalableFilter::CountEstimate(Key key) const noexcept {
  const uint64_t digest = impl_.one().DigestOf(key);
  uint64_t count = 0;
  CountEstimates(Keys::Digests(std::span(&digest, 1)), std::span(&count, 1));
  return count;
}

// --- Exclusive.

void ScalableFilter::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->config.executor = std::move(executor);
}

Status ScalableFilter::LimitSideMemory(uint64_t limit_bytes) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  Status limited = impl_->engine->LimitSideMemory(limit_bytes);
  if (limited.ok()) impl_->config.side_memory_limit_bytes = limit_bytes;
  return limited;
}

void ScalableFilter::Clear() {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->engine->Clear();
  impl_->num_refused_erases = 0;
  impl_->num_refused_inserts = 0;
}

Status ScalableFilter::Merge(const ScalableFilter& other) try {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  const auto mismatch = [](std::string message) {
    return Error{ErrorCode::kMismatch, std::move(message)};
  };
  const std::string difference = PolicyDifference(digest_policy(), other.digest_policy());
  if (Status good = CheckMerge(difference, num_keys(), other.num_keys()); !good) return good;
  GrowingEngine& engine = *impl_->engine;
  if (&other == this) return engine.Merge(engine);
  [[maybe_unused]] const auto other_access = other.impl_->access_check.EnterExclusive();
  const GrowingEngine& from = *other.impl_->engine;
  if (engine.plan().num_bits() != from.plan().num_bits()) {
    return mismatch("the filters keep " + std::to_string(engine.plan().num_bits()) + " and " +
                    std::to_string(from.plan().num_bits()) +
                    " bits of a key's digest, which follow from target_fpr and max_capacity");
  }
  return engine.Merge(from);
} catch (const std::bad_alloc&) {  // of a message: nothing has changed
  return OutOfMemoryError("the system refused memory for a merge");
}

}  // namespace trommel
