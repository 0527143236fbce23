// Whole fingerprint stores: merge, subtract, half and double size, figures; adopting a snapshot's.
// The limit of side memory: fingerprint_store_limit.cc.
#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/base/grouped_text.h"
#include "engine/src/blocks/fingerprint_store.h"
#include "engine/src/sizing/geometry_checks.h"

namespace trommel {
namespace {

constexpr size_t kWords = kernels::kFingerprintBlockWords;

Error OverSideLimit(uint64_t limit_bytes) {
  return {.code = ErrorCode::kOutOfMemory,
          .message = "the result would need more side memory than the limit of " +
                     GroupedText(limit_bytes) + " bytes (side_memory_limit_bytes)"};
}

}  // namespace

bool FingerprintStore::WriteContents(uint64_t block_idx, const BlockContents& contents) {
  const bool was_promoted = IsPromoted(block_idx);
  if (!StoreContents(block_idx, contents)) return false;
  uint64_t& num_promoted = RangeOf(block_idx).num_promoted;
  num_promoted += uint64_t{IsPromoted(block_idx)} - uint64_t{was_promoted};
  return true;
}

// Block by block: contents are merged as sorted multisets.

void FingerprintStore::Merge(const Store& other) noexcept {
  assert(geometry_ == other.geometry());
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    const BlockContents theirs = other.ReadContents(b);
    if (theirs.empty()) continue;
    BlockContents ours = ReadContents(b);
    for (const BlockKey& entry : theirs) AddTo(ours, entry.key, entry.count);
    TROMMEL_CHECK(WriteContents(b, ours), "a merge exceeds the limit of side memory");
  }
}

bool FingerprintStore::Subtract(const Store& other) noexcept {
  assert(geometry_ == other.geometry());
  // First a check of all blocks: a refusal must change nothing.
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    const BlockContents ours = ReadContents(b);
    for (const BlockKey& entry : other.ReadContents(b)) {
      if (CountIn(ours, entry.key) < entry.count) return false;
    }
  }
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    const BlockContents theirs = other.ReadContents(b);
    if (!theirs.empty()) SubtractContents(b, theirs);
  }
  return true;
}

Result<std::unique_ptr<FingerprintStore>> FingerprintStore::CreateResized(
    Geometry geometry, uint64_t limit_bytes) const {
  // As many shards as a filter created at this size would have, so that the two can be merged.
  geometry.shard_bits = ShardBitsOf(geometry.encoding, geometry.num_blocks);
  while (geometry.num_blocks % BlockUnit(geometry.encoding, geometry.shard_bits) != 0) {
    geometry.shard_bits -= 1;
  }
  Result<std::unique_ptr<FingerprintStore>> resized = Create(geometry, limit_bytes);
  if (!resized || side_limit_bytes_ == 0) return resized;
  if (Status limited = (*resized)->LimitSideMemory(side_limit_bytes_); !limited) {
    return limited.error();
  }
  return resized;
}

//   block 2b     keys 0xyz         block b   keys 0xyz, 1xyz    one bit more, as long as keys may
//   block 2b+1   keys  xyz   <->                                have more; else the last is lost

Result<std::unique_ptr<Store>> FingerprintStore::HalfSize(uint64_t limit_bytes) const {
  assert(geometry_.num_blocks % 2 == 0);
  const uint32_t bits = geometry_.fingerprint_bits;
  const bool is_wide = geometry_.encoding == Encoding::kFingerprints16;
  const uint32_t most_bits = is_wide ? kernels::kMaxWideBits : kernels::kMaxNarrowBits;
  Geometry geometry = geometry_;
  geometry.num_blocks /= 2;
  geometry.fingerprint_bits = std::min(bits + 1, most_bits);
  Result<std::unique_ptr<FingerprintStore>> half = CreateResized(geometry, limit_bytes);
  if (!half) return half.error();
  for (uint64_t b = 0; b < geometry.num_blocks; ++b) {
    BlockContents contents;
    for (const uint32_t odd : {0U, 1U}) {
      for (const BlockKey& entry : ReadContents(2 * b + odd)) {
        uint32_t key = odd << bits | entry.key;
        if (bits == most_bits) key >>= 1;
        if (is_wide) key = kernels::UnreservedWideKey(key);
        AddTo(contents, key, entry.count);
      }
    }
    if (!(*half)->WriteContents(b, contents)) return OverSideLimit(side_limit_bytes_);
  }
  return std::unique_ptr<Store>(*std::move(half));
}

Result<std::unique_ptr<Store>> FingerprintStore::DoubleSize(uint64_t limit_bytes) const {
  Geometry geometry = geometry_;
  geometry.num_blocks *= 2;
  geometry.fingerprint_bits -= 1;
  Result<std::unique_ptr<FingerprintStore>> twice = CreateResized(geometry, limit_bytes);
  if (!twice) return twice.error();
  const uint32_t top_bit = 1U << geometry.fingerprint_bits;
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    std::array<BlockContents, 2> halves;
    for (const BlockKey& entry : ReadContents(b)) {
      const bool is_odd = (entry.key & top_bit) != 0;
      halves[is_odd ? 1 : 0].push_back({entry.key & ~top_bit, entry.count});
    }
    for (const uint64_t odd : {0, 1}) {
      if (!(*twice)->WriteContents(2 * b + odd, halves[odd])) {
        return OverSideLimit(side_limit_bytes_);
      }
    }
  }
  return std::unique_ptr<Store>(*std::move(twice));
}

