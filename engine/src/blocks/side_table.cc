// Promoted blocks: long runs or exact counters.
#include "engine/src/blocks/side_table.h"

#include <algorithm>
#include <array>
#include <cassert>
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
    : blocks_per_owned_range_(num_blocks >> range_bits),
      num_slices_(num_slices),
      owned_ranges_(size_t{1} << range_bits, OwnedRange{BlockWordMap(num_slices), {}, 0, {}, {}}) {}

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

// A node of the map is its key, value and a link.
uint64_t SideTable::BytesOf(const ExactBlock& block) {
  return sizeof(ExactMap::value_type) + sizeof(void*) + block.counters.num_bytes();
}

// A map's first bucket is part of the map.
uint64_t SideTable::BucketBytesOf(const ExactMap& exact) {
  return exact.bucket_count() > 1 ? exact.bucket_count() * sizeof(void*) : 0;
}

void SideTable::UpdateFigures(OwnedRange& range) {
  range.num_blocks.Set(range.runs.size());
  range.num_bytes.Set(range.runs.num_bytes() + BucketBytesOf(range.exact) + range.exact_bytes);
}

void SideTable::PutExact(OwnedRange& range, uint64_t block_idx, ExactBlock block) {
  const auto old = range.exact.find(block_idx);
  const uint64_t old_bytes = old == range.exact.end() ? 0 : BytesOf(old->second);
  const uint64_t new_bytes = BytesOf(block);
  range.exact.insert_or_assign(block_idx, std::move(block));
  range.exact_bytes += new_bytes - old_bytes;
}

void SideTable::DropExact(OwnedRange& range, uint64_t block_idx) {
  const auto old = range.exact.find(block_idx);
  if (old == range.exact.end()) return;
  range.exact_bytes -= BytesOf(old->second);
  range.exact.erase(old);
  if (range.exact.empty()) range.exact = ExactMap();  // only this frees the map's bucket array
}

// --- Insertion and removal of blocks.

void SideTable::Put(uint64_t block_idx, std::span<const uint64_t> counters) {
  std::array<uint64_t, kernels::kMaxSlices> buffer;
  const std::span<uint64_t> runs = Runs(buffer.data());
  if (MakeLongRuns(counters, runs)) return PutRuns(block_idx, runs);
  const auto slice0 = counters.first(kernels::SlicePositions(num_slices_));
  OwnedRange& range = Of(block_idx);
  PutExact(range, block_idx,
           {ExactCounters(counters.first(num_counters())),
            std::accumulate(slice0.begin(), slice0.end(), uint64_t{0})});
  std::ranges::fill(Runs(range.runs.FindOrMake(block_idx)), 0);
  UpdateFigures(range);
}

void SideTable::PutRuns(uint64_t block_idx, std::span<const uint64_t> runs) {
  OwnedRange& range = Of(block_idx);
  uint64_t* entry = range.runs.FindOrMake(block_idx);
  if (IsExact(entry)) DropExact(range, block_idx);
  std::ranges::copy(runs.first(num_slices_), entry);
  UpdateFigures(range);
}

void SideTable::Remove(uint64_t block_idx) {
  OwnedRange& range = Of(block_idx);
  const uint64_t* entry = range.runs.Find(block_idx);
  if (entry == nullptr) return;
  if (IsExact(entry)) DropExact(range, block_idx);
  range.runs.Remove(block_idx);
  UpdateFigures(range);
}

void SideTable::Clear() {
  for (size_t r = 0; r < owned_ranges_.size(); ++r) ClearOwnedRange(r);
}

void SideTable::ClearOwnedRange(uint64_t range_idx) {
  OwnedRange& range = owned_ranges_[range_idx];
  range.runs.Clear();
  range.exact = ExactMap();
  range.exact_bytes = 0;
  UpdateFigures(range);
}

void SideTable::CopyOwnedRange(const SideTable& from, uint64_t range_idx) {
  owned_ranges_[range_idx] = from.owned_ranges_[range_idx];
  UpdateFigures(owned_ranges_[range_idx]);  // copies have no spare capacity
}

// --- One key.

