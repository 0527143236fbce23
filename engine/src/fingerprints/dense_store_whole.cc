// Whole dense stores: contents, merge, subtract, half and double size, figures, the limit.
#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/fingerprints/dense_store.h"
#include "engine/src/sizing/geometry_checks.h"

namespace trommel {

BlockContents DenseStore::ReadContents(uint64_t block_idx) const {
  const uint64_t of_range = blocks_per_owned_range();
  return ranges_[block_idx / of_range].range.ReadContents(block_idx % of_range);
}

Status DenseStore::Rebuild(size_t range_idx, const ContentsOf& contents_of) {
  const uint64_t of_range = blocks_per_owned_range();
  DenseRange& old = ranges_[range_idx].range;
  Result<BlockMemory> words = BlockMemory::Allocate(of_range * kernels::kFingerprintBlockWords);
  if (!words) return words.error();
  Result<DenseRange> built =
      DenseRange::Build(layout_, words->data(), of_range, old.least_lines(),
                        [&](uint64_t b) { return contents_of(range_idx * of_range + b); });
  if (!built) return built.error();
  if (limit_) {
    Result<DenseRange::SideMemory> side = built->WithLimit(limit_);
    if (!side) return side.error();
    built->Take(*std::move(side));
  }
  std::copy_n(words->data(), words->num_words(), WordsOf(range_idx));
  built->MoveTo(WordsOf(range_idx));
  old = *std::move(built);
  SetReaders(range_idx);
  ranges_[range_idx].Keep();
  return Ok();
}

Result<uint64_t> DenseStore::Adopt(const DenseRests& rests, uint64_t& bad_block) {
  constexpr uint64_t kMostKeys = (uint64_t{1} << 63) - 1;
  uint64_t num_keys = 0;
  // Sums first: what encodes contents relies on them.
  const auto are_few = [&num_keys](std::span<const BlockKey> rest) {
    return std::ranges::all_of(rest, [&num_keys](const BlockKey& entry) {
      if (entry.count > kMostKeys - num_keys) return false;
      num_keys += entry.count;
      return true;
    });
  };
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    const std::span<const BlockKey> rest = rests.RestOf(b);
    if (!are_few(rest) || !IsEncodedDense(layout_, BlockAt(b), rest)) {
      bad_block = b;
      return Error{ErrorCode::kCorrupt,
                   "a block or its rest is not what its keys make, or counts over 2^63 - 1"};
    }
    num_keys += kernels::DenseBlock(layout_, BlockAt(b)).num_keys();
  }
  if (num_keys > kMostKeys) return Error{ErrorCode::kCorrupt, "counts over 2^63 - 1"};
  for (size_t r = 0; r < ranges_.size(); ++r) {
    const auto contents_of = [&](uint64_t b) {
      const uint64_t block_idx = FirstBlockOf(r) + b;
      return DecodeDense(layout_, BlockAt(block_idx), rests.RestOf(block_idx));
    };
    Result<DenseRange> built = DenseRange::Build(layout_, WordsOf(r), blocks_per_owned_range(),
                                                 ranges_[r].range.least_lines(), contents_of);
    if (!built) return built.error();
    ranges_[r].range = *std::move(built);
    SetReaders(r);
    ranges_[r].Keep();
  }
  return num_keys;
}

bool DenseStore::WriteContents(uint64_t block_idx, const BlockContents& contents) {
  return Rebuild(block_idx / blocks_per_owned_range(),
                 [&](uint64_t b) { return b == block_idx ? contents : ReadContents(b); })
      .ok();
}

bool DenseStore::Merge(const Store& other) noexcept try {
  const ContentsOf both = [&](uint64_t b) {
    BlockContents contents = ReadContents(b);
    const BlockContents theirs = other.ReadContents(b);
    for (const BlockKey& entry : theirs) AddTo(contents, entry.key, entry.count);
    return contents;
  };
  // Into a store of its own, so that nothing changes if a limit leaves no space.
  Result<std::unique_ptr<DenseStore>> merged = Create(geometry_, 0);
  if (!merged) return false;
  (*merged)->limit_ = limit_;
  for (size_t r = 0; r < ranges_.size(); ++r) {
    if (!(*merged)->Rebuild(r, both)) return false;
  }
  for (size_t r = 0; r < ranges_.size(); ++r) {
    ranges_[r].range = std::move((*merged)->ranges_[r].range);
    SetReaders(r);
    ranges_[r].Keep();
  }
  blocks_ = std::move((*merged)->blocks_);
  view_.words = blocks_.data();
  return true;
} catch (const std::bad_alloc&) {  // this one is as it was
  return false;
}

