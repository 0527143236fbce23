// GrowingEngine: a scalable filter's keys, or those of a set of attributes, in one store that
// grows (GrowingStore).
//
// Each of the store's shards is a lock range. An update holds its shard's lock and grows the shard
// under it; queries take none. Why a query misses no key stands in growing/growing_shard.h. What is
// done to one key is linearizable: all that it depends on, its value, its count and the size of
// its shard, changes under the one lock.
//
// *Same bytes.* A shard's contents follow from the updates of its own keys, in order. A batch is
// cut by shard in input order (batches/update_batch.h), so its split does not matter.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GROWING_ENGINE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GROWING_ENGINE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "engine/src/batches/update_batch.h"
#include "engine/src/blocks/shortfalls.h"
#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "engine/src/growing/growing_store.h"
#include "engine/src/scalable/growth_plan.h"
#include "engine/src/sync/range_locks.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

struct GrowingNumbers;

class GrowingEngine {
 public:
  // What a batch needs beside its keys.
  struct Context {
    const DigestPolicy& policy;
    Executor* executor = nullptr;  // null: the calling thread only
  };

  // Empty. Fails as GrowingStore::Create.
  // Of a part the caller shifts digests (GrowthPlan), and `memory` is that of all parts.
  static Result<std::unique_ptr<GrowingEngine>> Create(
      const ScalableConfig& config, const GrowthPlan& plan, bool has_first_size = true,
      std::shared_ptr<GrowingMemory> memory = nullptr);

  // Updates. The bits of the keys that were inserted or erased are set in `answers`: a word for
  // every 64 keys, zero before; empty if no answers are wanted. Erase returns how many were.
  InsertOutcome Insert(const Context& context, Keys keys, bool only_if_absent,
                       std::span<uint64_t> answers) noexcept;
  uint64_t Erase(const Context& context, Keys keys, std::span<uint64_t> answers) noexcept;
  // Notes which of the ascending digests could not be erased if all of them were
  // (blocks/shortfalls.h). Takes locks one by one. May throw std::bad_alloc.
  void FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const;
  // As ScalableFilter's. None but CountEstimates takes a lock.
  size_t Query(const Context& context, Keys keys, std::span<uint64_t> maybe_present) const noexcept;
  size_t Select(const Context& context, Keys keys, Answer answer,
                std::span<uint32_t> selection) const noexcept;
  void CountEstimates(const Context& context, Keys keys, std::span<uint64_t> counts) const noexcept;
  bool MayContain(uint64_t digest) const noexcept;
  void Prefetch(uint64_t digest) const noexcept { store_->FetchAhead({&digest, 1}); }

  // As ScalableFilter's of these names, but for refused erasures, which the filter counts.
  uint64_t num_keys() const noexcept { return locks_.num_keys(); }
  uint64_t largest_capacity() const noexcept { return plan_.largest_capacity(); }
  GrowthForecast ForecastAt(uint64_t num_keys) const;
  uint64_t NextBytes() const { return store_->NextBytes(); }
  ScalableStats GetStats() const;
  ScalableFill MeasureFill() const;

  // Exclusive.
  Status LimitSideMemory(uint64_t limit_bytes);
  void Clear();
  // May throw std::bad_alloc.
  Status WriteTo(FileWriter& file) const;

  // --- While nothing changes.

  // Sets bit i of `held` iff the filter holds a key with the value of digest i, also where a query
  // cannot tell; returns how many it set.
  size_t QueryExactly(std::span<const uint64_t> digests, std::span<uint64_t> held) const noexcept;
  bool Holds(uint64_t digest) const noexcept {
    return !store_->has_undecided() || store_->CountEstimate(digest) != 0;
  }
  // Sets scarce[i] of each of the digests, at most kMaxScarceKeys, which it holds less often than
  // they are given; leaves the others as they are. Requires that it holds each. What is not scarce
  // can be erased, whatever of the others has been.
  static constexpr size_t kMaxScarceKeys = 1'024;
  void MarkScarce(std::span<const uint64_t> digests, std::span<bool> scarce) const noexcept;

  // The store, of a part. (Updates go through the engine.)
  const GrowingStore& store() const { return *store_; }

  // Of a file. Fails as ScalableFilter::Load.
  static Result<std::unique_ptr<GrowingEngine>> Read(FileReader& file, uint64_t limit_bytes,
                                                     const DigestKey& digest_key);

  // Adds the other's keys. Fails as ScalableFilter::Merge for want of memory. Exclusive, both.
  Status Merge(const GrowingEngine& other);

  const ScalableConfig& config() const { return config_; }
  const GrowthPlan& plan() const { return plan_; }
  // What one shard holds, at some moment.
  ShardContents ReadShard(size_t shard_idx) const;
  // Of a new engine. Fails as GrowingStore::WriteShard. Exclusive.
  Status WriteShard(size_t shard_idx, const ShardContents& contents);

  // --- Parts of a file (growing_file.cc): an entry of the section `growing`, and the shards as
  // stores from first_store on.
  size_t num_shards() const { return plan_.options().num_shards(); }
  void AppendNumbers(FileWriter& file) const;
  void WriteShards(FileWriter& file, uint32_t first_store) const;
  static Result<std::unique_ptr<GrowingEngine>> ReadShards(
      FileReader& file, const GrowingNumbers& numbers, const DigestPolicy& policy,
      uint32_t first_store, uint64_t limit_bytes, std::shared_ptr<GrowingMemory> memory = nullptr);

 private:
  GrowingEngine(const ScalableConfig& config, const GrowthPlan& plan,
                std::unique_ptr<GrowingStore> store)
      : config_(config), plan_(plan), store_(std::move(store)), locks_(plan.options().shard_bits) {
    config_.executor = nullptr;
  }

  BatchTarget Target(const Context& context) const {
    return {
        .store = *store_, .policy = context.policy, .executor = context.executor, .locks = &locks_};
  }
  // The store's figures of refusals are new.
  void NoteRefusals();
  // Why insertions were refused just now, as far as figures tell.
  GrowthRefusal Refusal();

  ScalableConfig config_;  // without an executor
  GrowthPlan plan_;
  std::unique_ptr<GrowingStore> store_;
  mutable RangeLocks locks_;  // one for each shard
  // When Refusal was last asked for.
  std::atomic<uint64_t> num_refused_by_side_{0};
  std::atomic<uint64_t> num_refused_by_size_{0};
};

// Distinct keys and copies of what a shard holds.
uint64_t KeysOf(const ShardContents& contents);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GROWING_ENGINE_H_
