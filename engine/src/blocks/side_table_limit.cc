// Copies of a side table's ranges, and the limit of its memory.
#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include "engine/src/blocks/side_table.h"
#include "kernels/layout.h"

namespace trommel {
namespace {

// Digits that exact counters need beyond the first: one block in four has a count over 255.
constexpr uint64_t kBlocksPerSecondDigit = 4;

}  // namespace

bool SideTable::CopyEntries(const OwnedRange& from, OwnedRange& into) {
  for (size_t i = 0; i < from.runs.size(); ++i) {
    const uint64_t block_idx = from.runs.BlockAt(i);
    const uint64_t* entry = from.runs.Find(block_idx);
    uint64_t* copy = MakeEntry(into, block_idx);
    if (copy == nullptr) return false;
    std::copy_n(entry, from.runs.words_per_block(), copy);
    if (!IsExact(entry)) continue;
    const auto id = into.exact.MakeCopy(from.exact, IdOf(entry));
    if (!id) return false;
    copy[1] = *id;
  }
  return true;
}

void SideTable::CopyOwnedRange(const SideTable& from, uint64_t range_idx) {
  OwnedRange copy(num_slices_, num_counters());
  if (!CopyEntries(from.owned_ranges_[range_idx], copy)) throw std::bad_alloc();
  UpdateFigures(copy);
  owned_ranges_[range_idx] = std::move(copy);
}

uint64_t SideTable::LeastLimitBytes() const {
  const OwnedRange& range = owned_ranges_.front();
  return range.exact.BytesPerArray() + range.runs.BytesFor(1);
}

SideTable::RangeLimit SideTable::LimitWithin(uint64_t range_bytes, uint64_t crowded_percent) const {
  const OwnedRange& range = owned_ranges_.front();
  const uint64_t array_bytes = range.exact.BytesPerArray();
  // Of a hundred blocks.
  const uint64_t arrays_bytes =
      (crowded_percent + crowded_percent / kBlocksPerSecondDigit) * array_bytes;
  const uint64_t share = arrays_bytes * 1024 / (arrays_bytes + range.runs.BytesFor(100));
  uint64_t max_arrays = std::max<uint64_t>(1, range_bytes / 1024 * share / array_bytes);
  const uint64_t max_blocks = std::min<uint64_t>(
      range.runs.EntriesWithin(range_bytes - max_arrays * array_bytes), blocks_per_owned_range_);
  // What no block can need goes to their counters.
  max_arrays = std::min(max_blocks * sizeof(uint64_t),
                        (range_bytes - range.runs.BytesFor(max_blocks)) / array_bytes);
  return {.max_blocks = max_blocks, .max_arrays = max_arrays};
}

bool SideTable::IsWithin(const RangeLimit& limit) const {
  return std::ranges::all_of(owned_ranges_, [&limit](const OwnedRange& range) {
    if (range.runs.size() > limit.max_blocks) return false;
    uint64_t num_arrays = 0;
    for (size_t i = 0; i < range.runs.size(); ++i) {
      const uint64_t* entry = range.runs.Find(range.runs.BlockAt(i));
      if (IsExact(entry)) num_arrays += range.exact.ArraysNeeded(IdOf(entry));
    }
    return num_arrays <= limit.max_arrays;
  });
}

SideTable SideTable::LimitedTo(const RangeLimit& limit) const {
  SideTable limited;
  limited.blocks_per_owned_range_ = blocks_per_owned_range_;
  limited.num_slices_ = num_slices_;
  limited.owned_ranges_.clear();
  limited.owned_ranges_.reserve(owned_ranges_.size());
  for (const OwnedRange& range : owned_ranges_) {
    OwnedRange& into = limited.owned_ranges_.emplace_back(num_slices_, num_counters());
    into.runs.Reserve(limit.max_blocks);
    into.exact.Reserve(limit.max_arrays);
    if (!CopyEntries(range, into)) throw std::bad_alloc();
    into.num_refused = range.num_refused;
    UpdateFigures(into);
  }
  return limited;
}

void SideTable::LiftLimit() {
  for (OwnedRange& range : owned_ranges_) {
    range.runs.LiftLimit();
    range.exact.LiftLimit();
    UpdateFigures(range);
  }
}

}  // namespace trommel
