#include "engine/src/fingerprints/hidden_keys.h"

#include <algorithm>
#include <utility>

namespace trommel {
namespace {

constexpr uint32_t Packed(uint32_t key, uint32_t count) { return key << 16 | count; }
constexpr uint32_t KeyOf(uint32_t entry) { return entry >> 16; }
constexpr uint32_t NumCopies(uint32_t entry) { return entry & 0xffff; }

uint64_t BytesOf(const std::vector<BlockKey>& list) { return list.capacity() * sizeof(BlockKey); }

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
    if (entry != 0) contents.push_back({KeyOf(entry), NumCopies(entry)});
  }
  std::ranges::sort(contents, {}, &BlockKey::key);
  return contents;
}

bool HiddenKeys::AllFitRecords() const {
  return std::ranges::all_of(lists_, [](const List& list) { return IsShort(list); });
}

void HiddenKeys::LimitTo(uint64_t max_records) {
  // Lists that erasures have left short.
  for (size_t i = 0; i < records_.size() && !lists_.empty(); ++i) {
    const uint64_t block_idx = records_.BlockAt(i);
    const uint64_t* record = Find(block_idx);
    if (IsInList(record)) Put(block_idx, ContentsOf(block_idx), record[0]);
  }
  list_bytes_ = 0;  // what it was in the object that this is a copy of has other capacities
  records_.Reserve(max_records);
  max_records_ = max_records;
}

void HiddenKeys::LiftLimit() {
  records_.LiftLimit();
  max_records_ = kNoLimit;
}

void HiddenKeys::BecomeCopy() {
  LiftLimit();
  list_bytes_ = 0;
  for (const List& list : lists_) list_bytes_ += BytesOf(list);
}

void HiddenKeys::Put(uint64_t block_idx, const BlockContents& hidden, uint64_t total) {
  uint64_t* record = records_.FindOrMake(block_idx);
  if (IsInList(record)) FreeList(record);
  std::fill_n(record, 1 + kEntryWords, 0);
  record[0] = total;
  if (!IsShort(hidden)) return MoveToList(record, hidden);
  for (size_t i = 0; i < hidden.size(); ++i) {
    SetEntry(record, i, Packed(hidden[i].key, static_cast<uint32_t>(hidden[i].count)));
  }
}

void HiddenKeys::Remove(uint64_t block_idx) {
  const uint64_t* record = records_.Find(block_idx);
  if (record == nullptr) return;
  if (IsInList(record)) FreeList(record);
  records_.Remove(block_idx);
}

void HiddenKeys::Clear() {
  records_.Clear();
  // Assigning {} would keep the memory.
  lists_ = std::vector<List>();
  free_lists_ = std::vector<uint64_t>();
  list_bytes_ = 0;
}

void HiddenKeys::MoveToList(uint64_t* record, const BlockContents& contents) {
  uint64_t list_idx = lists_.size();
  if (free_lists_.empty()) {
    lists_.emplace_back(contents.begin(), contents.end());
  } else {
    list_idx = free_lists_.back();
    free_lists_.pop_back();
    lists_[list_idx].assign(contents.begin(), contents.end());
  }
  list_bytes_ += BytesOf(lists_[list_idx]);
  record[1] = kInList;
  record[2] = list_idx;
}

void HiddenKeys::FreeList(const uint64_t* record) {
  list_bytes_ -= BytesOf(ListOf(record));
  ListOf(record) = List();  // {} would keep the memory
  free_lists_.push_back(record[2]);
  if (free_lists_.size() < lists_.size()) return;
  lists_ = std::vector<List>();
  free_lists_ = std::vector<uint64_t>();
}

bool HiddenKeys::AddOne(uint64_t block_idx, uint32_t key) {
  uint64_t* record = Find(block_idx);
  if (!Hide(key, record)) return false;
  record[0] += 1;
  return true;
}

bool HiddenKeys::Hide(uint32_t key, uint64_t* record) {
  if (IsInList(record)) {
    List& list = ListOf(record);
    list_bytes_ -= BytesOf(list);
    AddTo(list, key, 1);
    list_bytes_ += BytesOf(list);
    return true;
  }
  size_t free_idx = kEntries;
  for (size_t i = 0; i < kEntries; ++i) {
    const uint32_t entry = EntryAt(record, i);
    if (entry == 0) {
      free_idx = std::min(free_idx, i);
    } else if (KeyOf(entry) == key && NumCopies(entry) < kMaxCount) {
      SetEntry(record, i, entry + 1);
      return true;
    } else if (KeyOf(entry) == key) {
      free_idx = kEntries;
      break;
    }
  }
  if (free_idx < kEntries) {
    SetEntry(record, free_idx, Packed(key, 1));
    return true;
  }
  if (is_limited()) return false;
  BlockContents contents = Entries(record);
  AddTo(contents, key, 1);
  MoveToList(record, contents);
  return true;
}

bool HiddenKeys::TakeOne(uint64_t block_idx, uint32_t key) {
  uint64_t* record = Find(block_idx);
  if (!IsInList(record)) {
    for (size_t i = 0; i < kEntries; ++i) {
      const uint32_t entry = EntryAt(record, i);
      if (entry == 0 || KeyOf(entry) != key) continue;
      SetEntry(record, i, NumCopies(entry) == 1 ? 0 : entry - 1);
      record[0] -= 1;
      return true;
    }
    return false;
  }
  List& contents = ListOf(record);
  if (CountIn(contents, key) == 0) return false;
  RemoveFrom(contents, key, 1);
  record[0] -= 1;
  // Half of the entries, so that a block near the limit does not go to and fro.
  if (contents.size() <= kEntries / 2 && contents.capacity() > 0) {
    const BlockContents rest(contents.data(), contents.data() + contents.size());
    Put(block_idx, rest, record[0]);
  }
  return true;
}

uint64_t HiddenKeys::CountOf(uint64_t block_idx, uint32_t key) const {
  const uint64_t* record = records_.Find(block_idx);
  if (IsInList(record)) return CountIn(ListOf(record), key);
  for (size_t i = 0; i < kEntries; ++i) {
    const uint32_t entry = EntryAt(record, i);
    if (entry != 0 && KeyOf(entry) == key) return NumCopies(entry);
  }
  return 0;
}

BlockContents HiddenKeys::ContentsOf(uint64_t block_idx) const {
  const uint64_t* record = records_.Find(block_idx);
  if (!IsInList(record)) return Entries(record);
  const List& list = ListOf(record);
  return {list.data(), list.data() + list.size()};
}

uint64_t HiddenKeys::num_bytes() const {
  return records_.num_bytes() + lists_.capacity() * sizeof(List) +
         free_lists_.capacity() * sizeof(uint64_t) + list_bytes_;
}

uint64_t HiddenKeys::CountBytes() const {
  uint64_t list_bytes = 0;
  for (const List& list : lists_) list_bytes += BytesOf(list);
  return num_bytes() - list_bytes_ + list_bytes;
}

}  // namespace trommel
