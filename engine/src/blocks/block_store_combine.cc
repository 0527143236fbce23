// Whole block stores: tally, merge, subtract, fold, clear; and the counters of single blocks.
#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/block_store.h"
#include "engine/src/sizing/geometry_checks.h"

namespace trommel {

uint64_t BlockStore::num_bytes() const {
  return presence_.num_bytes() + counts_.num_bytes() + side_table_.num_bytes();
}

uint64_t BlockStore::huge_page_bytes() const {
  return presence_.HugePageBytes() + counts_.HugePageBytes();
}

void BlockStore::CopyOwnedRange(const Store& other, uint64_t range_idx) {
  assert(geometry_ == other.geometry());
  const auto& from = static_cast<const BlockStore&>(other);
  const uint64_t num_blocks = geometry_.num_blocks >> owned_range_bits();
  const uint64_t first = range_idx * num_blocks;
  // Queries of `from` may run meanwhile; the caller excludes its writers.
  if (!encoding_->is_interleaved) {
    std::copy_n(from.PresenceOf(first), num_blocks * presence_stride_, PresenceOf(first));
  }
  const size_t first_word = first * count_stride_;
  std::copy_n(from.counts_.data() + first_word, num_blocks * count_stride_,
              counts_.data() + first_word);
  side_table_.CopyOwnedRange(from.side_table_, range_idx);
}

void BlockStore::TouchOwnedRange(uint64_t range_idx) {
  const uint64_t num_blocks = geometry_.num_blocks >> owned_range_bits();
  const uint64_t first = range_idx * num_blocks;
  if (!encoding_->is_interleaved) {
    std::fill_n(PresenceOf(first), num_blocks * presence_stride_, 0U);
  }
  std::fill_n(counts_.data() + first * count_stride_, num_blocks * count_stride_, 0U);
}

// A block is promoted exactly if the side table has it.
StoreFigures BlockStore::Figures() const {
  return {.num_promoted = side_table_.num_blocks(),
          .side_table_bytes = side_table_.num_bytes(),
          .num_refused_inserts = side_table_.num_refused()};
}

kernels::Tally BlockStore::TallyOf(uint64_t range_idx) const {
  const uint64_t num_blocks = geometry_.num_blocks >> owned_range_bits();
  return block_kernels().tally(View(), range_idx * num_blocks, (range_idx + 1) * num_blocks);
}

kernels::Tally BlockStore::Tally() const {
  return block_kernels().tally(View(), 0, geometry_.num_blocks);
}

void BlockStore::ReadCounters(uint64_t block_idx, std::span<uint64_t> counters) const {
  if (IsPromoted(block_idx)) {
    side_table_.CopyTo(block_idx, PresenceOf(block_idx), counters.first(num_counters()));
  } else {
    encoding_->decode(PresenceOf(block_idx), CountsOf(block_idx), geometry_.num_slices, counters);
  }
}

bool BlockStore::WriteCounters(uint64_t block_idx, std::span<const uint64_t> counters) {
  const std::span<const uint64_t> all = counters.first(num_counters());
  uint32_t* presence = PresenceOf(block_idx);
  if (encoding_->fits(all, geometry_.num_slices)) {
    side_table_.Remove(block_idx);
    encoding_->encode(all, geometry_.num_slices, presence, CountsOf(block_idx));
    return true;
  }
  if (!side_table_.Put(block_idx, all)) return false;
  encoding_->mark_promoted(CountsOf(block_idx), geometry_.num_slices);
  for (size_t w = 0; w < presence_words(); ++w) {
    uint32_t present = 0;
    for (size_t i = 0; i < 32; ++i) present |= uint32_t{all[w * 32 + i] > 0} << i;
    presence[w] = present;
  }
  return true;
}

BlockContents BlockStore::ReadContents(uint64_t block_idx) const {
  Counters counters;
  ReadCounters(block_idx, counters);
  BlockContents contents;
  for (uint32_t i = 0; i < num_counters(); ++i) {
    if (counters[i] > 0) contents.push_back({i, counters[i]});
  }
  return contents;
}

// In each of these the kernel runs over many blocks and stops at a block that is promoted or would
// have to be; that block is done counter by counter.

bool BlockStore::Merge(const Store& store) noexcept {
  const auto& other = static_cast<const BlockStore&>(store);
  assert(geometry_ == other.geometry_);
  Counters ours;
  Counters theirs;
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    b = block_kernels().merge(View(), other.View(), b, geometry_.num_blocks);
    if (b == geometry_.num_blocks) break;
    ReadCounters(b, ours);
    other.ReadCounters(b, theirs);
    for (size_t i = 0; i < num_counters(); ++i) ours[i] += theirs[i];
    if (WriteCounters(b, ours)) continue;
    TakeBack(other, b);
    return false;
  }
  return true;
}

