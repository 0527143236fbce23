// Promoted blocks: long runs or exact counters.
#include "engine/src/blocks/side_table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <new>
#include <numeric>

#include "kernels/layout.h"
#include "kernels/presence_words.h"
#include "kernels/run_slice.h"

namespace trommel {
namespace {

using CounterBuffer = std::array<uint64_t, kernels::kMaxCounters>;

// Presence bits by counter: bit i of a block's presence words is its counter i. Both store at most
// one word, once, and none if the bit is as it should be: queries then keep their cache line.
void MarkPresent(size_t counter_idx, uint32_t* presence) {
  uint32_t* word = presence + counter_idx / 32;
  const uint32_t bit = 1U << (counter_idx % 32);
  if ((*word & bit) == 0) kernels::StorePresenceWord(*word | bit, word);
}

void MarkAbsent(size_t counter_idx, uint32_t* presence) {
  uint32_t* word = presence + counter_idx / 32;
  const uint32_t bit = 1U << (counter_idx % 32);
  if ((*word & bit) != 0) kernels::StorePresenceWord(*word & ~bit, word);
}

}  // namespace

SideTable::SideTable(uint64_t num_blocks, uint32_t num_slices, uint32_t range_bits)
    : blocks_per_owned_range_(num_blocks >> range_bits), num_slices_(num_slices) {
  const size_t num_ranges = size_t{1} << range_bits;
  owned_ranges_.reserve(num_ranges);
  const size_t num_counters_of_block = num_slices == 0 ? 0 : num_counters();
  for (size_t r = 0; r < num_ranges; ++r) {
    owned_ranges_.emplace_back(num_slices, num_counters_of_block);
  }
}

size_t SideTable::num_counters() const {
  return size_t{num_slices_} * kernels::SlicePositions(num_slices_);
}

uint64_t* SideTable::EntryOf(uint64_t block_idx) {
  uint64_t* entry = Of(block_idx).runs.Find(block_idx);
  assert(entry != nullptr);
  return entry;
}

const uint64_t* SideTable::EntryOf(uint64_t block_idx) const {
  const uint64_t* entry = Of(block_idx).runs.Find(block_idx);
  assert(entry != nullptr);
  return entry;
}

void SideTable::UpdateFigures(OwnedRange& range) {
  range.num_blocks.Set(range.runs.size());
  range.num_bytes.Set(range.runs.num_bytes() + range.exact.num_bytes());
}

void SideTable::SetExact(uint64_t* entry, ExactCounters::Id id, uint64_t num_keys) const {
  std::ranges::fill(Runs(entry), 0);
  entry[1] = id;
  entry[kNumKeysWord] = num_keys;
}

// --- Insertion and removal of blocks.

uint64_t* SideTable::MakeEntry(OwnedRange& range, uint64_t block_idx) noexcept {
  if (!range.runs.has_space()) return nullptr;
  try {
    return range.runs.FindOrMake(block_idx);
  } catch (const std::bad_alloc&) {
    UpdateFigures(range);  // it may have grown in part
    return nullptr;
  }
}

bool SideTable::Put(uint64_t block_idx, std::span<const uint64_t> counters) {
  std::array<uint64_t, kernels::kMaxSlices> runs;
  if (!MakeLongRuns(counters, Runs(runs.data()))) return PutExact(block_idx, counters);
  return PutRuns(block_idx, runs);
}

bool SideTable::PutExact(uint64_t block_idx, std::span<const uint64_t> counters) {
  OwnedRange& range = Of(block_idx);
  const auto slice0 = counters.first(kernels::SlicePositions(num_slices_));
  const uint64_t num_keys = std::accumulate(slice0.begin(), slice0.end(), uint64_t{0});
  uint64_t* entry = range.runs.Find(block_idx);
  if (entry != nullptr && IsExact(entry)) {
    const bool is_in = range.exact.Replace(IdOf(entry), counters.first(num_counters()));
    if (is_in) entry[kNumKeysWord] = num_keys;
    UpdateFigures(range);
    return is_in;
  }
  const auto id = range.exact.Make(counters.first(num_counters()));
  if (id && entry == nullptr) {
    entry = MakeEntry(range, block_idx);
    if (entry == nullptr) range.exact.Remove(*id);
  }
  if (id && entry != nullptr) SetExact(entry, *id, num_keys);
  UpdateFigures(range);
  return id && entry != nullptr;
}

bool SideTable::PutRuns(uint64_t block_idx, std::span<const uint64_t> runs) {
  OwnedRange& range = Of(block_idx);
  uint64_t* entry = range.runs.Find(block_idx);
  if (entry == nullptr) {
    entry = MakeEntry(range, block_idx);
    if (entry == nullptr) return false;
  } else if (IsExact(entry)) {
    range.exact.Remove(IdOf(entry));
  }
  std::ranges::copy(runs.first(num_slices_), entry);
  UpdateFigures(range);
  return true;
}

bool SideTable::Promote(uint64_t block_idx, std::span<const uint64_t> counters) {
  std::array<uint64_t, kernels::kMaxSlices> runs;
  if (!MakeLongRuns(counters, Runs(runs.data())) ||
      kernels::KeysOfRuns(runs[0]) == kernels::kMaxLongRunKeys) {
    return PutExact(block_idx, counters);
  }
  return PutRuns(block_idx, runs);
}

void SideTable::Remove(uint64_t block_idx) {
  OwnedRange& range = Of(block_idx);
  const uint64_t* entry = range.runs.Find(block_idx);
  if (entry == nullptr) return;
  if (IsExact(entry)) range.exact.Remove(IdOf(entry));
  range.runs.Remove(block_idx);
  UpdateFigures(range);
}

void SideTable::Clear() {
  for (OwnedRange& range : owned_ranges_) {
    range.runs.Clear();
    range.exact.Clear();
    range.num_refused.Set(0);
    UpdateFigures(range);
  }
}

// --- One key.

std::span<const uint16_t> SideTable::CounterIndices(uint64_t digest,
                                                    std::span<uint16_t> buffer) const {
  for (size_t s = 0; s < num_slices_; ++s) {
    buffer[s] = static_cast<uint16_t>(kernels::CounterIndex(digest, s, num_slices_));
  }
  return buffer.first(num_slices_);
}

bool SideTable::MoveToExact(OwnedRange& range, uint64_t* entry, const uint32_t* presence) {
  CounterBuffer counters;
  CopyLongRuns(Runs(entry), presence, counters);
  const auto id = range.exact.Make(std::span(counters).first(num_counters()));
  if (id) SetExact(entry, *id, kernels::kMaxLongRunKeys);
  UpdateFigures(range);
  return id.has_value();
}

bool SideTable::Increment(uint64_t block_idx, uint64_t digest, uint32_t* presence) {
  OwnedRange& range = Of(block_idx);
  uint64_t* entry = EntryOf(block_idx);
  if (!IsExact(entry)) {
    if (kernels::KeysOfRuns(entry[0]) < kernels::kMaxLongRunKeys) {
      IncrementLongRuns(digest, presence, Runs(entry));
      return true;
    }
    // A count of at most 63 grows within its digit: nothing else can be refused below.
    if (!MoveToExact(range, entry, presence)) return false;
  }
  std::array<uint16_t, kernels::kMaxSlices> buffer;
  const std::span<const uint16_t> counter_idxs = CounterIndices(digest, buffer);
  const uint64_t num_bytes = range.exact.num_bytes();
  const bool is_in = range.exact.Increment(IdOf(entry), counter_idxs);
  if (is_in) {
    for (const uint16_t i : counter_idxs) MarkPresent(i, presence);
    entry[kNumKeysWord] += 1;
  }
  if (range.exact.num_bytes() != num_bytes) UpdateFigures(range);
  return is_in;
}

void SideTable::Decrement(uint64_t block_idx, uint64_t digest, uint32_t* presence) {
  uint64_t* entry = EntryOf(block_idx);
  if (!IsExact(entry)) return DecrementLongRuns(digest, presence, Runs(entry));
  OwnedRange& range = Of(block_idx);
  std::array<uint16_t, kernels::kMaxSlices> buffer;
  for (const uint16_t i : CounterIndices(digest, buffer)) {
    if (range.exact.Decrement(IdOf(entry), i)) MarkAbsent(i, presence);
  }
  entry[kNumKeysWord] -= 1;
  if (entry[kNumKeysWord] > kKeysToReturn) return;
  CounterBuffer counters;
  range.exact.CopyTo(IdOf(entry), counters);
  std::array<uint64_t, kernels::kMaxSlices> runs;
  if (!MakeLongRuns(std::span(counters).first(num_counters()), Runs(runs.data()))) return;
  range.exact.Remove(IdOf(entry));
  std::copy_n(runs.begin(), num_slices_, entry);
  UpdateFigures(range);
}

std::span<const uint64_t> SideTable::RunsOf(uint64_t block_idx) const {
  const uint64_t* entry = EntryOf(block_idx);
  if (IsExact(entry)) return {};
  return Runs(entry);
}

uint64_t SideTable::KeysOf(uint64_t block_idx) const {
  const uint64_t* entry = EntryOf(block_idx);
  return IsExact(entry) ? entry[kNumKeysWord] : kernels::KeysOfRuns(entry[0]);
}

uint64_t SideTable::CountAt(uint64_t block_idx, uint64_t digest, size_t slice_idx,
                            const uint32_t* presence) const {
  const uint64_t* entry = EntryOf(block_idx);
  if (!IsExact(entry)) return LongRunCount(Runs(entry), presence, digest, slice_idx);
  return Of(block_idx).exact.At(IdOf(entry), kernels::CounterIndex(digest, slice_idx, num_slices_));
}

void SideTable::CopyTo(uint64_t block_idx, const uint32_t* presence,
                       std::span<uint64_t> counters) const {
  const uint64_t* entry = EntryOf(block_idx);
  if (!IsExact(entry)) return CopyLongRuns(Runs(entry), presence, counters);
  Of(block_idx).exact.CopyTo(IdOf(entry), counters);
}

// --- The whole table.

uint64_t SideTable::num_blocks() const {
  uint64_t num_blocks = 0;
  for (const OwnedRange& range : owned_ranges_) num_blocks += range.num_blocks.Get();
  return num_blocks;
}

uint64_t SideTable::num_refused() const {
  uint64_t num_refused = 0;
  for (const OwnedRange& range : owned_ranges_) num_refused += range.num_refused.Get();
  return num_refused;
}

uint64_t SideTable::num_bytes() const {
  uint64_t bytes = 0;
  for (const OwnedRange& range : owned_ranges_) bytes += range.num_bytes.Get();
  return bytes;
}

uint64_t SideTable::CountBytes() const {
  uint64_t bytes = 0;
  for (const OwnedRange& range : owned_ranges_) {
    bytes += range.runs.num_bytes() + range.exact.CountBytes();
  }
  return bytes;
}

std::vector<uint64_t> SideTable::SortedBlocks() const {
  std::vector<uint64_t> sorted;
  sorted.reserve(num_blocks());
  for (const OwnedRange& range : owned_ranges_) {  // owned ranges ascend
    const size_t first = sorted.size();
    for (size_t i = 0; i < range.runs.size(); ++i) sorted.push_back(range.runs.BlockAt(i));
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(first), sorted.end());
  }
  return sorted;
}

}  // namespace trommel