bool DenseStore::Subtract(const Store& other) noexcept {
  if (&other == this) {
    Clear();
    return true;
  }
  const auto visit_theirs = [&](const auto& use) {
    const auto& theirs = static_cast<const DenseStore&>(other).ranges_;
    for (size_t r = 0; r < ranges_.size(); ++r) {
      for (uint64_t b = 0; b < blocks_per_owned_range(); ++b) {
        theirs[r].range.VisitKeys(
            b, [&](uint32_t key, uint64_t count) { use(ranges_[r].range, b, key, count); });
      }
    }
  };
  bool has_all = true;
  visit_theirs([&](const DenseRange& range, uint64_t b, uint32_t key, uint64_t count) {
    has_all = has_all && range.CountOf(b, key) >= count;
  });
  if (!has_all) return false;
  visit_theirs([](DenseRange& range, uint64_t b, uint32_t key, uint64_t count) {
    const uint64_t num_counted = range.EraseCounted(b, key, count);
    for (uint64_t i = num_counted; i < count; ++i) range.Erase(b, key);
  });
  for (OwnedRange& owned : ranges_) owned.Keep();
  return true;
}

Result<std::unique_ptr<Store>> DenseStore::Resized(uint64_t num_blocks, uint32_t bits,
                                                   uint64_t limit_bytes,
                                                   const ContentsOf& contents_of) const {
  Geometry geometry = geometry_;
  geometry.num_blocks = num_blocks;
  geometry.fingerprint_bits = bits;
  geometry.shard_bits = ShardBitsOf(geometry.encoding, num_blocks);
  if (Status fits = CheckResized(geometry, limit_bytes); !fits) return fits.error();
  Result<std::unique_ptr<DenseStore>> created = Create(geometry, limit_bytes);
  if (!created) return created.error();
  std::unique_ptr<DenseStore> resized = *std::move(created);
  for (size_t r = 0; r < resized->ranges_.size(); ++r) {
    if (Status built = resized->Rebuild(r, contents_of); !built) return built.error();
  }
  resized->ranges_.front().num_refused_inserts.Set(Figures().num_refused_inserts);
  if (Status limited = resized->TakeLimitOf(*this); !limited) return limited.error();
  return std::unique_ptr<Store>(std::move(resized));
}

//   block 2b     keys v               block b   keys v, M + v    one bit more, as long as
//   remainders block 2b+1   keys v      <->                M = bins << bits may have more; else the
//   last is lost

Result<std::unique_ptr<Store>> DenseStore::HalfSize(uint64_t limit_bytes) const {
  const uint32_t num_lost = layout_.bits == layout_.shape.max_bits ? 1 : 0;
  return Resized(geometry_.num_blocks / 2, layout_.bits + 1 - num_lost, limit_bytes,
                 [&](uint64_t b) {
                   BlockContents contents;
                   for (const uint64_t half : {0U, 1U}) {
                     const auto first = static_cast<uint32_t>(half) * layout_.num_keys();
                     for (const BlockKey& entry : ReadContents(2 * b + half)) {
                       AddTo(contents, (first + entry.key) >> num_lost, entry.count);
                     }
                   }
                   return contents;
                 });
}

Result<std::unique_ptr<Store>> DenseStore::DoubleSize(uint64_t limit_bytes) const {
  const uint32_t num_keys = layout_.num_keys() / 2;
  return Resized(2 * geometry_.num_blocks, layout_.bits - 1, limit_bytes, [&](uint64_t b) {
    const uint32_t first = b % 2 == 0 ? 0 : num_keys;
    BlockContents contents;
    for (const BlockKey& entry : ReadContents(b / 2)) {
      if (entry.key - first < num_keys) contents.push_back({entry.key - first, entry.count});
    }
    return contents;
  });
}

void DenseStore::SetReaders(size_t range_idx) {
  DenseReaders readers;
  if (has_versions()) {
    readers.first_block = FirstBlockOf(range_idx);
    readers.versions = view_.versions + readers.first_block / kernels::kGroupBlocks + range_idx;
    readers.periods = grace_periods_.get();
  }
  ranges_[range_idx].range.SetReaders(readers);
}

Status DenseStore::ServeQueries(uint64_t limit_bytes) try {
  const uint64_t num_versions =
      (geometry_.num_blocks + kernels::kGroupBlocks - 1) / kernels::kGroupBlocks + ranges_.size() -
      1;
  if (Status fits = CheckMemoryLimit("the filter and the versions of its groups need",
                                     num_bytes() + num_versions * sizeof(uint64_t), limit_bytes);
      !fits) {
    return fits;
  }
  grace_periods_ = std::make_unique<GracePeriods>();
  versions_.assign(num_versions, 0);
  view_.versions = versions_.data();
  view_.num_versions = num_versions;
  view_.range_bits = owned_range_bits();
  for (size_t r = 0; r < ranges_.size(); ++r) SetReaders(r);
  return Ok();
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for versions for queries beside writers");
}

