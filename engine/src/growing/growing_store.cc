#include "engine/src/growing/growing_store.h"

#include <algorithm>
#include <bit>
#include <cmath>
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
using kernels::WholeString;

GrowthLadder GrowingStore::LadderOf(const GrowingOptions& options) {
  // Shards by chance have more keys than the mean; so the first size, which is to hold them without
  // a step, has three standard deviations more.
  const auto of_shard = [&](uint64_t num_keys) {
    // A segment of several is moved up before all are full.
    if (options.shard_bits == 0) return num_keys + num_keys / 32 + 1;
    const double mean = static_cast<double>(num_keys) / kNumShards;
    return static_cast<uint64_t>(std::ceil(mean + 3 * std::sqrt(mean)));
  };
  return {options.value_bits, of_shard(options.first_capacity),
          of_shard(std::max(options.first_capacity, options.max_capacity))};
}

GrowingStore::GrowingStore(const GrowingOptions& options, std::shared_ptr<GrowingMemory> memory)
    : options_(options),
      limits_(std::make_unique<GrowthLimits>()),
      ladder_(std::make_unique<GrowthLadder>(LadderOf(options))),
      shares_memory_(memory != nullptr),
      memory_(memory != nullptr ? std::move(memory) : std::make_shared<GrowingMemory>()),
      directory_(std::make_unique<GrowingDirectory>(*memory_, options.value_bits)),
      versions_(options.shard_bits) {
  const size_t num_shards = options.num_shards();
  limits_->most_bytes = MemoryLimit(options.limit_bytes) / num_shards;
  shards_.reserve(num_shards);
  for (size_t i = 0; i < num_shards; ++i) {
    shards_.push_back(std::make_unique<GrowingShard>(i, *ladder_, *limits_, *memory_, *directory_));
  }
}

GrowingStore::~GrowingStore() = default;

Result<std::unique_ptr<GrowingStore>> GrowingStore::Create(const GrowingOptions& options,
                                                           bool has_first_size,
                                                           std::shared_ptr<GrowingMemory> memory) {
  if (options.value_bits == 0 || options.value_bits > kernels::kMaxValueBits) {
    return OutOfRange("value_bits", options.value_bits,
                      "1 to " + std::to_string(kernels::kMaxValueBits));
  }
  kernels::UseKernels<kernels::AddGrowing>();
  kernels::UseDenseKernels();
  (void)kernels::ActiveKernels();  // shards require it
  const Error refused{ErrorCode::kOutOfMemory, "the system refused the filter's first memory"};
  try {
    const GrowthLadder ladder = LadderOf(options);
    if (has_first_size && !ladder.begins_with_digests()) {
      if (Status fits = CheckMemoryLimit(
              "the filter's first blocks need",
              options.num_shards() * ladder[ladder.first_level()].num_bytes(), options.limit_bytes);
          !fits) {
        return fits.error();
      }
    }
    std::unique_ptr<GrowingStore> store(new GrowingStore(options, std::move(memory)));
    if (!store->directory_->Begin()) return refused;
    for (auto& shard : store->shards_) {
      if (!shard->Begin(has_first_size)) return refused;
    }
    return store;
  } catch (const std::bad_alloc&) {
    return refused;
  }
}

// --- Updates.

uint64_t GrowingStore::Apply(Update update, const uint64_t* digests,
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
  return MayContainInside(digest);
}

void GrowingStore::PrefetchInside(uint64_t digest) const noexcept {
  kernels::ChosenKernels().growing.fetch(&digest, 1, directory_->blocks());
}

bool GrowingStore::has_undecided() const {
  return std::ranges::any_of(
      shards_, [](const auto& shard) { return shard->figures().undecided_bins.Get() != 0; });
}

bool GrowingStore::MayContainInside(uint64_t digest) const noexcept {
  const OneFate fate = kernels::ChosenKernels().growing.query_one(digest, directory_->blocks());
  if (fate != OneFate::kSpill) [[likely]]
    return fate == OneFate::kDone;
  return HoldsBesideUpdates(digest);
}

void GrowingStore::FetchElsewhere(uint64_t digest) const {
  const uint64_t word = directory_->WordOf(digest);
  DigestTable table;
  if (directory_->IsSegment(word)) {
    const Segment segment(word);
    const auto [block_idx, key] = segment.PlaceOfDigest(digest, options_.value_bits);
    segment.range().PrefetchEntries(block_idx, key);
  } else if (directory_->LoadTable(digest, table)) {
    table.Prefetch(WholeString(kernels::BitsInShard(digest)));
  }
}

// The whole query anew: the key may be anywhere now.
bool GrowingStore::HoldsBesideUpdates(uint64_t digest) const {
  for (int i = 0; i < kMaxReads; ++i) {
    const uint64_t word = directory_->WordOf(digest);
    if (!directory_->IsSegment(word)) {
      DigestTable table;
      if (!directory_->LoadTable(digest, table)) continue;  // it has segments by now
      const DigestTable::Answer answer = table.Query(WholeString(kernels::BitsInShard(digest)));
      if (answer != DigestTable::Answer::kChanged) return answer == DigestTable::Answer::kIn;
      continue;
    }
    const Segment segment(word);
    const auto [block_idx, key] = segment.PlaceOfDigest(digest, options_.value_bits);
    kernels::GroupReads<1> reads;
    reads.Add(0, segment.versions() + block_idx / kernels::kGroupBlocks);
    reads.Begin(0, 1);
    const OneFate fate = segment.range().QueryBesideUpdates(block_idx, key);
    if (fate == OneFate::kDone) return true;
    std::optional<bool> is_above = false;
    if (fate == OneFate::kSpill) {
      is_above = segment.range().MayHoldAboveBesideUpdates(block_idx, key);
    }
    if (is_above.value_or(false)) return true;
    if (is_above && reads.Changed(0, 1) == 0) return false;
  }
  num_interrupted_queries_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

uint64_t GrowingStore::CountEstimate(uint64_t digest) const {
  return ShardOf(digest).CountEstimate(digest);
}

void GrowingStore::FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const {
  if (!digests.empty()) ShardOf(digests.front()).FindMissing(*this, digests, shortfalls);
}

}  // namespace trommel
