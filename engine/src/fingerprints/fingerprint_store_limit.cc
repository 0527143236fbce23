// The limit of a fingerprint store's side memory.
#include <algorithm>
#include <cassert>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/base/grouped_text.h"
#include "engine/src/fingerprints/fingerprint_store.h"

namespace trommel {

Status FingerprintStore::LimitSideMemory(uint64_t limit_bytes) {
  if (limit_bytes == 0) {
    side_limit_bytes_ = 0;
    for (OwnedRange& range : ranges_) {
      range.hidden.LiftLimit();
      range.side_table_bytes.Set(range.hidden.num_bytes());
    }
    return Ok();
  }
  const uint64_t least = HiddenKeys::LeastLimitBytes() * ranges_.size();
  const std::string given = "side_memory_limit_bytes is " + GroupedText(limit_bytes);
  if (limit_bytes < least) {
    return Error{ErrorCode::kInvalidArgument,
                 given + "; it must be 0 (no limit) or at least " + GroupedText(least) + ": " +
                     GroupedText(HiddenKeys::LeastLimitBytes()) + " per range of blocks (" +
                     GroupedText(ranges_.size()) + " here)"};
  }
  // A block has at most one record.
  const uint64_t max_records =
      std::min(HiddenKeys::RecordsWithin(limit_bytes / ranges_.size()), blocks_per_owned_range());
  const auto fits = [&](const OwnedRange& range) {
    return range.hidden.num_blocks() <= max_records && range.hidden.AllFitRecords();
  };
  if (side_limit_bytes_ == 0 && !std::ranges::all_of(ranges_, fits)) {
    SpillFewest();
    for (size_t r = 0; r < ranges_.size(); ++r) CountFigures(r);
  }
  for (const OwnedRange& range : ranges_) {
    if (range.hidden.num_blocks() > max_records) {
      return Error{ErrorCode::kOutOfMemory,
                   given + ", and the keys that are in need more: a range of blocks has " +
                       GroupedText(range.hidden.num_blocks()) +
                       " records, and would have space for " + GroupedText(max_records)};
    }
    if (!range.hidden.AllFitRecords()) {
      return Error{ErrorCode::kOutOfMemory,
                   given +
                       ", and with any limit a block may hide at most 8 keys that differ, each "
                       "up to 65,535 times: a block hides more"};
    }
  }
  try {
    std::vector<HiddenKeys> limited;
    limited.reserve(ranges_.size());
    for (const OwnedRange& range : ranges_) {
      limited.push_back(range.hidden);
      limited.back().LimitTo(max_records);
    }
    for (size_t r = 0; r < ranges_.size(); ++r) {
      ranges_[r].hidden = std::move(limited[r]);
      ranges_[r].side_table_bytes.Set(ranges_[r].hidden.num_bytes());
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory,
                 "the system refused " + GroupedText(limit_bytes) + " bytes of side memory"};
  }
  side_limit_bytes_ = limit_bytes;
  return Ok();
}

// Goes through the blocks as Merge does, and keeps account of what each step would leave.
bool FingerprintStore::CanMerge(const Store& other) const try {
  assert(geometry_ == other.geometry());
  if (side_limit_bytes_ == 0) return true;
  const uint64_t num_blocks = blocks_per_owned_range();
  for (size_t r = 0; r < ranges_.size(); ++r) {
    const HiddenKeys& hidden = ranges_[r].hidden;
    uint64_t num_records = hidden.num_blocks();
    size_t num_free = 0;
    for (uint64_t b = r * num_blocks; b < (r + 1) * num_blocks; ++b) {
      // Groups never begin within an owned range but at their first block.
      if (b % kGroupBlocks == 0 || b == r * num_blocks) num_free = NumFreeEntries(b);
      const BlockContents theirs = other.ReadContents(b);
      if (theirs.empty()) continue;
      BlockContents merged = ReadContents(b);
      for (const BlockKey& entry : theirs) AddTo(merged, entry.key, entry.count);
      num_free += NumEntriesOf(b);
      const Needs needs = NeedsOf(merged, num_free, hidden);
      num_free -= needs.line_entries;
      num_records += uint64_t{needs.has_record} - uint64_t{HasHidden(b)};
      if (!needs.fits_record || num_records > hidden.max_records()) return false;
    }
  }
  return true;
} catch (const std::bad_alloc&) {  // of contents larger than a limit leaves space for
  return false;
}

}  // namespace trommel
