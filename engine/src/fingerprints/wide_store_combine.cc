// Whole stores: merge, subtract, half and double size, copies, figures.
#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/fingerprints/key_digests.h"
#include "engine/src/fingerprints/wide_store.h"
#include "engine/src/sizing/geometry_checks.h"
#include "kernels/wide_block.h"

namespace trommel {
namespace {

// So many copies of a key are added to its count, or taken from it, at once.
constexpr uint64_t kManyCopies = 1000;

}  // namespace

// --- Merging, subtracting and resizing: the keys of one store are inserted into another, or erased
// from it, in batches.

void WideStore::ApplyKeysOf(const WideStore& other, Update update) {
  assert(&other != this);
  KeyDigests digest_of(other.geometry_);
  std::vector<uint64_t> digests;
  digests.reserve(2 * kernels::kMaxChunkKeys);
  std::array<uint64_t, 2 * kBitmapWords> answers;
  std::array<uint32_t, kernels::kWideSlots> keys;
  const auto apply = [&] {
    answers.fill(0);
    Apply(update, digests.data(), {0, digests.size()}, answers.data(), nullptr);
    digests.clear();
  };
  for (uint64_t b = 0; b < other.geometry_.num_blocks; ++b) {
    digest_of.GoTo(b);
    if (!other.IsPromoted(b)) {
      const size_t num_keys = kernels::KeysOfWide(other.BlockAt(b), keys);
      for (size_t i = 0; i < num_keys; ++i) digests.push_back(digest_of(keys[i]));
    } else {
      for (const BlockKey& entry : other.ReadContents(b)) {
        const uint64_t digest = digest_of(entry.key);
        if (entry.count < kManyCopies) {
          digests.insert(digests.end(), entry.count, digest);
        } else {
          ChangeCount(update, digest, entry.count);
        }
        if (digests.size() >= kernels::kMaxChunkKeys) apply();
      }
    }
    if (digests.size() >= kernels::kMaxChunkKeys) apply();
  }
  apply();
}

void WideStore::ChangeCount(Update update, uint64_t digest, uint64_t by) {
  const Place place = PlaceOf(digest);
  BlockContents contents = ReadContents(place.block_idx);
  if (update == Update::kErase) {
    RemoveFrom(contents, place.key, by);
  } else {
    AddTo(contents, place.key, by);
  }
  if (WriteContents(place.block_idx, contents)) return;
  // What is left may need more hidden keys when it is encoded anew than it has now: the block may
  // show others then. Erasures of single keys never need more.
  for (uint64_t i = 0; i < by; ++i) EraseOne(digest);
}

bool WideStore::Merge(const Store& other) noexcept {
  assert(geometry_ == other.geometry());
  if (!CanMerge(other)) return false;
  if (&other != this && side_limit_bytes_ == 0) {
    ApplyKeysOf(static_cast<const WideStore&>(other), Update::kInsert);
    return true;
  }
  // With a limit the blocks must become what CanMerge has counted.
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    const BlockContents theirs = other.ReadContents(b);
    if (theirs.empty()) continue;
    BlockContents ours = ReadContents(b);
    for (const BlockKey& entry : theirs) AddTo(ours, entry.key, entry.count);
    TROMMEL_CHECK(Counting(b, [&] { return StoreAs(WideForm::kRoomy, b, ours); }),
                  "a merge exceeds the limit of side memory");
  }
  for (uint64_t b = 0; b < geometry_.num_blocks; b += kGroupBlocks) SettleGroup(b);
  return true;
}

bool WideStore::Subtract(const Store& other) noexcept {
  assert(geometry_ == other.geometry());
  // First a check of all blocks: a refusal must change nothing.
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    for (const BlockKey& entry : other.ReadContents(b)) {
      if (CountOf(b, entry.key) < entry.count) return false;
    }
  }
  if (&other == this) {
    Clear();
  } else {
    ApplyKeysOf(static_cast<const WideStore&>(other), Update::kErase);
  }
  return true;
}

Result<std::unique_ptr<Store>> WideStore::Resized(Geometry geometry, uint64_t limit_bytes) const {
  // As many shards as a filter created at this size would have, so that the two can be merged.
  geometry.shard_bits = ShardBitsOf(geometry.encoding, geometry.num_blocks);
  if (Status fits = CheckResized(geometry, limit_bytes); !fits) return fits.error();
  Result<std::unique_ptr<WideStore>> resized = Create(geometry, limit_bytes);
  if (!resized) return resized.error();
  (*resized)->ApplyKeysOf(*this, Update::kInsert);
  (*resized)->ranges_.front().num_refused_inserts.Set(Figures().num_refused_inserts);
  if (Status limited = (*resized)->TakeLimitOf(*this); !limited) return limited.error();
  return std::unique_ptr<Store>(*std::move(resized));
}

//   block 2b     keys 0xyz         block b   keys 0xyz, 1xyz    one bit more, as long as keys may
//   block 2b+1   keys  xyz   <->                                have more; else the last is lost