// Undoes a Merge of the first blocks. Counts only fall, back to what there was memory for: nothing
// is refused.
void BlockStore::TakeBack(const BlockStore& other, uint64_t num_blocks) noexcept {
  Counters ours;
  Counters theirs;
  for (uint64_t b = 0; b < num_blocks; ++b) {
    ReadCounters(b, ours);
    if (this == &other) {
      for (size_t i = 0; i < num_counters(); ++i) theirs[i] = ours[i] / 2;
    } else {
      other.ReadCounters(b, theirs);
    }
    for (size_t i = 0; i < num_counters(); ++i) ours[i] -= theirs[i];
    TROMMEL_CHECK(WriteCounters(b, ours), "a block with fewer keys needs more memory");
  }
}

bool BlockStore::Subtract(const Store& store) noexcept {
  const auto& other = static_cast<const BlockStore&>(store);
  assert(geometry_ == other.geometry_);
  Counters ours;
  Counters theirs;
  // First a check of all blocks: a refusal must change nothing.
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    b = block_kernels().can_subtract(View(), other.View(), b, geometry_.num_blocks);
    if (b == geometry_.num_blocks) break;
    ReadCounters(b, ours);
    other.ReadCounters(b, theirs);
    for (size_t i = 0; i < num_counters(); ++i) {
      if (ours[i] < theirs[i]) return false;
    }
  }
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    b = block_kernels().subtract(View(), other.View(), b, geometry_.num_blocks);
    if (b == geometry_.num_blocks) break;
    ReadCounters(b, ours);
    other.ReadCounters(b, theirs);
    for (size_t i = 0; i < num_counters(); ++i) ours[i] -= theirs[i];
    TROMMEL_CHECK(WriteCounters(b, ours), "a block with fewer keys needs more memory");
  }
  return true;
}

Result<BlockStore> BlockStore::Folded(uint64_t limit_bytes) const {
  assert(geometry_.num_blocks % 2 == 0);
  Geometry half = geometry_;
  half.num_blocks /= 2;
  // As many shards as a filter created at this size would have, so that the two can be merged.
  half.shard_bits = std::min(half.shard_bits, ShardBitsOf(half.encoding, half.num_blocks));
  if (side_limit_bytes_ != 0) {  // it is reserved there as well
    if (Status fits = CheckMemoryLimit("the filter and its side memory need",
                                       half.num_bytes() + side_limit_bytes_, limit_bytes);
        !fits) {
      return fits.error();
    }
  }
  Result<BlockStore> folded = Create(half, limit_bytes);
  if (!folded) return folded;
  if (Status limited = folded->LimitSideMemory(side_limit_bytes_); !limited) return limited.error();
  Counters low;
  Counters high;
  for (uint64_t b = 0; b < half.num_blocks; ++b) {
    b = block_kernels().fold(folded->View(), View(), b, half.num_blocks);
    if (b == half.num_blocks) break;
    ReadCounters(2 * b, low);
    ReadCounters(2 * b + 1, high);
    for (size_t i = 0; i < num_counters(); ++i) low[i] += high[i];
    if (!folded->WriteCounters(b, low)) {
      return Error{ErrorCode::kOutOfMemory,
                   side_limit_bytes_ == 0
                       ? "cannot fold: no memory for the side table"
                       : "cannot fold: the result would exceed side_memory_limit_bytes"};
    }
  }
  folded->side_table_.CountRefusals(side_table_.num_refused());
  return folded;
}

Result<std::unique_ptr<Store>> BlockStore::HalfSize(uint64_t limit_bytes) const {
  Result<BlockStore> folded = Folded(limit_bytes);
  if (!folded) return folded.error();
  return std::unique_ptr<Store>(std::make_unique<BlockStore>(*std::move(folded)));
}

Result<std::unique_ptr<Store>> BlockStore::DoubleSize(uint64_t /*limit_bytes*/) const {
  return Error{ErrorCode::kInvalidArgument,
               "the encoding cannot double: its blocks do not tell "
               "which keys would go to which half"};
}

void BlockStore::Clear() {
  presence_.Clear();
  counts_.Clear();
  side_table_.Clear();
}

}  // namespace trommel
