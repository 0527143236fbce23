// Whole fingerprint stores: merge, subtract, half and double size, figures; adopting a snapshot's.
// The limit of side memory: fingerprint_store_limit.cc.
#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/fingerprints/fingerprint_store.h"
#include "engine/src/fingerprints/key_digests.h"
#include "engine/src/sizing/geometry_checks.h"

namespace trommel {

using kernels::FingerprintPlace;

namespace {

constexpr size_t kWords = kernels::kFingerprintBlockWords;
// So many copies of a key are added to its count, or taken from it, at once.
constexpr uint64_t kManyCopies = 1000;

}  // namespace

// --- Merging, subtracting and resizing: the keys of one store are inserted into another, or erased
// from it, in batches.

void FingerprintStore::ApplyKeysOf(const FingerprintStore& other, Update update) {
  assert(&other != this);
  KeyDigests digest_of(other.geometry_);
  std::vector<uint64_t> digests;
  digests.reserve(2 * kernels::kMaxChunkKeys);
  std::array<uint64_t, 2 * kBitmapWords> answers;
  std::array<uint32_t, kMaxBlockKeys> keys;
  const auto apply = [&] {
    answers.fill(0);
    Apply(update, digests.data(), {0, digests.size()}, answers.data());
    digests.clear();
  };
  for (uint64_t b = 0; b < other.geometry_.num_blocks; ++b) {
    digest_of.GoTo(b);
    if (!other.IsPromoted(b)) {
      for (const uint32_t key : std::span(keys).first(other.KeysOf(b, keys))) {
        digests.push_back(digest_of(key));
      }
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

void FingerprintStore::ChangeCount(Update update, uint64_t digest, uint64_t by) {
  const FingerprintPlace place = PlaceOf(digest);
  BlockContents contents = ReadContents(place.block_idx);
  if (update == Update::kErase) {
    RemoveFrom(contents, KeyOf(place.rest), by);
  } else {
    AddTo(contents, KeyOf(place.rest), by);
  }
  if (WriteContents(place.block_idx, contents)) return;
  // What is left may need more hidden keys when it is encoded anew than it has now: the block may
  // show others then. Erasures of single keys never need more.
  for (uint64_t i = 0; i < by; ++i) EraseOne(digest);
}

bool FingerprintStore::Merge(const Store& other) noexcept {
  assert(geometry_ == other.geometry());
  if (!CanMerge(other)) return false;
  if (&other != this && side_limit_bytes_ == 0) {
    ApplyKeysOf(static_cast<const FingerprintStore&>(other), Update::kInsert);
    return true;
  }
  // With a limit the blocks must become what CanMerge has counted.
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    const BlockContents theirs = other.ReadContents(b);
    if (theirs.empty()) continue;
    BlockContents ours = ReadContents(b);
    for (const BlockKey& entry : theirs) AddTo(ours, entry.key, entry.count);
    TROMMEL_CHECK(Counting(b, [&] { return StoreContents(b, ours); }),
                  "a merge exceeds the limit of side memory");
  }
  for (uint64_t b = 0; b < geometry_.num_blocks; b += kGroupBlocks) SettleGroup(b);
  return true;
}

bool FingerprintStore::Subtract(const Store& other) noexcept {
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
    ApplyKeysOf(static_cast<const FingerprintStore&>(other), Update::kErase);
  }
  return true;
}

Result<std::unique_ptr<Store>> FingerprintStore::Resized(Geometry geometry,
                                                         uint64_t limit_bytes) const {
  // As many shards as a filter created at this size would have, so that the two can be merged.
  geometry.shard_bits = ShardBitsOf(geometry.encoding, geometry.num_blocks);
  if (side_limit_bytes_ != 0) {  // it is reserved there as well
    if (Status fits = CheckMemoryLimit("the filter and its side memory need",
                                       geometry.num_bytes() + side_limit_bytes_, limit_bytes);
        !fits) {
      return fits.error();
    }
  }
  Result<std::unique_ptr<FingerprintStore>> resized = Create(geometry, limit_bytes);
  if (!resized) return resized.error();
  (*resized)->ApplyKeysOf(*this, Update::kInsert);
  (*resized)->ranges_.front().num_refused_inserts.Set(Figures().num_refused_inserts);
  if (side_limit_bytes_ == 0) return std::unique_ptr<Store>(*std::move(resized));
  if (Status limited = (*resized)->LimitSideMemory(side_limit_bytes_); !limited) {
    // Also a limit that is too low there: more blocks may have more ranges.
    return Error{ErrorCode::kOutOfMemory, "at the new size " + limited.error().message};
  }
  return std::unique_ptr<Store>(*std::move(resized));
}

//   block 2b     keys 0xyz         block b   keys 0xyz, 1xyz    one bit more, as long as keys may
//   block 2b+1   keys  xyz   <->                                have more; else the last is lost

Result<std::unique_ptr<Store>> FingerprintStore::HalfSize(uint64_t limit_bytes) const {
  assert(geometry_.num_blocks % 2 == 0);
  const bool is_wide = geometry_.encoding == Encoding::kFingerprints16;
  Geometry geometry = geometry_;
  geometry.num_blocks /= 2;
  geometry.fingerprint_bits = std::min(geometry_.fingerprint_bits + 1,
                                       is_wide ? kernels::kMaxWideBits : kernels::kMaxNarrowBits);
  return Resized(geometry, limit_bytes);
}

Result<std::unique_ptr<Store>> FingerprintStore::DoubleSize(uint64_t limit_bytes) const {
  Geometry geometry = geometry_;
  geometry.num_blocks *= 2;
  geometry.fingerprint_bits -= 1;
  return Resized(geometry, limit_bytes);
}

void FingerprintStore::Clear() {
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

void FingerprintStore::CopyOwnedRange(const Store& other, uint64_t range_idx) {
  assert(geometry_ == other.geometry());
  const auto& from = static_cast<const FingerprintStore&>(other);
  const uint64_t num_blocks = blocks_per_owned_range();
  const uint64_t first = range_idx * num_blocks;
  // Queries of `from` may run meanwhile; the caller excludes its writers.
  std::copy_n(from.BlockAt(first), num_blocks * kWords, BlockAt(first));
  if (lines_.num_bytes() > 0) {
    const uint64_t num_lines = (num_blocks + kGroupBlocks - 1) / kGroupBlocks;
    const uint64_t first_word = first / kGroupBlocks * kWords;
    std::copy_n(from.lines_.data() + first_word, num_lines * kWords, lines_.data() + first_word);
  }
  OwnedRange& range = ranges_[range_idx];
  range = from.ranges_[range_idx];
  range.hidden.BecomeCopy();
  range.side_table_bytes.Set(range.hidden.num_bytes());
  range.num_refused_inserts.Set(0);
}

void FingerprintStore::TouchOwnedRange(uint64_t range_idx) {
  const uint64_t num_blocks = blocks_per_owned_range();
  std::fill_n(BlockAt(range_idx * num_blocks), num_blocks * kWords, 0U);
}

StoreFigures FingerprintStore::Figures() const {
  StoreFigures figures;
  for (const OwnedRange& range : ranges_) {
    figures += {.num_promoted = range.num_promoted.Get(),
                .side_table_bytes = range.side_table_bytes.Get(),
                .num_refused_inserts = range.num_refused_inserts.Get(),
                .num_undecided = range.num_undecided.Get()};
  }
  figures.version_bytes = versions_.size() * sizeof(uint64_t);
  figures.num_interrupted_queries = num_interrupted_queries_.load(std::memory_order_relaxed);
  return figures;
}

void FingerprintStore::CountFigures(size_t range_idx) {
  OwnedRange& range = ranges_[range_idx];
  const uint64_t num_blocks = blocks_per_owned_range();
  uint64_t num_promoted = 0;
  uint64_t num_undecided = 0;
  for (uint64_t b = range_idx * num_blocks; b < (range_idx + 1) * num_blocks; ++b) {
    num_promoted += uint64_t{IsPromoted(b)};
    num_undecided += NumUndecided(b);
  }
  range.num_promoted.Set(num_promoted);
  range.num_undecided.Set(num_undecided);
  range.side_table_bytes.Set(range.hidden.num_bytes());
}

// How many slots are taken, and which share of all keys would be found.
kernels::Tally FingerprintStore::TallyOf(uint64_t range_idx) const {
  kernels::Tally tally;
  const uint64_t num_blocks = blocks_per_owned_range();
  std::array<uint32_t, kMaxBlockKeys> keys;
  const auto add = [&](uint32_t key) {
    tally.num_present += 1;
    tally.product_sum += CoveredBy(key);
  };
  for (uint64_t b = range_idx * num_blocks; b < (range_idx + 1) * num_blocks; ++b) {
    if (IsPromoted(b)) {
      for (const BlockKey& entry : ReadContents(b)) add(entry.key);
      tally.num_promoted += 1;
      continue;
    }
    const size_t num_keys = AscendingKeysOf(b, keys);
    for (size_t i = 0; i < num_keys; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) add(keys[i]);
    }
  }
  return tally;
}

uint64_t FingerprintStore::num_bytes() const {
  const StoreFigures figures = Figures();
  return blocks_.num_bytes() + lines_.num_bytes() + figures.side_table_bytes +
         figures.version_bytes;
}

uint64_t FingerprintStore::CountSideTableBytes() const {
  uint64_t bytes = 0;
  for (const OwnedRange& range : ranges_) bytes += range.hidden.CountBytes();
  return bytes;
}

uint64_t FingerprintStore::huge_page_bytes() const {
  return blocks_.HugePageBytes() + lines_.HugePageBytes();
}

// --- Files.

void FingerprintStore::WriteGroup(uint64_t first_block, uint32_t* words, uint32_t* line,
                                  std::vector<HidingBlock>& hiding) const {
  const uint64_t end = std::min(first_block + kGroupBlocks, geometry_.num_blocks);
  size_t num_entries = 0;
  for (uint64_t b = first_block; b < end; ++b, words += kWords) {
    if (!IsPromoted(b)) {
      WritePlain(b, words);
      continue;
    }
    const BlockContents hidden = WritePromoted(ReadContents(b), b, words, line, num_entries);
    if (!hidden.empty()) hiding.push_back({b, {hidden.begin(), hidden.end()}});
  }
}

uint64_t FingerprintStore::CountKeys() const {
  std::array<uint32_t, kMaxBlockKeys> keys;
  uint64_t num_keys = 0;
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    num_keys += IsPromoted(b) ? TotalOf(ReadContents(b)) : KeysOf(b, keys);
  }
  return num_keys;
}

bool FingerprintStore::PutHidden(uint64_t block_idx, const BlockContents& hidden) {
  if (!HasHidden(block_idx)) return false;
  RangeOf(block_idx).hidden.Put(block_idx, hidden, 0);
  return true;
}

bool FingerprintStore::Adopt(uint64_t& num_keys, uint64_t& bad_block) {
  constexpr uint64_t kMost = ~uint64_t{0} >> 1;
  num_keys = 0;
  for (uint64_t first = 0; first < geometry_.num_blocks; first += kGroupBlocks) {
    const uint64_t end = std::min(first + kGroupBlocks, geometry_.num_blocks);
    std::array<uint32_t, kWords> line{};
    size_t num_entries = 0;
    bool has_promoted = false;
    for (bad_block = first; bad_block < end; ++bad_block) {
      if (!IsPromoted(bad_block)) {
        const std::optional<size_t> of_block = PlainKeys(bad_block);
        if (!of_block || *of_block > kMost - num_keys) return false;
        num_keys += *of_block;
        continue;
      }
      has_promoted = true;
      HiddenKeys& hidden = RangeOf(bad_block).hidden;
      const bool has_hidden = HasHidden(bad_block);
      if (!IsReadable(bad_block) || (has_hidden && !hidden.Has(bad_block))) return false;
      const BlockContents contents = ReadContents(bad_block);
      uint64_t total = 0;
      for (const BlockKey& entry : contents) {
        if (!IsKey(entry.key) || entry.count > kMost - num_keys) return false;
        num_keys += entry.count;
        total += entry.count;
      }
      // Whatever the words are, they must be those that these contents have.
      std::array<uint32_t, kWords> words{};
      const BlockContents kept = has_hidden ? hidden.ContentsOf(bad_block) : BlockContents();
      if (WritePromoted(contents, bad_block, words.data(), line.data(), num_entries) != kept ||
          !std::equal(words.begin(), words.end(), BlockAt(bad_block))) {
        return false;
      }
      if (has_hidden) hidden.Put(bad_block, kept, total);
    }
    bad_block = first;
    if (lines_.num_words() > 0 &&
        !std::equal(line.begin(), line.end(), lines_.data() + first / kGroupBlocks * kWords)) {
      return false;
    }
    if (has_promoted) SettleGroup(first);
  }
  for (size_t r = 0; r < ranges_.size(); ++r) CountFigures(r);
  return true;
}

}  // namespace trommel