void SideTable::Increment(uint64_t block_idx, uint64_t digest, uint32_t* presence) {
  OwnedRange& range = Of(block_idx);
  uint64_t* entry = EntryOf(block_idx);
  if (!IsExact(entry)) {
    if (kernels::KeysOfRuns(entry[0]) < kernels::kMaxLongRunKeys) {
      return IncrementLongRuns(digest, presence, Runs(entry));
    }
    CounterBuffer counters;
    CopyLongRuns(Runs(entry), presence, counters);
    PutExact(range, block_idx,
             {ExactCounters(std::span(counters).first(num_counters())), kernels::kMaxLongRunKeys});
    std::ranges::fill(Runs(entry), 0);
    UpdateFigures(range);
  }
  ExactBlock& block = range.exact.at(block_idx);
  const uint64_t old_bytes = block.counters.num_bytes();
  for (size_t s = 0; s < num_slices_; ++s) {
    const size_t counter_idx = kernels::CounterIndex(digest, s, num_slices_);
    block.counters.Increment(counter_idx);
    MarkPresent(counter_idx, presence);
  }
  block.num_keys += 1;
  const uint64_t new_bytes = block.counters.num_bytes();
  if (new_bytes == old_bytes) return;
  range.exact_bytes += new_bytes - old_bytes;
  UpdateFigures(range);
}

void SideTable::Decrement(uint64_t block_idx, uint64_t digest, uint32_t* presence) {
  uint64_t* entry = EntryOf(block_idx);
  if (!IsExact(entry)) return DecrementLongRuns(digest, presence, Runs(entry));
  OwnedRange& range = Of(block_idx);
  ExactBlock& block = range.exact.at(block_idx);
  for (size_t s = 0; s < num_slices_; ++s) {
    const size_t counter_idx = kernels::CounterIndex(digest, s, num_slices_);
    if (block.counters.Decrement(counter_idx) == 0) MarkAbsent(counter_idx, presence);
  }
  block.num_keys -= 1;
  if (block.num_keys > kKeysToReturn) return;
  CounterBuffer counters;
  block.counters.CopyTo(counters);
  std::array<uint64_t, kernels::kMaxSlices> runs;
  if (!MakeLongRuns(std::span(counters).first(num_counters()), Runs(runs.data()))) return;
  std::copy_n(runs.begin(), num_slices_, entry);
  DropExact(range, block_idx);
  UpdateFigures(range);
}

std::span<const uint64_t> SideTable::RunsOf(uint64_t block_idx) const {
  const uint64_t* entry = EntryOf(block_idx);
  if (IsExact(entry)) return {};
  return Runs(entry);
}

uint64_t SideTable::KeysOf(uint64_t block_idx) const {
  const uint64_t* entry = EntryOf(block_idx);
  return IsExact(entry) ? Of(block_idx).exact.at(block_idx).num_keys
                        : kernels::KeysOfRuns(entry[0]);
}

uint64_t SideTable::CountAt(uint64_t block_idx, uint64_t digest, size_t slice_idx,
                            const uint32_t* presence) const {
  const uint64_t* entry = EntryOf(block_idx);
  if (!IsExact(entry)) return LongRunCount(Runs(entry), presence, digest, slice_idx);
  const ExactBlock& block = Of(block_idx).exact.at(block_idx);
  return block.counters.At(kernels::CounterIndex(digest, slice_idx, num_slices_));
}

void SideTable::CopyTo(uint64_t block_idx, const uint32_t* presence,
                       std::span<uint64_t> counters) const {
  const uint64_t* entry = EntryOf(block_idx);
  if (!IsExact(entry)) return CopyLongRuns(Runs(entry), presence, counters);
  Of(block_idx).exact.at(block_idx).counters.CopyTo(counters);
}

// --- The whole table.

uint64_t SideTable::num_blocks() const {
  uint64_t num_blocks = 0;
  for (const OwnedRange& range : owned_ranges_) num_blocks += range.num_blocks.Get();
  return num_blocks;
}

uint64_t SideTable::num_bytes() const {
  uint64_t bytes = 0;
  for (const OwnedRange& range : owned_ranges_) bytes += range.num_bytes.Get();
  return bytes;
}

uint64_t SideTable::CountBytes() const {
  uint64_t bytes = 0;
  for (const OwnedRange& range : owned_ranges_) {
    bytes += range.runs.num_bytes() + BucketBytesOf(range.exact);
    for (const auto& [block_idx, block] : range.exact) bytes += BytesOf(block);
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
