#include "engine/src/fingerprints/dense_lines.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace trommel {

using kernels::DenseEntry;
using kernels::DenseShape;

Result<DenseLines> DenseLines::Create(const DenseLayout& layout, uint64_t num_blocks,
                                      uint64_t num_lines) {
  Result<BlockMemory> memory = BlockMemory::Allocate(kLineWords * num_lines);
  if (!memory) return memory.error();
  DenseLines lines;
  lines.layout_ = layout;
  lines.num_blocks_ = num_blocks;
  lines.num_lines_ = num_lines;
  lines.memory_ = *std::move(memory);
  return lines;
}

DenseLines::Distances DenseLines::DistancesOf(uint32_t order, uint32_t key) const {
  const uint64_t span = std::min(kWindow, num_lines_);
  if (span == 1) return {0, 0};
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;
  const uint64_t hash =
      (uint64_t{GroupOf(key)} * kernels::kMaxBlocksPerLine + order + 1) * kMultiplier;
  const uint64_t near = (hash >> 48) % span;
  return {near, (near + 1 + (hash >> 32 & 0xffff) % (span - 1)) % span};
}

DenseLines::Places DenseLines::PlacesOf(uint64_t block_idx, uint32_t key) const {
  const uint64_t home = block_idx * num_lines_ / num_blocks_;
  const auto order = static_cast<uint32_t>(block_idx - FirstBlockOf(home));
  const Distances distances = DistancesOf(order, key);
  return {{(home + distances.near) % num_lines_, (home + distances.far) % num_lines_},
          {order, order + kSecond}};
}

uint64_t DenseLines::BlockOf(uint64_t line_idx, const DenseEntry& entry) const {
  const uint32_t order = entry.tag % kSecond;
  const Distances distances = DistancesOf(order, entry.key);
  const uint64_t distance = entry.tag < kSecond ? distances.near : distances.far;
  return FirstBlockOf((line_idx + num_lines_ - distance) % num_lines_) + order;
}

bool DenseLines::Put(uint64_t block_idx, uint32_t key) {
  const DenseShape& shape = layout_.shape;
  const Places places = PlacesOf(block_idx, key);
  const uint32_t num_in[2] = {NumIn(places.line[0]), NumIn(places.line[1])};
  const size_t i = num_in[1] < num_in[0] ? 1 : 0;
  if (num_in[i] < shape.line_entries()) {
    kernels::SetDenseEntry(shape, LineAt(places.line[i]), num_in[i], {places.tag[i], key});
    num_entries_ += 1;
    return true;
  }
  for (uint32_t t = 0; t < kMoveTries; ++t) {
    const size_t side = t % 2;
    uint32_t* line = LineAt(places.line[side]);
    const DenseEntry entry = kernels::DenseEntryAt(shape, line, t / 2);
    const Places others = PlacesOf(BlockOf(places.line[side], entry), entry.key);
    const size_t other = entry.tag < kSecond ? 1 : 0;
    const uint32_t num_there = NumIn(others.line[other]);
    if (num_there == shape.line_entries()) continue;  // as it is where both are one
    kernels::SetDenseEntry(shape, LineAt(others.line[other]), num_there,
                           {others.tag[other], entry.key});
    kernels::SetDenseEntry(shape, line, t / 2, {places.tag[side], key});
    num_entries_ += 1;
    return true;
  }
  return false;
}

uint32_t DenseLines::FreePlaces(uint64_t block_idx, uint32_t key) const {
  const Places places = PlacesOf(block_idx, key);
  const uint32_t num_entries = layout_.shape.line_entries();
  const uint32_t num_free = num_entries - NumIn(places.line[0]);
  return places.line[0] == places.line[1] ? num_free
                                          : num_free + num_entries - NumIn(places.line[1]);
}

int DenseLines::Find(const Places& places, size_t i, uint32_t key) const {
  const uint32_t* line = LineAt(places.line[i]);
  for (uint32_t left = kernels::DenseEntriesOf(layout_.shape, line, places.tag[i]); left != 0;
       left &= left - 1) {
    const int entry = std::countr_zero(left);
    if (kernels::DenseEntryAt(layout_.shape, line, static_cast<uint32_t>(entry)).key == key) {
      return entry;
    }
  }
  return -1;
}

bool DenseLines::Holds(uint64_t block_idx, uint32_t key) const {
  const Places places = PlacesOf(block_idx, key);
  return Find(places, 0, key) >= 0 || Find(places, 1, key) >= 0;
}

bool DenseLines::Take(uint64_t block_idx, uint32_t key) {
  const Places places = PlacesOf(block_idx, key);
  for (const size_t i : {0U, 1U}) {
    const int entry = Find(places, i, key);
    if (entry < 0) continue;
    kernels::RemoveDenseEntry(layout_.shape, LineAt(places.line[i]), static_cast<uint32_t>(entry));
    num_entries_ -= 1;
    return true;
  }
  return false;
}

void DenseLines::AppendKeys(uint64_t block_idx, uint32_t key, DenseKeys& keys) const {
  const Places places = PlacesOf(block_idx, key);
  for (const size_t i : {0U, 1U}) {
    const uint32_t* line = LineAt(places.line[i]);
    for (uint32_t left = kernels::DenseEntriesOf(layout_.shape, line, places.tag[i]); left != 0;
         left &= left - 1) {
      const auto entry = static_cast<uint32_t>(std::countr_zero(left));
      const uint32_t found = kernels::DenseEntryAt(layout_.shape, line, entry).key;
      if (GroupOf(found) == GroupOf(key)) keys.push_back(found);
    }
  }
}

}  // namespace trommel
