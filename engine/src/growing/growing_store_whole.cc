// Whole growing stores: cleared, merged, limited, and what they tell of themselves.
#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/base/out_of_range.h"
#include "engine/src/growing/growing_directory.h"
#include "engine/src/growing/growing_memory.h"
#include "engine/src/growing/growing_shard.h"
#include "engine/src/growing/growing_store.h"

namespace trommel {

// --- Whole stores.

void GrowingStore::Clear() noexcept {
  for (size_t i = 0; i < shards_.size(); ++i) {
    const RangeVersions::Update change(versions_, i);
    shards_[i]->Clear();
  }
  num_interrupted_queries_.store(0, std::memory_order_relaxed);
  FreeReplaced();
}

namespace {

// The values of digests.
ShardContents ValuesOf(const ShardContents& digests, uint32_t value_bits) {
  ShardContents values{.keeps_digests = false, .keys = {}, .further = {}};
  const auto add = [&](uint64_t value, uint64_t count) {
    auto& further = values.further;
    if (!further.empty() && further.back().value == value) {
      further.back().count += count;
    } else {
      further.push_back({value, count});
    }
  };
  auto further = digests.further.begin();
  for (const uint64_t digest : digests.keys) {
    const uint64_t value = digest >> (64 - value_bits);
    if (!values.keys.empty() && values.keys.back() == value) {
      add(value, 1);
    } else {
      values.keys.push_back(value);
    }
    if (further != digests.further.end() && further->value == digest) {
      add(value, (further++)->count);
    }
  }
  return values;
}

// Both together. Requires that both keep digests, or both values.
ShardContents Sum(const ShardContents& a, const ShardContents& b) {
  ShardContents sum{.keeps_digests = a.keeps_digests, .keys = {}, .further = {}};
  sum.keys.reserve(a.keys.size() + b.keys.size());
  auto in_b = b.keys.begin();
  auto further_a = a.further.begin();
  auto further_b = b.further.begin();
  const auto take = [](auto& at, const auto& of, uint64_t key) {
    return at != of.further.end() && at->value == key ? (at++)->count : uint64_t{0};
  };
  const auto add = [&](uint64_t key, uint64_t num_further) {
    sum.keys.push_back(key);
    if (num_further > 0) sum.further.push_back({key, num_further});
  };
  for (const uint64_t key : a.keys) {
    for (; in_b != b.keys.end() && *in_b < key; ++in_b) add(*in_b, take(further_b, b, *in_b));
    uint64_t num_further = take(further_a, a, key);
    if (in_b != b.keys.end() && *in_b == key) {
      num_further += 1 + take(further_b, b, key);
      ++in_b;
    }
    add(key, num_further);
  }
  for (; in_b != b.keys.end(); ++in_b) add(*in_b, take(further_b, b, *in_b));
  return sum;
}

}  // namespace

Status GrowingStore::Merge(const GrowingStore& other) try {
  std::unique_ptr<GrowingStore> merged(new GrowingStore(options_, nullptr));
  const Error refused{ErrorCode::kOutOfMemory,
                      "the merged filter needs more than max_capacity, memory_limit_bytes, "
                      "side_memory_limit_bytes or the system allow"};
  *merged->limits_ = *limits_;
  merged->side_limit_bytes_ = side_limit_bytes_;
  if (!merged->directory_->Begin()) return refused;
  for (size_t i = 0; i < shards_.size(); ++i) {
    GrowingShard& shard = *merged->shards_[i];
    if (!shard.Begin(false) || !shard.PrepareSideLimit(limits_->side_bytes)) return refused;
    shard.TakeSideLimit();
    ShardContents mine = ReadShard(i);
    ShardContents others = other.ReadShard(i);
    const bool are_digests = mine.keeps_digests && others.keeps_digests &&
                             mine.keys.size() + others.keys.size() <= ladder_->max_digests();
    if (!are_digests && mine.keeps_digests) mine = ValuesOf(mine, options_.value_bits);
    if (!are_digests && others.keeps_digests) others = ValuesOf(others, options_.value_bits);
    ShardContents sum = Sum(mine, others);
    if (sum.keys.empty()) continue;
    const GrowthLevel& last = (*ladder_)[ladder_->num_levels() - 1];
    if (sum.keys.size() > GrowingShard::FullAt(last)) return refused;
    if (Status written = shard.WriteContents(sum); !written) return refused;
    merged->FreeReplaced();
  }
  limits_.swap(merged->limits_);
  ladder_.swap(merged->ladder_);
  memory_.swap(merged->memory_);
  directory_.swap(merged->directory_);
  shards_.swap(merged->shards_);
  return Ok();
} catch (const std::bad_alloc&) {
  return OutOfMemoryError(
      "there is no memory for the merged filter, which is made beside this one");
}

ShardContents GrowingStore::ReadShard(size_t shard_idx) const {
  return shards_[shard_idx]->ReadContents();
}

Status GrowingStore::WriteShard(size_t shard_idx, const ShardContents& contents) {
  const RangeVersions::Update change(versions_, shard_idx);
  return shards_[shard_idx]->WriteContents(contents);
}

// --- Figures.

UpdateCost GrowingStore::update_cost() const {
  uint64_t num_blocks = 0;
  for (const auto& shard : shards_) num_blocks += shard->figures().num_blocks.Get();
  // Digests are like the blocks that they will become.
  num_blocks = std::max<uint64_t>(num_blocks, shards_.size() * 64);
  return {.range_bits = options_.shard_bits,
          .num_blocks = num_blocks,
          .has_many_lines = true,
          .num_bytes = 64 * num_blocks};
}

GrowingFigures GrowingStore::FiguresOf(size_t shard_idx) const {
  const GrowingShard::Figures& figures = shards_[shard_idx]->figures();
  return {.num_entries = figures.num_entries.Get(),
          .num_blocks = figures.num_blocks.Get(),
          .num_digest_shards = uint64_t{figures.num_blocks.Get() == 0},
          .num_marked = figures.num_marked.Get(),
          .undecided_bins = figures.undecided_bins.Get(),
          .num_bins = figures.num_bins.Get(),
          .num_slots = figures.num_slots.Get(),
          .block_bytes = 0,
          .side_table_bytes = figures.side_bytes.Get(),
          .level = figures.level.Get(),
          .most_level = figures.level.Get(),
          .num_refused_inserts = figures.num_refused_inserts.Get(),
          .num_refused_by_side = figures.num_refused_by_side.Get(),
          .num_refused_by_size = figures.num_refused_by_size.Get(),
          .num_refused_growths = figures.num_refused_growths.Get(),
          .num_interrupted_queries = 0};
}

GrowingFigures GrowingStore::Figures() const {
  GrowingFigures sum{.level = ladder_->num_levels()};
  for (size_t s = 0; s < shards_.size(); ++s) {
    const GrowingFigures of_shard = FiguresOf(s);
    sum.num_entries += of_shard.num_entries;
    sum.num_blocks += of_shard.num_blocks;
    sum.num_digest_shards += of_shard.num_digest_shards;
    sum.num_marked += of_shard.num_marked;
    sum.undecided_bins += of_shard.undecided_bins;
    sum.num_bins += of_shard.num_bins;
    sum.num_slots += of_shard.num_slots;
    sum.side_table_bytes += of_shard.side_table_bytes;
    sum.level = std::min(sum.level, of_shard.level);
    sum.most_level = std::max(sum.most_level, of_shard.level);
    sum.num_refused_inserts += of_shard.num_refused_inserts;
    sum.num_refused_by_side += of_shard.num_refused_by_side;
    sum.num_refused_by_size += of_shard.num_refused_by_size;
    sum.num_refused_growths += of_shard.num_refused_growths;
  }
  sum.block_bytes = num_bytes();
  sum.num_interrupted_queries = num_interrupted_queries_.load(std::memory_order_relaxed);
  return sum;
}

uint64_t GrowingStore::num_entries() const {
  uint64_t num_entries = 0;
  for (const auto& shard : shards_) num_entries += shard->figures().num_entries.Get();
  return num_entries;
}

uint64_t GrowingStore::num_bytes() const {
  if (!shares_memory_) return memory_->num_bytes();
  uint64_t num_bytes = 0;
  for (const auto& shard : shards_) num_bytes += shard->figures().num_bytes.Get();
  return num_bytes;
}

uint64_t GrowingStore::huge_page_bytes() const {
  return shares_memory_ ? 0 : memory_->HugePageBytes();
}

Status GrowingStore::LimitSideMemory(uint64_t limit_bytes) try {
  constexpr uint64_t kLeastNodes = 4;  // of a shard
  const uint64_t least = 2 * shards_.size() * kLeastNodes * DigestCopies::kNodeBytes;
  if (limit_bytes != 0 && limit_bytes < least) {
    return OutOfRange("side_memory_limit_bytes", limit_bytes,
                      "0 (no limit) or at least " + std::to_string(least));
  }
  for (size_t s = 0; s < shards_.size(); ++s) {
    if (shards_[s]->PrepareSideLimit(limit_bytes / shards_.size())) continue;
    for (size_t t = 0; t < s; ++t) {
      // More than before, or as much: what was is there.
      (void)shards_[t]->PrepareSideLimit(limits_->side_bytes);
      shards_[t]->DropSideLimit();
    }
    return Error{ErrorCode::kOutOfMemory,
                 "side_memory_limit_bytes is " + std::to_string(limit_bytes) +
                     ", and the keys that are in need more, or the system refused it"};
  }
  side_limit_bytes_ = limit_bytes;
  limits_->side_bytes = limit_bytes / shards_.size();
  const uint64_t all_bytes = MemoryLimit(options_.limit_bytes);
  limits_->most_bytes = (all_bytes - std::min(all_bytes, limit_bytes)) / shards_.size();
  for (const auto& shard : shards_) shard->TakeSideLimit();
  return Ok();
} catch (const std::bad_alloc&) {  // of a message: nothing has changed
  return OutOfMemoryError("the system refused side memory");
}

uint64_t GrowingStore::NextBytes() const {
  uint64_t least = 0;
  for (const auto& shard : shards_) {
    const uint64_t num_bytes = shard->figures().next_bytes.Get();
    if (num_bytes != 0 && (least == 0 || num_bytes < least)) least = num_bytes;
  }
  return least;
}

void GrowingStore::FreeReplaced() noexcept { memory_->Drain(); }

}  // namespace trommel
