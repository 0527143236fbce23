#include "engine/src/fingerprints/dense_lines.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/src/base/memory_limit.h"

namespace trommel {

using kernels::DenseEntry;

Result<DenseLines> DenseLines::Create(const DenseLayout& layout, uint64_t num_blocks,
                                      uint64_t num_lines) {
  Result<BlockMemory> memory = BlockMemory::Allocate(kLineWords * num_lines);
  if (!memory) return memory.error();
  DenseLines lines;
  const uint64_t num_versions = num_lines / kernels::kGroupBlocks + 1;
  lines.versions_.reset(new (std::nothrow) uint64_t[num_versions]());
  if (lines.versions_ == nullptr) return OutOfMemoryError("the system refused memory for lines");
  lines.layout_ = layout;
  lines.num_blocks_ = num_blocks;
  lines.num_lines_ = num_lines;
  lines.num_in_line_ = layout.shape.line_entries();
  lines.per_block_ = Divisor(num_blocks);
  lines.per_line_ = Divisor(num_lines);
  lines.memory_ = *std::move(memory);
  return lines;
}

DenseLines::Distances DenseLines::DistancesOf(uint32_t order, uint32_t key) const {
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;
  const uint64_t hash =
      (uint64_t{GroupOf(key)} * kernels::kMaxBlocksPerLine + order + 1) * kMultiplier;
  // Of the numbers below span, and of the others.
  const uint64_t span = std::min(kWindow, num_lines_);
  const uint64_t near = (hash >> 48) * span >> 16;
  const uint64_t step = span == 1 ? 0 : 1 + ((hash >> 32 & 0xffff) * (span - 1) >> 16);
  return {near, near + step < span ? near + step : near + step - span};
}

DenseLines::Places DenseLines::PlacesOf(uint64_t block_idx, uint32_t key) const {
  const uint64_t home = per_block_.Divide(block_idx * num_lines_);
  const auto order = static_cast<uint32_t>(block_idx - FirstBlockOf(home));
  const Distances distances = DistancesOf(order, key);
  const auto line_at = [&](uint64_t distance) {
    return home + distance < num_lines_ ? home + distance : home + distance - num_lines_;
  };
  return {{line_at(distances.near), line_at(distances.far)}, {order, order + kSecond}};
}

uint64_t DenseLines::BlockOf(uint64_t line_idx, const DenseEntry& entry) const {
  const uint32_t order = entry.tag % kSecond;
  const Distances distances = DistancesOf(order, entry.key);
  const uint64_t distance = entry.tag < kSecond ? distances.near : distances.far;
  const uint64_t home =
      line_idx >= distance ? line_idx - distance : line_idx + num_lines_ - distance;
  return FirstBlockOf(home) + order;
}

bool DenseLines::Put(uint64_t block_idx, uint32_t key) {
  const Places places = PlacesOf(block_idx, key);
  const uint32_t num_in[2] = {NumIn(places.line[0]), NumIn(places.line[1])};
  const size_t i = num_in[1] < num_in[0] ? 1 : 0;
  if (num_in[i] < num_in_line_) {
    const auto change = ChangeOf(places.line[i]);
    kernels::SetDenseEntry(num_in_line_, LineAt(places.line[i]), num_in[i], {places.tag[i], key});
    num_entries_ += 1;
    return true;
  }
  for (uint32_t t = 0; t < kMoveTries; ++t) {
    const size_t side = t % 2;
    uint32_t* line = LineAt(places.line[side]);
    const DenseEntry entry = kernels::DenseEntryAt(num_in_line_, line, t / 2);
    const Places others = PlacesOf(BlockOf(places.line[side], entry), entry.key);
    const size_t other = entry.tag < kSecond ? 1 : 0;
    const uint32_t num_there = NumIn(others.line[other]);
    if (num_there == num_in_line_) continue;  // as it is where both are one
    {
      const auto change = ChangeOf(others.line[other]);
      kernels::SetDenseEntry(num_in_line_, LineAt(others.line[other]), num_there,
                             {others.tag[other], entry.key});
    }
    const auto change = ChangeOf(places.line[side]);
    kernels::SetDenseEntry(num_in_line_, line, t / 2, {places.tag[side], key});
    num_entries_ += 1;
    return true;
  }
  return false;
}

uint32_t DenseLines::FreePlaces(uint64_t block_idx, uint32_t key) const {
  const Places places = PlacesOf(block_idx, key);
  const uint32_t num_free = num_in_line_ - NumIn(places.line[0]);
  return places.line[0] == places.line[1] ? num_free
                                          : num_free + num_in_line_ - NumIn(places.line[1]);
}

int DenseLines::Find(const Places& places, size_t i, uint32_t key) const {
  for (const auto& entry : EntriesOf(places, i)) {
    if (entry.key == key) return static_cast<int>(entry.i);
  }
  return -1;
}

bool DenseLines::Holds(uint64_t block_idx, uint32_t key) const {
  const Places places = PlacesOf(block_idx, key);
  return Find(places, 0, key) >= 0 || Find(places, 1, key) >= 0;
}

std::optional<bool> DenseLines::HoldsBesideUpdates(uint64_t block_idx, uint32_t key) const {
  const Places places = PlacesOf(block_idx, key);
  kernels::GroupReads<2> reads;
  for (const size_t i : {0U, 1U}) {
    reads.Add(i, &versions_[places.line[i] / kernels::kGroupBlocks]);
  }
  reads.Begin(0, 2);
  if (Find(places, 0, key) >= 0 || Find(places, 1, key) >= 0) return true;
  if (reads.Changed(0, 2) != 0) return std::nullopt;
  return false;
}

bool DenseLines::Take(uint64_t block_idx, uint32_t key) {
  const Places places = PlacesOf(block_idx, key);
  for (const size_t i : {0U, 1U}) {
    const int entry = Find(places, i, key);
    if (entry < 0) continue;
    const auto change = ChangeOf(places.line[i]);
    kernels::RemoveDenseEntry(num_in_line_, LineAt(places.line[i]), static_cast<uint32_t>(entry));
    num_entries_ -= 1;
    return true;
  }
  return false;
}

DenseLines::Group DenseLines::ReadGroup(uint64_t block_idx, uint32_t key) const {
  Group group;
  group.places = PlacesOf(block_idx, key);
  for (const size_t i : {0U, 1U}) {
    for (const auto& entry : EntriesOf(group.places, i)) {
      kernels::DenseTagged& entries = group.entries[i];
      if (GroupOf(entry.key) == GroupOf(key)) entries.entries[entries.size++] = entry;
    }
  }
  return group;
}

// From the last on, so that no entry that is to be removed moves.
void DenseLines::TakeBelow(const Group& group, uint32_t end) {
  for (const size_t i : {0U, 1U}) {
    const kernels::DenseTagged& entries = group.entries[i];
    for (uint32_t e = entries.size; e-- > 0;) {
      if (entries.entries[e].key >= end) continue;
      const auto change = ChangeOf(group.places.line[i]);
      kernels::RemoveDenseEntry(num_in_line_, LineAt(group.places.line[i]), entries.entries[e].i);
      num_entries_ -= 1;
    }
  }
}

}  // namespace trommel
