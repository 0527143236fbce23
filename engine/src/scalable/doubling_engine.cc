#include "engine/src/scalable/doubling_engine.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "engine/src/base/memory_limit.h"
#include "engine/src/batches/erase_all.h"
#include "engine/src/batches/query_batch.h"
#include "engine/src/batches/update_batch.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
namespace {

// A limit of side memory, which counts as memory of the filter.
Status LimitSideOf(GrowingStore& store, uint64_t limit_bytes, uint64_t memory_limit_bytes) {
  const uint64_t num_bytes = store.num_bytes();
  if (Status fits =
          CheckMemoryLimit("the filter and its side memory need",
                           num_bytes + std::min(limit_bytes, ~num_bytes), memory_limit_bytes);
      !fits.ok()) {
    return fits;
  }
  return store.LimitSideMemory(limit_bytes);
}

}  // namespace

uint64_t KeysOf(const ShardContents& contents) {
  uint64_t num_keys = contents.keys.size();
  for (const ValueCount& further : contents.further) num_keys += further.count;
  return num_keys;
}

Result<std::unique_ptr<DoublingEngine>> DoublingEngine::Create(const ScalableConfig& config,
                                                               const DoublingPlan& plan,
                                                               bool has_first_size) {
  GrowingOptions options = plan.options();
  options.limit_bytes = config.memory_limit_bytes;
  Result<std::unique_ptr<GrowingStore>> store = GrowingStore::Create(options, has_first_size);
  if (!store.ok()) return store.error();
  if (config.side_memory_limit_bytes != 0) {
    const Status limited =
        LimitSideOf(**store, config.side_memory_limit_bytes, config.memory_limit_bytes);
    if (!limited.ok()) return limited.error();
  }
  return std::unique_ptr<DoublingEngine>(new DoublingEngine(config, plan, *std::move(store)));
}

InsertOutcome DoublingEngine::Insert(const Context& context, Keys keys, bool only_if_absent,
                                     std::span<uint64_t> answers) noexcept {
  const Update update = only_if_absent ? Update::kInsertIfAbsent : Update::kInsert;
  const UpdateOutcome updated = UpdateBatch(Target(context), update, keys, answers);
  InsertOutcome outcome{.num_inserted = updated.num_applied, .num_refused = updated.num_refused};
  if (outcome.num_refused != 0) outcome.refusal = Refusal();
  return outcome;
}

uint64_t DoublingEngine::Erase(const Context& context, Keys keys,
                               std::span<uint64_t> answers) noexcept {
  return UpdateBatch(Target(context), Update::kErase, keys, answers).num_applied;
}

void DoublingEngine::FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const {
  ForEachRange(digests, locks_.lock_bits(),
               [&](size_t shard_idx, std::span<const uint64_t> of_shard) {
                 const RangeLocks::Held held = locks_.Hold(shard_idx, locks_.lock_bits());
                 store_->FindMissing(of_shard, shortfalls);
               });
}

size_t DoublingEngine::Query(const Context& context, Keys keys,
                             std::span<uint64_t> maybe_present) const noexcept {
  return QueryBatch(Target(context), keys, maybe_present);
}

size_t DoublingEngine::Select(const Context& context, Keys keys, Answer answer,
                              std::span<uint32_t> selection) const noexcept {
  return SelectBatch(Target(context), keys, answer == Answer::kMaybePresent, selection);
}

void DoublingEngine::CountEstimates(const Context& context, Keys keys,
                                    std::span<uint64_t> counts) const noexcept {
  CountBatch(Target(context), keys, counts);
}

bool DoublingEngine::MayContain(uint64_t digest) const noexcept {
  return store_->MayContain(digest);
}

Status DoublingEngine::LimitSideMemory(uint64_t limit_bytes) {
  Status limited = LimitSideOf(*store_, limit_bytes, config_.memory_limit_bytes);
  if (limited.ok()) config_.side_memory_limit_bytes = limit_bytes;
  return limited;
}

Status DoublingEngine::Clear() {
  store_->Clear();
  locks_.ForgetKeys();
  return Ok();
}

ShardContents DoublingEngine::ReadShard(size_t shard_idx) const {
  const RangeLocks::Held held = locks_.Hold(shard_idx, GrowingStore::kShardBits);
  return store_->ReadShard(shard_idx);
}

Status DoublingEngine::WriteShard(size_t shard_idx, const ShardContents& contents) {
  RangeLocks::Held held = locks_.Hold(shard_idx, GrowingStore::kShardBits);
  if (Status written = store_->WriteShard(shard_idx, contents); !written.ok()) return written;
  store_->FreeReplaced();  // its first blocks: else there would be those of all shards
  held.AddKeys(KeysOf(contents));
  return Ok();
}

GrowthRefusal DoublingEngine::Refusal() {
  const GrowingFigures figures = store_->Figures();
  const uint64_t num_by_side = figures.num_refused_by_side;
  if (num_refused_by_side_.exchange(num_by_side, std::memory_order_relaxed) != num_by_side) {
    return store_->side_memory_limit_bytes() != 0 ? GrowthRefusal::kSideMemoryLimit
                                                  : GrowthRefusal::kOutOfMemory;
  }
  // The refusing shard is full. If shards are alike, this tells what it met.
  return figures.most_level + 1 == store_->ladder().num_levels() ? GrowthRefusal::kLargestCapacity
                                                                 : GrowthRefusal::kMemoryLimit;
}

Status DoublingEngine::Merge(const DoublingEngine& other) {
  if (Status merged = store_->Merge(*other.store_); !merged.ok()) return merged;
  for (size_t s = 0; s < GrowingStore::kNumShards; ++s) {
    const uint64_t num_added = other.locks_.Hold(s, GrowingStore::kShardBits).num_keys();
    locks_.Hold(s, GrowingStore::kShardBits).AddKeys(num_added);
  }
  return Ok();
}

}  // namespace trommel