void FingerprintStore::Clear() {
  blocks_.Clear();
  lines_.Clear();
  for (OwnedRange& range : ranges_) {
    range.hidden.Clear();
    range.num_promoted = 0;
    range.num_refused_inserts = 0;
  }
}

void FingerprintStore::TouchOwnedRange(uint64_t range_idx) {
  const uint64_t num_blocks = blocks_per_owned_range();
  std::fill_n(BlockAt(range_idx * num_blocks), num_blocks * kWords, 0U);
}

StoreFigures FingerprintStore::Figures() const {
  StoreFigures figures;
  for (const OwnedRange& range : ranges_) {
    figures += {.num_promoted = range.num_promoted,
                .side_table_bytes = range.hidden.num_bytes(),
                .num_refused_inserts = range.num_refused_inserts};
  }
  return figures;
}

// How many slots are taken, and which share of all keys would be found.
kernels::Tally FingerprintStore::TallyOf(uint64_t range_idx) const {
  kernels::Tally tally;
  const uint64_t num_blocks = blocks_per_owned_range();
  for (uint64_t b = range_idx * num_blocks; b < (range_idx + 1) * num_blocks; ++b) {
    for (const BlockKey& entry : ReadContents(b)) {
      tally.num_present += 1;
      tally.product_sum += CoveredBy(entry.key);
    }
    tally.num_promoted += uint64_t{IsPromoted(b)};
  }
  return tally;
}

uint64_t FingerprintStore::num_bytes() const {
  return blocks_.num_bytes() + lines_.num_bytes() + Figures().side_table_bytes;
}

uint64_t FingerprintStore::CountSideTableBytes() const {
  uint64_t bytes = 0;
  for (const OwnedRange& range : ranges_) bytes += range.hidden.CountBytes();
  return bytes;
}

uint64_t FingerprintStore::huge_page_bytes() const {
  return blocks_.HugePageBytes() + lines_.HugePageBytes();
}

// --- Snapshots.

BlockContents FingerprintStore::HiddenOf(uint64_t block_idx) const {
  if (!HasHidden(block_idx)) return {};
  return RangeOf(block_idx).hidden.ContentsOf(block_idx);
}

std::vector<uint64_t> FingerprintStore::BlocksWithHidden() const {
  std::vector<uint64_t> blocks;
  for (const OwnedRange& range : ranges_) {  // ascending, as the ranges are
    const std::vector<uint64_t> more = range.hidden.SortedBlocks();
    blocks.insert(blocks.end(), more.begin(), more.end());
  }
  return blocks;
}

void FingerprintStore::PutHidden(uint64_t block_idx, const BlockContents& hidden) {
  RangeOf(block_idx).hidden.Put(block_idx, hidden, 0);
}

bool FingerprintStore::Adopt(uint64_t& num_keys, uint64_t& bad_block) {
  num_keys = 0;
  std::vector<BlockContents> contents;
  for (uint64_t first = 0; first < geometry_.num_blocks; first += kGroupBlocks) {
    const size_t size = std::min<uint64_t>(kGroupBlocks, geometry_.num_blocks - first);
    contents.assign(size, {});
    for (size_t i = 0; i < size; ++i) {
      bad_block = first + i;
      OwnedRange& range = RangeOf(bad_block);
      if (!IsReadable(bad_block) || HasHidden(bad_block) != range.hidden.Has(bad_block)) {
        return false;
      }
      contents[i] = ReadContents(bad_block);
      uint64_t total = 0;
      for (const BlockKey& entry : contents[i]) {
        constexpr uint64_t kMost = ~uint64_t{0} >> 1;
        if (!IsKey(entry.key) || entry.count > kMost - num_keys) return false;
        num_keys += entry.count;
        total += entry.count;
      }
      if (IsPromoted(bad_block)) range.num_promoted += 1;
      if (HasHidden(bad_block)) {
        range.hidden.Put(bad_block, range.hidden.ContentsOf(bad_block), total);
      }
    }
    // Whatever the words are, they must be those that these contents have.
    const CanonicalGroup group = Canonical(contents);
    for (size_t i = 0; i < size; ++i) {
      bad_block = first + i;
      if (!std::equal(BlockAt(bad_block), BlockAt(bad_block) + kWords,
                      group.block_words.data() + i * kWords) ||
          HiddenOf(bad_block) != group.hidden[i]) {
        return false;
      }
    }
    bad_block = first;
    if (!std::ranges::equal(
            group.line_words,
            std::span(lines_.data() + first / kGroupBlocks * kWords, group.line_words.size()))) {
      return false;
    }
  }
  return true;
}

}  // namespace trommel
