// A dense array of entries, and linear probing to find them.
#include "engine/src/blocks/block_word_map.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace trommel {
namespace {

// Three quarters of a power of two.
constexpr uint64_t EntriesOfIndex(uint64_t num_slots) { return num_slots / 4 * 3; }

}  // namespace

uint64_t* BlockWordMap::Find(uint64_t block_idx) {
  return const_cast<uint64_t*>(std::as_const(*this).Find(block_idx));
}

const uint64_t* BlockWordMap::Find(uint64_t block_idx) const {
  if (index_.empty()) return nullptr;
  const size_t number = NumberIn(index_[SlotOf(block_idx)]);
  return number == 0 ? nullptr : &entries_[(number - 1) * stride_ + 1];
}

void BlockWordMap::PrefetchIndex(uint64_t block_idx) const {
  if (!index_.empty()) __builtin_prefetch(&index_[StartOf(block_idx).home]);
}

// The first slot with the block's tag, nearly always the block's. Without one: where the next entry
// will be made.
void BlockWordMap::PrefetchEntry(uint64_t block_idx) const {
  if (index_.empty()) return;
  const Start start = StartOf(block_idx);
  size_t slot = start.home;
  while (index_[slot] != 0 && !HasTag(index_[slot], start.tag)) slot = Next(slot);
  const size_t entry_idx = index_[slot] == 0 ? size() : NumberIn(index_[slot]) - 1;
  const uint64_t* entry = entries_.data() + entry_idx * stride_;
  constexpr size_t kWordsPerLine = 8;
  for (size_t w = 0; w < stride_; w += kWordsPerLine) __builtin_prefetch(entry + w);
  __builtin_prefetch(entry + stride_ - 1);  // entries begin anywhere in a line
}

uint64_t* BlockWordMap::FindOrMake(uint64_t block_idx) {
  if (uint64_t* found = Find(block_idx)) return found;
  const size_t num_entries = size();
  // Memory first, so that running out of it changes nothing.
  if (entries_.capacity() - entries_.size() < stride_) {
    entries_.reserve(WithSpare(num_entries) * stride_);
  }
  if ((num_entries + 1) * 4 > index_.size() * 3) GrowIndex();
  entries_.resize(entries_.size() + stride_);
  entries_[num_entries * stride_] = block_idx;
  SetNumber(num_entries);
  return &entries_[num_entries * stride_ + 1];
}

void BlockWordMap::Remove(uint64_t block_idx) {
  if (index_.empty()) return;
  const size_t slot = SlotOf(block_idx);
  if (index_[slot] == 0) return;
  if (size() == 1 && max_entries_ == 0) return Clear();
  const size_t entry_idx = NumberIn(index_[slot]) - 1;
  const size_t last_idx = size() - 1;
  FreeSlot(slot);               // before entry numbers change
  if (entry_idx != last_idx) {  // the last entry moves into the hole
    const size_t last_slot = SlotOf(BlockAt(last_idx));
    std::copy_n(&entries_[last_idx * stride_], stride_, &entries_[entry_idx * stride_]);
    index_[last_slot] += static_cast<uint32_t>(entry_idx - last_idx);  // the tag stays
  }
  entries_.resize(last_idx * stride_);
  if (max_entries_ == 0) GiveBackSpare();
}

void BlockWordMap::Clear() {
  if (max_entries_ != 0) {
    entries_.clear();
    std::ranges::fill(index_, 0U);
    return;
  }
  // Assigning {} would keep the memory.
  entries_ = std::vector<uint64_t>();
  index_ = std::vector<uint32_t>();
}

void BlockWordMap::Reserve(size_t max_entries) {
  std::vector<uint64_t> entries;
  entries.reserve(max_entries * stride_);
  entries = entries_;  // within the capacity
  size_t num_slots = kMinSlots;
  while (EntriesOfIndex(num_slots) < max_entries) num_slots *= 2;
  std::vector<uint32_t> index(num_slots);
  entries_.swap(entries);
  index_.swap(index);
  max_entries_ = max_entries;
  FillIndex();
}

void BlockWordMap::LiftLimit() {
  max_entries_ = 0;
  if (size() == 0) Clear();
}

uint64_t BlockWordMap::BytesFor(size_t num_entries) const {
  uint64_t num_slots = kMinSlots;
  while (EntriesOfIndex(num_slots) < num_entries) num_slots *= 2;
  return num_entries * stride_ * sizeof(uint64_t) + num_slots * sizeof(uint32_t);
}

size_t BlockWordMap::EntriesWithin(uint64_t num_bytes) const {
  uint64_t most = 0;
  for (uint64_t num_slots = kMinSlots; num_slots < num_bytes / sizeof(uint32_t); num_slots *= 2) {
    const uint64_t left = num_bytes - num_slots * sizeof(uint32_t);
    most = std::max(most, std::min(EntriesOfIndex(num_slots), left / (stride_ * sizeof(uint64_t))));
  }
  return most;
}

uint64_t BlockWordMap::num_bytes() const {
  return entries_.capacity() * sizeof(uint64_t) + index_.capacity() * sizeof(uint32_t);
}

BlockWordMap::Start BlockWordMap::StartOf(uint64_t block_idx) const {
  // Fibonacci hashing: neighbours are spread, and the top bits choose.
  constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15ULL;
  const uint64_t hash = (block_idx * kGoldenRatio) >> 32;
  const int index_bits = std::countr_zero(index_.size());
  return {hash >> (32 - index_bits), static_cast<uint32_t>(hash << index_bits)};
}

size_t BlockWordMap::SlotOf(uint64_t block_idx, Start start) const {
  size_t slot = start.home;
  while (index_[slot] != 0 &&
         !(HasTag(index_[slot], start.tag) && BlockAt(NumberIn(index_[slot]) - 1) == block_idx)) {
    slot = Next(slot);
  }
  return slot;
}

void BlockWordMap::SetNumber(size_t entry_idx) {
  const uint64_t block_idx = BlockAt(entry_idx);
  const Start start = StartOf(block_idx);
  index_[SlotOf(block_idx, start)] = start.tag | static_cast<uint32_t>(entry_idx + 1);
}

// Backward-shift deletion: what a search would no longer reach across the hole moves into it.
void BlockWordMap::FreeSlot(size_t slot) {
  const size_t mask = index_.size() - 1;
  size_t hole = slot;
  for (slot = Next(slot); index_[slot] != 0; slot = Next(slot)) {
    const size_t home = StartOf(BlockAt(NumberIn(index_[slot]) - 1)).home;
    if (((slot - home) & mask) < ((slot - hole) & mask)) continue;  // its home lies behind the hole
    index_[hole] = index_[slot];
    hole = slot;
  }
  index_[hole] = 0;
}

// Above what a growing array has, by a quarter: an array of few entries, whose number varies much,
// does not stay as large as it ever was, and does not change to and fro.
void BlockWordMap::GiveBackSpare() {
  if (entries_.capacity() <= WithSpare(WithSpare(size())) * stride_) return;
  try {
    std::vector<uint64_t> smaller;
    smaller.reserve(WithSpare(size()) * stride_);
    smaller.assign(entries_.begin(), entries_.end());
    entries_.swap(smaller);
  } catch (const std::bad_alloc&) {  // then it stays as it is
  }
}

void BlockWordMap::GrowIndex() {
  std::vector<uint32_t> larger(std::max(kMinSlots, index_.size() * 2));
  index_.swap(larger);
  FillIndex();
}

void BlockWordMap::FillIndex() {
  for (size_t i = 0; i < size(); ++i) SetNumber(i);
}

}  // namespace trommel