Result<std::unique_ptr<Store>> WideStore::HalfSize(uint64_t limit_bytes) const {
  assert(geometry_.num_blocks % 2 == 0);
  Geometry geometry = geometry_;
  geometry.num_blocks /= 2;
  geometry.fingerprint_bits = std::min(geometry_.fingerprint_bits + 1, kernels::kMaxWideBits);
  return Resized(geometry, limit_bytes);
}

Result<std::unique_ptr<Store>> WideStore::DoubleSize(uint64_t limit_bytes) const {
  Geometry geometry = geometry_;
  geometry.num_blocks *= 2;
  geometry.fingerprint_bits -= 1;
  return Resized(geometry, limit_bytes);
}

void WideStore::Clear() {
  blocks_.Clear();
  lines_.Clear();
  for (OwnedRange& range : ranges_) {
    range.hidden.Clear();
    range.num_promoted.Set(0);
    range.num_undecided.Set(0);
    range.side_table_bytes.Set(range.hidden.num_bytes());
    range.num_refused_inserts.Set(0);
  }
  num_interrupted_queries_ = 0;
}

void WideStore::CopyOwnedRange(const Store& other, uint64_t range_idx) {
  assert(geometry_ == other.geometry());
  const auto& from = static_cast<const WideStore&>(other);
  const uint64_t num_blocks = blocks_per_owned_range();
  const uint64_t first = range_idx * num_blocks;
  // Queries of `from` may run meanwhile; the caller excludes its writers.
  std::copy_n(from.BlockAt(first), num_blocks * kWords, BlockAt(first));
  const uint64_t num_lines = (num_blocks + kGroupBlocks - 1) / kGroupBlocks;
  std::copy_n(&from.LineOf(first), num_lines, &LineOf(first));
  OwnedRange& range = ranges_[range_idx];
  range = from.ranges_[range_idx];
  range.hidden.BecomeCopy();
  range.side_table_bytes.Set(range.hidden.num_bytes());
  range.num_refused_inserts.Set(0);
}

void WideStore::TouchOwnedRange(uint64_t range_idx) {
  const uint64_t num_blocks = blocks_per_owned_range();
  std::fill_n(BlockAt(range_idx * num_blocks), num_blocks * kWords, 0U);
}

StoreFigures WideStore::Figures() const {
  StoreFigures figures;
  for (const OwnedRange& range : ranges_) {
    figures += {.num_promoted = range.num_promoted.Get(),
                .side_table_bytes = range.side_table_bytes.Get(),
                .num_refused_inserts = range.num_refused_inserts.Get(),
                .num_undecided = 64 * range.num_undecided.Get()};
  }
  figures.version_bytes = versions_.size() * sizeof(uint64_t);
  figures.num_interrupted_queries = num_interrupted_queries_.load(std::memory_order_relaxed);
  return figures;
}

void WideStore::CountFigures(size_t range_idx) {
  OwnedRange& range = ranges_[range_idx];
  const uint64_t num_blocks = blocks_per_owned_range();
  uint64_t num_promoted = 0;
  uint64_t num_undecided = 0;
  for (uint64_t b = range_idx * num_blocks; b < (range_idx + 1) * num_blocks; ++b) {
    num_promoted += uint64_t{IsPromoted(b)};
    num_undecided += uint64_t{IsUndecided(b)};
  }
  range.num_promoted.Set(num_promoted);
  range.num_undecided.Set(num_undecided);
  range.side_table_bytes.Set(range.hidden.num_bytes());
}

// How many slots are taken, and which share of all keys would be found. A key to which WideKey
// changes another one equals those of twice as many non-members, and counts twice.
kernels::Tally WideStore::TallyOf(uint64_t range_idx) const {
  kernels::Tally tally;
  const uint64_t num_blocks = blocks_per_owned_range();
  std::array<uint32_t, kWords> words;
  std::array<uint32_t, kernels::kWideSlots> keys;
  const auto add = [&](uint32_t key) {
    const uint32_t low = key & 0xff;
    tally.num_present += 1;
    tally.product_sum += low == 0x01 || low == 0xfe ? 2 : 1;
  };
  for (uint64_t b = range_idx * num_blocks; b < (range_idx + 1) * num_blocks; ++b) {
    if (IsPromoted(b)) {
      for (const BlockKey& entry : ReadContents(b)) add(entry.key);
      tally.num_promoted += 1;
      continue;
    }
    WritePlain(b, words.data());
    const size_t num_keys = kernels::KeysOfWide(words.data(), keys);
    for (size_t i = 0; i < num_keys; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) add(keys[i]);
    }
  }
  return tally;
}

uint64_t WideStore::num_bytes() const {
  const StoreFigures figures = Figures();
  return blocks_.num_bytes() + lines_.num_bytes() + figures.side_table_bytes +
         figures.version_bytes;
}

uint64_t WideStore::CountSideTableBytes() const {
  uint64_t bytes = 0;
  for (const OwnedRange& range : ranges_) bytes += range.hidden.CountBytes();
  return bytes;
}

uint64_t WideStore::huge_page_bytes() const {
  return blocks_.HugePageBytes() + lines_.HugePageBytes();
}

}  // namespace trommel
