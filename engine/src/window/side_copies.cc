#include "engine/src/window/side_copies.h"

#include <algorithm>
#include <utility>

namespace trommel {

SideCopies SideCopies::Unlimited() const {
  SideCopies copy;
  if (!is_limited()) {
    copy.records_ = records_;
    copy.lists_ = lists_;
    copy.free_lists_ = free_lists_;
    copy.list_bytes_ = list_bytes_;
    return copy;
  }
  List entries;
  for (const uint64_t block_idx : pool_->SortedBlocks()) {
    entries.clear();
    pool_->VisitEntries(block_idx,
                        [&entries](const BucketKey& entry) { entries.push_back(entry); });
    copy.Put(block_idx, entries);
  }
  return copy;
}

std::optional<SideCopies> SideCopies::LimitedTo(const SidePool::Space& space,
                                                uint64_t first_live) const {
  SideCopies limited;
  limited.pool_ = std::make_unique<SidePool>(space);
  for (const uint64_t block_idx : SortedBlocks()) {
    bool is_in = true;
    VisitEntries(block_idx, [&](const BucketKey& entry) {
      if (entry.bucket < first_live) return;
      is_in = is_in && limited.pool_->Add(block_idx, entry, first_live);
    });
    if (!is_in) return std::nullopt;
  }
  return limited;
}

uint64_t SideCopies::NumCopies(uint64_t block_idx, uint32_t fingerprint,
                               uint64_t first_bucket) const {
  uint64_t num_copies = 0;
  VisitEntries(block_idx, [&](const BucketKey& entry) {
    if (entry.fingerprint == fingerprint && entry.bucket >= first_bucket) {
      num_copies += entry.count;
    }
  });
  return num_copies;
}

SideCopies::Entries SideCopies::Of(uint64_t block_idx) const {
  const uint64_t* record = records_.Find(block_idx);
  if (record == nullptr) return {};
  if (record[1] == kInList) return Entries(std::span<const BucketKey>(lists_[record[0]]));
  return Entries(BucketKey{.fingerprint = static_cast<uint32_t>(record[1] >> 48),
                           .bucket = record[0],
                           .count = record[1] & (~uint64_t{0} >> 16)});
}

void SideCopies::FreeList(const uint64_t* record) {
  if (record[1] != kInList) return;
  List& list = lists_[record[0]];
  list_bytes_ -= list.capacity() * sizeof(BucketKey);
  list = List();  // {} would keep its memory
  free_lists_.push_back(record[0]);
  if (free_lists_.size() < lists_.size()) return;
  lists_ = std::vector<List>();
  free_lists_ = std::vector<uint64_t>();
}

void SideCopies::Put(uint64_t block_idx, std::span<const BucketKey> keys) {
  if (keys.empty()) {
    const uint64_t* record = records_.Find(block_idx);
    if (record == nullptr) return;
    FreeList(record);
    records_.Remove(block_idx);
    return;
  }
  uint64_t* record = records_.FindOrMake(block_idx);
  if (keys.size() == 1 && keys[0].count <= kMaxInlineCount) {
    FreeList(record);
    record[0] = keys[0].bucket;
    record[1] = uint64_t{keys[0].fingerprint} << 48 | keys[0].count;
    return;
  }
  if (record[1] != kInList) {
    if (free_lists_.empty()) {
      free_lists_.push_back(lists_.size());
      lists_.emplace_back();
    }
    record[0] = free_lists_.back();
    record[1] = kInList;
    free_lists_.pop_back();
  }
  List& list = lists_[record[0]];
  list_bytes_ -= list.capacity() * sizeof(BucketKey);
  list.assign(keys.begin(), keys.end());
  list_bytes_ += list.capacity() * sizeof(BucketKey);
}

// In place where there is a list and it stays one.
template <class Changes>
void SideCopies::Change(uint64_t block_idx, const Changes& changes) {
  const uint64_t* record = records_.Find(block_idx);
  if (record != nullptr && record[1] == kInList) {
    List& list = lists_[record[0]];
    list_bytes_ -= list.capacity() * sizeof(BucketKey);
    changes(list);
    if (list.capacity() > 4 * list.size()) list.shrink_to_fit();
    list_bytes_ += list.capacity() * sizeof(BucketKey);
    if (list.size() > 1) return;
    const List left = list;
    return Put(block_idx, left);
  }
  InlineVector<BucketKey, 4> few;
  for (const BucketKey& copies : Of(block_idx)) few.push_back(copies);
  changes(few);
  Put(block_idx, {few.begin(), few.end()});
}

bool SideCopies::Add(uint64_t block_idx, const BucketKey& copies, uint64_t first_kept) {
  if (is_limited()) return pool_->Add(block_idx, copies, first_kept);
  Change(block_idx, [&](auto& list) {
    DropBefore(list, first_kept);
    AddCopies(list, copies);
  });
  return true;
}

bool SideCopies::Take(uint64_t block_idx, uint32_t fingerprint, uint64_t bucket) {
  if (is_limited()) return pool_->Take(block_idx, fingerprint, bucket);
  const Entries entries = Of(block_idx);
  if (!IsAt(entries, LowerBound(entries, fingerprint, bucket), fingerprint, bucket)) return false;
  Change(block_idx, [&](auto& list) { TakeCopy(list, fingerprint, bucket); });
  return true;
}

std::optional<uint64_t> SideCopies::TakeYoungest(uint64_t block_idx, uint32_t fingerprint,
                                                 uint64_t first_kept) {
  if (is_limited()) return pool_->TakeYoungest(block_idx, fingerprint, first_kept);
  const Entries entries = Of(block_idx);
  const BucketKey* end = LowerBound(entries, fingerprint + 1, 0);
  if (end == entries.begin()) return std::nullopt;
  const BucketKey youngest = *(end - 1);
  if (youngest.fingerprint != fingerprint || youngest.bucket < first_kept) return std::nullopt;
  Take(block_idx, fingerprint, youngest.bucket);
  return youngest.bucket;
}

void SideCopies::DropExpired(uint64_t block_idx, uint64_t first_kept) {
  if (is_limited()) return pool_->DropExpired(block_idx, first_kept);
  Change(block_idx, [&](auto& list) { DropBefore(list, first_kept); });
}

void SideCopies::Clear() {
  if (is_limited()) return pool_->Clear();
  records_.Clear();
  lists_ = std::vector<List>();
  free_lists_ = std::vector<uint64_t>();
  list_bytes_ = 0;
}

uint64_t SideCopies::num_bytes() const {
  if (is_limited()) return pool_->num_bytes();
  return records_.num_bytes() + list_bytes_ + lists_.capacity() * sizeof(List) +
         free_lists_.capacity() * sizeof(uint64_t);
}

std::vector<uint64_t> SideCopies::SortedBlocks() const {
  if (is_limited()) return pool_->SortedBlocks();
  std::vector<uint64_t> blocks;
  for (size_t i = 0; i < records_.size(); ++i) blocks.push_back(records_.BlockAt(i));
  std::ranges::sort(blocks);
  return blocks;
}

}  // namespace trommel
