#include "engine/src/growing/growing_store.h"

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/base/out_of_range.h"
#include "engine/src/growing/growing_directory.h"
#include "engine/src/growing/growing_memory.h"
#include "engine/src/growing/growing_shard.h"
#include "kernels/group_versions.h"
#include "kernels/targets.h"

namespace trommel {

using kernels::OneFate;

static_assert(GrowingStore::kShardBits == kernels::kGrowingShardBits);
static_assert(GrowingStore::kLeastFirstBits == kernels::kMinSegmentBits);
// A code keeps a bit at least; and y has the last block's key.
static_assert(GrowingStore::kMostDoublings < kernels::kGrowingKeyBits);
static_assert(GrowingStore::kMostFirstBits + GrowingStore::kMostDoublings +
                  kernels::kGrowingKeyBits <=
              64 - kernels::kGrowingShardBits);

GrowingStore::GrowingStore(const GrowingOptions& options)
    : options_(options),
      limits_(std::make_unique<GrowthLimits>()),
      memory_(std::make_unique<GrowingMemory>()),
      directory_(std::make_unique<GrowingDirectory>(*memory_)) {
  limits_->first_bits = options.first_bits;
  limits_->most_doublings = options.most_doublings;
  limits_->most_bytes = MemoryLimit(options.limit_bytes) / kNumShards;
  for (size_t i = 0; i < kNumShards; ++i) {
    shards_[i] = std::make_unique<GrowingShard>(i, *limits_, *memory_, *directory_);
  }
}

GrowingStore::~GrowingStore() = default;

uint64_t GrowingStore::BytesAt(uint32_t depth) {
  return kNumShards * GrowingShard::BytesAt(depth, 0);
}

uint64_t GrowingStore::KeysBefore(uint32_t first_bits, uint32_t num_doublings) {
  const uint32_t depth = first_bits + num_doublings;
  return kNumShards * GrowingShard::SplitsAt(depth, GrowingShard::NumSegments(depth) - 1);
}

Result<std::unique_ptr<GrowingStore>> GrowingStore::Create(const GrowingOptions& options) {
  if (options.first_bits < kLeastFirstBits || options.first_bits > kMostFirstBits) {
    return Error{ErrorCode::kInvalidArgument, "first_bits must be between " +
                                                  std::to_string(kLeastFirstBits) + " and " +
                                                  std::to_string(kMostFirstBits) + "; got " +
                                                  std::to_string(options.first_bits)};
  }
  if (options.most_doublings > kMostDoublings) {
    return Error{ErrorCode::kInvalidArgument, "most_doublings must be at most " +
                                                  std::to_string(kMostDoublings) + "; got " +
                                                  std::to_string(options.most_doublings)};
  }
  if (Status fits = CheckMemoryLimit("the filter's first blocks need", BytesAt(options.first_bits),
                                     options.limit_bytes);
      !fits) {
    return fits.error();
  }
  kernels::UseKernels<kernels::AddGrowing>();
  (void)kernels::ActiveKernels();  // shards require it
  const Error refused{ErrorCode::kOutOfMemory, "the system refused the filter's first memory"};
  try {
    std::unique_ptr<GrowingStore> store(new GrowingStore(options));
    if (!store->directory_->Begin()) return refused;
    for (auto& shard : store->shards_) {
      if (!shard->Begin()) return refused;
    }
    return store;
  } catch (const std::bad_alloc&) {
    return refused;
  }
}

// --- Updates.

uint64_t GrowingStore::ApplyNoting(Update update, const uint64_t* digests,
                                   const kernels::DigestRange& range, uint64_t* answers,
                                   uint64_t* refused) {
  uint64_t num_refused = 0;
  for (size_t begin = range.begin; begin < range.end;) {
    const uint64_t shard_idx = kernels::ShardOf(digests[begin]);
    size_t end = begin + 1;
    while (end < range.end && kernels::ShardOf(digests[end]) == shard_idx) ++end;
    const kernels::DigestRange keys{begin, end, std::max(begin, range.fetched),
                                    std::max(range.end, range.fetch_end)};
    const RangeVersions::Update change(versions_, shard_idx);
    num_refused += shards_[shard_idx]->Apply(update, digests, keys, answers, refused);
    begin = end;
  }
  return num_refused;
}

Fate GrowingStore::UpdateOne(Update update, uint64_t digest) {
  const RangeVersions::Update change(versions_, kernels::ShardOf(digest));
  return ShardOf(digest).UpdateOne(update, digest);
}

void GrowingStore::FetchAhead(std::span<const uint64_t> digests) const {
  // Directories may be replaced meanwhile: it is called before the lock is taken.
  const GracePeriods::Reader reader = memory_->Enter();
  kernels::ChosenKernels().growing.fetch(digests.data(), digests.size(), directory_->blocks());
}

// --- Queries.

size_t GrowingStore::Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const {
  std::array<uint32_t, kernels::kMaxChunkKeys> unsure;
  size_t num_present = 0;
  for (size_t first = 0; first < digests.size(); first += unsure.size()) {
    const auto chunk = digests.subspan(first, std::min(unsure.size(), digests.size() - first));
    uint64_t* bits = maybe_present + first / 64;
    const GracePeriods::Reader reader = memory_->Enter();
    const size_t num_unsure = QueryChunk(chunk, bits, unsure.data());
    constexpr size_t kDistance = 16;
    for (size_t i = 0; i < num_unsure + kDistance; ++i) {
      if (i < num_unsure) FetchElsewhere(chunk[unsure[i]]);
      if (i < kDistance) continue;
      const uint32_t key_idx = unsure[i - kDistance];
      bits[key_idx / 64] |= uint64_t{HoldsBesideUpdates(chunk[key_idx])} << (key_idx % 64);
    }
    for (size_t w = 0; w < (chunk.size() + 63) / 64; ++w) {
      num_present += static_cast<size_t>(std::popcount(bits[w]));
    }
  }
  return num_present;
}

size_t GrowingStore::QueryChunk(std::span<const uint64_t> chunk, uint64_t* shown,
                                uint32_t* unsure) const {
  const kernels::GrowingKernels& kernels = kernels::ChosenKernels().growing;
  const kernels::GrowingBlocks blocks = directory_->blocks();
  const bool has_segments = directory_->has_segments();
  size_t num_unsure = 0;
  const bool is_read = chunk.size() >= RangeVersions::kLeastKeys && versions_.ReadAtOnce([&] {
    if (!has_segments) {
      num_unsure = kernels.query_tables_at_once(chunk.data(), chunk.size(), directory_->tables(),
                                                shown, unsure);
      return;
    }
    num_unsure = kernels.query_at_once(chunk.data(), chunk.size(), blocks, shown, unsure);
    // Many: of shards that keep digests.
    if (num_unsure > chunk.size() / 16) num_unsure = AskTables(chunk, shown, unsure, num_unsure);
  });
  if (is_read) return num_unsure;
  if (has_segments) return kernels.query(chunk.data(), chunk.size(), blocks, shown, unsure);
  std::fill_n(shown, (chunk.size() + 63) / 64, 0);
  std::iota(unsure, unsure + chunk.size(), 0U);
  return chunk.size();
}

size_t GrowingStore::AskTables(std::span<const uint64_t> chunk, uint64_t* shown, uint32_t* unsure,
                               size_t num_unsure) const {
  std::array<uint64_t, kernels::kMaxChunkKeys> digests{};
  std::array<uint64_t, kBitmapWords> in_tables;
  std::array<uint32_t, kernels::kMaxChunkKeys> left;  // indices of `unsure`
  for (size_t i = 0; i < num_unsure; ++i) digests[i] = chunk[unsure[i]];
  const size_t num_left = kernels::ChosenKernels().growing.query_tables_at_once(
      digests.data(), num_unsure, directory_->tables(), in_tables.data(), left.data());
  for (size_t i = 0; i < num_unsure; ++i) {
    shown[unsure[i] / 64] |= (in_tables[i / 64] >> (i % 64) & 1) << (unsure[i] % 64);
  }
  for (size_t i = 0; i < num_left; ++i) unsure[i] = unsure[left[i]];
  return num_left;
}

bool GrowingStore::MayContain(uint64_t digest) const noexcept {
  const GracePeriods::Reader reader = memory_->Enter();
  const OneFate fate = kernels::ChosenKernels().growing.query_one(digest, directory_->blocks());
  if (fate != OneFate::kSpill) [[likely]]
    return fate == OneFate::kDone;
  return HoldsBesideUpdates(digest);
}

void GrowingStore::FetchElsewhere(uint64_t digest) const {
  const uint64_t word = directory_->WordOf(digest);
  const uint64_t y = kernels::BitsInShard(digest);
  DigestTable table;
  if (directory_->IsSegment(word)) {
    const Segment segment(word);
    __builtin_prefetch(&segment.LineOf(segment.IndexOf(y)));
  } else if (directory_->LoadTable(digest, table)) {
    table.Prefetch(WholeString(y));
  }
}

// The whole query anew: the key may be anywhere now.
bool GrowingStore::HoldsBesideUpdates(uint64_t digest) const {
  const kernels::GrowingKernels& kernels = kernels::ChosenKernels().growing;
  const uint64_t y = kernels::BitsInShard(digest);
  for (int i = 0; i < kMaxReads; ++i) {
    const uint64_t word = directory_->WordOf(digest);
    if (!directory_->IsSegment(word)) {
      DigestTable table;
      if (!directory_->LoadTable(digest, table)) continue;  // it has segments by now
      const DigestTable::Answer answer = table.Query(WholeString(y));
      if (answer != DigestTable::Answer::kChanged) return answer == DigestTable::Answer::kIn;
      continue;
    }
    const Segment segment(word);
    const uint64_t idx = segment.IndexOf(y);
    const uint32_t key = kernels::GrowingKey(y, segment.depth());
    kernels::GroupReads<1> reads;
    reads.Add(0, segment.VersionOf(idx), 0);
    reads.Begin(0, 1);
    if (kernels.shows(segment.BlockAt(idx), key)) return true;
    const bool is_marked = kernels::IsMarkedBesideUpdates(segment.BlockAt(idx));
    if (is_marked && BlockStrings::MayHoldElsewhere(segment, idx, key)) return true;
    if (reads.Changed(0, 1) == 0) return false;
  }
  num_interrupted_queries_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

uint64_t GrowingStore::CountEstimate(uint64_t digest) const {
  return ShardOf(digest).CountEstimate(digest);
}

// --- Whole stores.

void GrowingStore::Clear() noexcept {
  for (size_t i = 0; i < kNumShards; ++i) {
    const RangeVersions::Update change(versions_, i);
    shards_[i]->Clear();
  }
  num_interrupted_queries_.store(0, std::memory_order_relaxed);
  FreeReplaced();
}

std::unique_ptr<GrowingStore> GrowingStore::Copy() const try {
  std::unique_ptr<GrowingStore> copy(new GrowingStore(options_));
  copy->side_limit_bytes_ = side_limit_bytes_;
  if (!copy->memory_->JoinSame(*memory_) || !copy->directory_->Begin()) return nullptr;
  for (size_t i = 0; i < kNumShards; ++i) {
    if (!copy->shards_[i]->BeginAs(*shards_[i])) return nullptr;
  }
  *copy->limits_ = *limits_;  // what is there may be more than its part of them
  return copy;
} catch (const std::bad_alloc&) {
  return nullptr;
}

Status GrowingStore::Merge(const GrowingStore& other) {
  std::unique_ptr<GrowingStore> merged = Copy();
  if (merged == nullptr) {
    return OutOfMemoryError("there is no memory for a copy, in which the merged filter is made");
  }
  for (size_t i = 0; i < kNumShards; ++i) {
    if (!merged->shards_[i]->Merge(*other.shards_[i])) {
      return OutOfMemoryError(
          "the merged filter needs more than max_capacity, memory_limit_bytes, "
          "side_memory_limit_bytes or the system allow");
    }
    merged->FreeReplaced();
  }
  limits_.swap(merged->limits_);
  memory_.swap(merged->memory_);
  directory_.swap(merged->directory_);
  shards_.swap(merged->shards_);
  return Ok();
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
  return {.range_bits = kShardBits,
          .num_blocks = std::max<uint64_t>(num_blocks, kNumShards << kLeastFirstBits)};
}

GrowingFigures GrowingStore::FiguresOf(size_t shard_idx) const {
  const GrowingShard::Figures& figures = shards_[shard_idx]->figures();
  GrowingFigures of_shard;
  of_shard.num_entries = figures.num_entries.Get();
  of_shard.num_blocks = figures.num_blocks.Get();
  of_shard.num_digest_shards = uint64_t{of_shard.num_blocks == 0};
  of_shard.num_marked = figures.num_marked.Get();
  of_shard.num_undecided = figures.num_undecided.Get();
  of_shard.side_table_bytes = figures.side_bytes.Get();
  of_shard.num_refused_inserts = figures.num_refused_inserts.Get();
  of_shard.num_refused_by_side = figures.num_refused_by_side.Get();
  of_shard.num_refused_growths = figures.num_refused_growths.Get();
  return of_shard;
}

GrowingFigures GrowingStore::Figures() const {
  GrowingFigures sum;
  for (size_t s = 0; s < kNumShards; ++s) {
    const GrowingFigures of_shard = FiguresOf(s);
    sum.num_entries += of_shard.num_entries;
    sum.num_blocks += of_shard.num_blocks;
    sum.num_digest_shards += of_shard.num_digest_shards;
    sum.num_marked += of_shard.num_marked;
    sum.num_undecided += of_shard.num_undecided;
    sum.side_table_bytes += of_shard.side_table_bytes;
    sum.num_refused_inserts += of_shard.num_refused_inserts;
    sum.num_refused_by_side += of_shard.num_refused_by_side;
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

uint64_t GrowingStore::num_bytes() const { return memory_->num_bytes(); }

std::array<uint64_t, 16> GrowingStore::TallyOf(size_t shard_idx) const {
  return shards_[shard_idx]->Tally();
}

uint64_t GrowingStore::huge_page_bytes() const { return memory_->HugePageBytes(); }

Status GrowingStore::LimitSideMemory(uint64_t limit_bytes) try {
  constexpr uint64_t kLeastNodes = 4;  // of a shard
  constexpr uint64_t kLeast = kNumShards * kLeastNodes * SideNodes::kNodeBytes;
  const uint64_t max_nodes = limit_bytes / kNumShards / SideNodes::kNodeBytes;
  if (limit_bytes != 0 && max_nodes < kLeastNodes) {
    return OutOfRange("side_memory_limit_bytes", limit_bytes,
                      "0 (no limit) or at least " + std::to_string(kLeast));
  }
  const uint64_t nodes_before = side_limit_bytes_ / kNumShards / SideNodes::kNodeBytes;
  const std::string given = "side_memory_limit_bytes is " + std::to_string(limit_bytes);
  for (const auto& shard : shards_) {
    if (shard->IsWithinSide(max_nodes)) continue;
    return Error{ErrorCode::kOutOfMemory,
                 given + ", and the keys that are in need more: a part has space for " +
                     std::to_string(max_nodes / 2) + " entries"};
  }
  for (size_t s = 0; s < kNumShards; ++s) {
    if (shards_[s]->LimitSide(max_nodes)) continue;
    // More than before: what was is there.
    for (size_t t = 0; t < s; ++t) (void)shards_[t]->LimitSide(nodes_before);
    return Error{ErrorCode::kOutOfMemory, given + ", which the system refused"};
  }
  side_limit_bytes_ = limit_bytes;
  const uint64_t all_bytes = MemoryLimit(options_.limit_bytes);
  limits_->most_bytes = (all_bytes - std::min(all_bytes, limit_bytes)) / kNumShards;
  return Ok();
} catch (const std::bad_alloc&) {  // of a message: nothing has changed
  return OutOfMemoryError("the system refused side memory");
}

bool GrowingStore::Join(std::shared_ptr<MemoryBudget> budget) {
  return memory_->Join(std::move(budget));
}

uint64_t GrowingStore::NextBytes() const {
  uint64_t least = 0;
  for (const auto& shard : shards_) {
    const uint64_t num_bytes = shard->NextBytes();
    if (num_bytes != 0 && (least == 0 || num_bytes < least)) least = num_bytes;
  }
  return least;
}

void GrowingStore::FreeReplaced() noexcept { memory_->Drain(); }

}  // namespace trommel