void DenseStore::StopServingQueries() {
  view_.versions = nullptr;
  view_.num_versions = 0;
  for (size_t r = 0; r < ranges_.size(); ++r) SetReaders(r);
  versions_ = {};
  grace_periods_.reset();
}

void DenseStore::Clear() {
  blocks_.Clear();
  num_interrupted_queries_ = 0;
  for (OwnedRange& owned : ranges_) {
    owned.range.Clear();
    owned.Keep();
    owned.num_refused_inserts.Set(0);
  }
}

void DenseStore::CopyOwnedRange(const Store& from, uint64_t range_idx) {
  OwnedRange& owned = ranges_[range_idx];
  owned.range.CopyFrom(static_cast<const DenseStore&>(from).ranges_[range_idx].range);
  owned.Keep();
}

void DenseStore::TouchOwnedRange(uint64_t range_idx) {
  std::fill_n(WordsOf(range_idx), blocks_per_owned_range() * kernels::kFingerprintBlockWords, 0U);
}

StoreFigures DenseStore::Figures() const {
  StoreFigures figures{
      .version_bytes = versions_.size() * sizeof(uint64_t),
      .num_interrupted_queries = num_interrupted_queries_.load(std::memory_order_relaxed)};
  for (const OwnedRange& owned : ranges_) {
    figures += {.num_promoted = owned.num_marked.Get(),
                .side_table_bytes = owned.side_bytes.Get(),
                .num_refused_inserts = owned.num_refused_inserts.Get(),
                .num_undecided = owned.num_undecided_bins.Get() * 64 / layout_.shape.bins};
  }
  return figures;
}

kernels::Tally DenseStore::TallyOf(uint64_t range_idx) const {
  kernels::Tally tally;
  const OwnedRange& owned = ranges_[range_idx];
  for (uint64_t b = 0; b < blocks_per_owned_range(); ++b) {
    owned.range.VisitKeys(b, [&](uint32_t, uint64_t) { tally.num_present += 1; });
  }
  tally.num_promoted = owned.range.num_marked();
  tally.product_sum = tally.num_present;
  return tally;
}

uint64_t DenseStore::num_bytes() const {
  const StoreFigures figures = Figures();
  return geometry_.num_bytes() + figures.side_table_bytes + figures.version_bytes;
}

// --- The limit of side memory.

class DenseStore::LimitChange final : public SideLimitChange {
 public:
  LimitChange(DenseStore& store, uint64_t limit_bytes, const std::optional<DenseLimit>& limit)
      : store_(store), limit_bytes_(limit_bytes), limit_(limit) {}

  Status Prepare() {
    for (const OwnedRange& owned : store_.ranges_) {
      Result<DenseRange::SideMemory> side = owned.range.WithLimit(limit_);
      if (!side) return side.error();
      sides_.push_back(*std::move(side));
    }
    return Ok();
  }
  void Apply() noexcept override {
    store_.side_limit_bytes_ = limit_bytes_;
    store_.limit_ = limit_;
    for (size_t r = 0; r < sides_.size(); ++r) {
      store_.ranges_[r].range.Take(std::move(sides_[r]));
      store_.ranges_[r].Keep();
    }
  }
  uint64_t side_table_bytes() const override {
    uint64_t num_bytes = 0;
    for (size_t r = 0; r < sides_.size(); ++r) {
      num_bytes += store_.ranges_[r].range.BytesOf(*sides_[r].lines, sides_[r].counts);
    }
    return num_bytes;
  }

 private:
  DenseStore& store_;
  uint64_t limit_bytes_;
  std::optional<DenseLimit> limit_;
  std::vector<DenseRange::SideMemory> sides_;
};

Result<std::unique_ptr<SideLimitChange>> DenseStore::PrepareSideLimit(uint64_t limit_bytes) {
  const std::string given = "side_memory_limit_bytes is " + GroupedText(limit_bytes);
  std::optional<DenseLimit> limit;
  if (limit_bytes != 0) {
    const uint64_t of_range = limit_bytes / ranges_.size();
    const uint64_t least = DenseRange::LeastSideBytes(blocks_per_owned_range());
    if (of_range < least) return SideLimitTooLow(limit_bytes, least, ranges_.size());
    limit = DenseRange::LimitWithin(of_range, blocks_per_owned_range(),
                                    ranges_.front().range.least_lines());
  }
  auto change = std::make_unique<LimitChange>(*this, limit_bytes, limit);
  if (Status prepared = change->Prepare(); !prepared) {
    return Error{prepared.error().code, given + ": " + prepared.error().message};
  }
  return std::unique_ptr<SideLimitChange>(std::move(change));
}

}  // namespace trommel
