#include "engine/src/scalable/growing_engine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "engine/src/base/memory_limit.h"
#include "engine/src/batches/erase_all.h"
#include "engine/src/batches/query_batch.h"
#include "engine/src/batches/update_batch.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
namespace {

// How often values are among some digests. Values are the first bits of digests.
class Claims {
 public:
  explicit Claims(uint32_t shift) : shift_(shift) {}

  // Returns where the digest's value is counted, which counts one more.
  uint16_t Add(uint64_t digest) {
    const uint64_t value = digest >> shift_;
    size_t at = (value * 0x9e3779b97f4a7c15) >> (64 - kSlotBits);
    while (counts_[at] != 0 && values_[at] != value) at = (at + 1) % kSlots;
    values_[at] = value;
    counts_[at] += 1;
    return static_cast<uint16_t>(at);
  }
  uint64_t operator[](uint16_t at) const { return counts_[at]; }

 private:
  static constexpr uint32_t kSlotBits = 11;
  static constexpr size_t kSlots = size_t{1} << kSlotBits;
  static_assert(kSlots >= 2 * GrowingEngine::kMaxScarceKeys);

  uint32_t shift_;
  std::array<uint64_t, kSlots> values_;
  std::array<uint16_t, kSlots> counts_{};
};

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

Result<std::unique_ptr<GrowingEngine>> GrowingEngine::Create(
    const ScalableConfig& config, const GrowthPlan& plan, bool has_first_size,
    std::shared_ptr<GrowingMemory> memory) {
  GrowingOptions options = plan.options();
  options.limit_bytes = config.memory_limit_bytes;
  Result<std::unique_ptr<GrowingStore>> store =
      GrowingStore::Create(options, has_first_size, std::move(memory));
  if (!store.ok()) return store.error();
  if (config.side_memory_limit_bytes != 0) {
    const Status limited =
        LimitSideOf(**store, config.side_memory_limit_bytes, config.memory_limit_bytes);
    if (!limited.ok()) return limited.error();
  }
  return std::unique_ptr<GrowingEngine>(new GrowingEngine(config, plan, *std::move(store)));
}

InsertOutcome GrowingEngine::Insert(const Context& context, Keys keys, bool only_if_absent,
                                    std::span<uint64_t> answers) noexcept {
  const Update update = only_if_absent ? Update::kInsertIfAbsent : Update::kInsert;
  const UpdateOutcome updated = UpdateBatch(Target(context), update, keys, answers);
  InsertOutcome outcome{.num_inserted = updated.num_applied, .num_refused = updated.num_refused};
  if (outcome.num_refused != 0) outcome.refusal = Refusal();
  return outcome;
}

uint64_t GrowingEngine::Erase(const Context& context, Keys keys,
                              std::span<uint64_t> answers) noexcept {
  return UpdateBatch(Target(context), Update::kErase, keys, answers).num_applied;
}

void GrowingEngine::FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const {
  ForEachRange(digests, locks_.lock_bits(),
               [&](size_t shard_idx, std::span<const uint64_t> of_shard) {
                 const RangeLocks::Held held = locks_.Hold(shard_idx, locks_.lock_bits());
                 store_->FindMissing(of_shard, shortfalls);
               });
}

size_t GrowingEngine::Query(const Context& context, Keys keys,
                            std::span<uint64_t> maybe_present) const noexcept {
  return QueryBatch(Target(context), keys, maybe_present);
}

size_t GrowingEngine::Select(const Context& context, Keys keys, Answer answer,
                             std::span<uint32_t> selection) const noexcept {
  return SelectBatch(Target(context), keys, answer == Answer::kMaybePresent, selection);
}

void GrowingEngine::CountEstimates(const Context& context, Keys keys,
                                   std::span<uint64_t> counts) const noexcept {
  CountBatch(Target(context), keys, counts);
}

bool GrowingEngine::MayContain(uint64_t digest) const noexcept {
  return store_->MayContain(digest);
}

size_t GrowingEngine::QueryExactly(std::span<const uint64_t> digests,
                                   std::span<uint64_t> held) const noexcept {
  const DigestPolicy policy{.kind = DigestKind::kCaller};
  size_t num_held = Query({.policy = policy}, Keys::Digests(digests), held);
  if (!store_->has_undecided()) return num_held;
  for (size_t i = 0; i < digests.size(); ++i) {
    const uint64_t bit = uint64_t{1} << (i % 64);
    if ((held[i / 64] & bit) == 0 || store_->CountEstimate(digests[i]) != 0) continue;
    held[i / 64] ^= bit;
    num_held -= 1;
  }
  return num_held;
}

// A shard that keeps digests may tell digests of one value apart: then more are marked than are
// scarce, which costs time alone.
void GrowingEngine::MarkScarce(std::span<const uint64_t> digests,
                               std::span<bool> scarce) const noexcept {
  Claims claims(64 - GrowingStore::kShardBits - plan_.options().value_bits);
  std::array<uint16_t, kMaxScarceKeys> places;
  for (size_t i = 0; i < digests.size(); ++i) places[i] = claims.Add(digests[i]);
  uint64_t counted = ~digests[0];
  uint64_t count = 0;
  for (size_t i = 0; i < digests.size(); ++i) {
    const uint64_t num_claims = claims[places[i]];
    if (num_claims == 1) continue;
    if (digests[i] != counted) {
      counted = digests[i];
      count = store_->CountEstimate(counted);
    }
    scarce[i] |= count < num_claims;
  }
}

Status GrowingEngine::LimitSideMemory(uint64_t limit_bytes) {
  Status limited = LimitSideOf(*store_, limit_bytes, config_.memory_limit_bytes);
  if (limited.ok()) config_.side_memory_limit_bytes = limit_bytes;
  return limited;
}

void GrowingEngine::Clear() {
  store_->Clear();
  locks_.ForgetKeys();
  NoteRefusals();
}

ShardContents GrowingEngine::ReadShard(size_t shard_idx) const {
  const RangeLocks::Held held = locks_.Hold(shard_idx, locks_.lock_bits());
  return store_->ReadShard(shard_idx);
}

Status GrowingEngine::WriteShard(size_t shard_idx, const ShardContents& contents) {
  RangeLocks::Held held = locks_.Hold(shard_idx, locks_.lock_bits());
  if (Status written = store_->WriteShard(shard_idx, contents); !written.ok()) return written;
  store_->FreeReplaced();  // else there would be what was replaced of all shards
  held.AddKeys(KeysOf(contents));
  return Ok();
}

void GrowingEngine::NoteRefusals() {
  const GrowingFigures figures = store_->Figures();
  num_refused_by_side_.store(figures.num_refused_by_side, std::memory_order_relaxed);
  num_refused_by_size_.store(figures.num_refused_by_size, std::memory_order_relaxed);
}

GrowthRefusal GrowingEngine::Refusal() {
  const GrowingFigures figures = store_->Figures();
  const uint64_t num_by_side = figures.num_refused_by_side;
  if (num_refused_by_side_.exchange(num_by_side, std::memory_order_relaxed) != num_by_side) {
    return store_->side_memory_limit_bytes() != 0 ? GrowthRefusal::kSideMemoryLimit
                                                  : GrowthRefusal::kOutOfMemory;
  }
  const uint64_t num_by_size = figures.num_refused_by_size;
  return num_refused_by_size_.exchange(num_by_size, std::memory_order_relaxed) != num_by_size
             ? GrowthRefusal::kLargestCapacity
             : GrowthRefusal::kMemoryLimit;
}

Status GrowingEngine::Merge(const GrowingEngine& other) {
  if (Status merged = store_->Merge(*other.store_); !merged.ok()) return merged;
  NoteRefusals();  // the store is another one
  for (size_t s = 0; s < num_shards(); ++s) {
    const uint64_t num_added = other.locks_.Hold(s, locks_.lock_bits()).num_keys();
    locks_.Hold(s, locks_.lock_bits()).AddKeys(num_added);
  }
  return Ok();
}

}  // namespace trommel
