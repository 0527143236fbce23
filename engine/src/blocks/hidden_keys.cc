#include "engine/src/blocks/hidden_keys.h"

#include <algorithm>
#include <utility>

namespace trommel {
namespace {

constexpr uint32_t Packed(uint32_t key, uint32_t count) { return key << 16 | count; }
constexpr uint32_t KeyOf(uint32_t entry) { return entry >> 16; }
constexpr uint32_t CopiesOf(uint32_t entry) { return entry & 0xffff; }

// Of a node of the map, with its vector.
uint64_t BytesOf(const std::vector<BlockKey>& contents) {
  constexpr uint64_t kNodeBytes = 72;
  return kNodeBytes + contents.capacity() * sizeof(BlockKey);
}

}  // namespace

void HiddenKeys::SetEntry(uint64_t* record, size_t i, uint32_t entry) {
  uint64_t& word = record[1 + i / 2];
  const size_t shift = i % 2 * 32;
  word = (word & ~(uint64_t{0xffffffff} << shift)) | uint64_t{entry} << shift;
}

// Entries of a record are in no order, so that one key more or less moves nothing.
BlockContents HiddenKeys::Entries(const uint64_t* record) {
  BlockContents contents;
  for (size_t i = 0; i < kEntries; ++i) {
    const uint32_t entry = EntryAt(record, i);
    if (entry != 0) contents.push_back({KeyOf(entry), CopiesOf(entry)});
  }
  std::ranges::sort(contents, {}, &BlockKey::key);
  return contents;
}

bool HiddenKeys::IsSmall(const BlockContents& hidden) {
  return hidden.size() <= kEntries &&
         std::ranges::all_of(hidden, [](BlockKey k) { return k.count <= kMaxCount; });
}

void HiddenKeys::LimitTo(uint64_t max_records) {
  records_.Reserve(max_records);
  max_records_ = max_records;
}

void HiddenKeys::LiftLimit() {
  records_.LiftLimit();
  max_records_ = kNoLimit;
}

void HiddenKeys::Put(uint64_t block_idx, const BlockContents& hidden, uint64_t total) {
  const bool is_small = IsSmall(hidden);
  EraseMore(block_idx);
  if (!is_small) more_bytes_ += BytesOf(more_[block_idx] = {hidden.begin(), hidden.end()});
  uint64_t* record = records_.FindOrMake(block_idx);
  std::fill_n(record, 1 + kEntryWords, 0);
  record[0] = total;
  if (!is_small) {
    record[1] = kElsewhere;
    return;
  }
  for (size_t i = 0; i < hidden.size(); ++i) {
    SetEntry(record, i, Packed(hidden[i].key, static_cast<uint32_t>(hidden[i].count)));
  }
}

void HiddenKeys::Remove(uint64_t block_idx) {
  const uint64_t* record = records_.Find(block_idx);
  if (record == nullptr) return;
  if (IsElsewhere(record)) EraseMore(block_idx);
  records_.Remove(block_idx);
}

void HiddenKeys::Clear() {
  records_.Clear();
  more_ = {};
  more_bytes_ = 0;
}

void HiddenKeys::EraseMore(uint64_t block_idx) {
  const auto at = more_.find(block_idx);
  if (at == more_.end()) return;
  more_bytes_ -= BytesOf(at->second);
  more_.erase(at);
}

void HiddenKeys::MoveElsewhere(uint64_t block_idx, uint64_t* record,
                               const BlockContents& contents) {
  more_bytes_ += BytesOf(more_[block_idx] = {contents.begin(), contents.end()});
  record[1] = kElsewhere;
}

bool HiddenKeys::AddOne(uint64_t block_idx, uint32_t key) {
  uint64_t* record = Find(block_idx);
  if (IsElsewhere(record)) {
    std::vector<BlockKey>& contents = more_.at(block_idx);
    more_bytes_ -= BytesOf(contents);
    AddTo(contents, key, 1);
    more_bytes_ += BytesOf(contents);
    record[0] += 1;
    return true;
  }
  size_t free_idx = kEntries;
  for (size_t i = 0; i < kEntries; ++i) {
    const uint32_t entry = EntryAt(record, i);
    if (entry == 0) {
      free_idx = std::min(free_idx, i);
    } else if (KeyOf(entry) == key && CopiesOf(entry) < kMaxCount) {
      SetEntry(record, i, entry + 1);
      record[0] += 1;
      return true;
    } else if (KeyOf(entry) == key) {
      free_idx = kEntries;
      break;
    }
  }
  if (free_idx < kEntries) {
    SetEntry(record, free_idx, Packed(key, 1));
  } else if (is_limited()) {
    return false;
  } else {
    BlockContents contents = Entries(record);
    AddTo(contents, key, 1);
    MoveElsewhere(block_idx, record, contents);
  }
  record[0] += 1;
  return true;
}

void HiddenKeys::TakeOne(uint64_t block_idx, uint32_t key) {
  uint64_t* record = Find(block_idx);
  record[0] -= 1;
  if (!IsElsewhere(record)) {
    for (size_t i = 0; i < kEntries; ++i) {
      const uint32_t entry = EntryAt(record, i);
      if (entry == 0 || KeyOf(entry) != key) continue;
      SetEntry(record, i, CopiesOf(entry) == 1 ? 0 : entry - 1);
      return;
    }
    return;
  }
  std::vector<BlockKey>& contents = more_.at(block_idx);
  RemoveFrom(contents, key, 1);
  // Half of the entries, so that a block near the limit does not go to and fro.
  if (contents.size() <= kEntries / 2 && contents.capacity() > 0) {
    const BlockContents rest(contents.data(), contents.data() + contents.size());
    Put(block_idx, rest, record[0]);
  }
}

uint64_t HiddenKeys::CountOf(uint64_t block_idx, uint32_t key) const {
  const uint64_t* record = records_.Find(block_idx);
  if (IsElsewhere(record)) return CountIn(more_.at(block_idx), key);
  for (size_t i = 0; i < kEntries; ++i) {
    const uint32_t entry = EntryAt(record, i);
    if (entry != 0 && KeyOf(entry) == key) return CopiesOf(entry);
  }
  return 0;
}

BlockContents HiddenKeys::ContentsOf(uint64_t block_idx) const {
  const uint64_t* record = records_.Find(block_idx);
  if (!IsElsewhere(record)) return Entries(record);
  const std::vector<BlockKey>& contents = more_.at(block_idx);
  return {contents.data(), contents.data() + contents.size()};
}

uint64_t HiddenKeys::CountBytes() const {
  uint64_t bytes = records_.num_bytes();
  for (const auto& [block_idx, contents] : more_) bytes += BytesOf(contents);
  return bytes;
}

std::vector<uint64_t> HiddenKeys::SortedBlocks() const {
  std::vector<uint64_t> blocks(records_.size());
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = records_.BlockAt(i);
  std::ranges::sort(blocks);
  return blocks;
}

}  // namespace trommel
