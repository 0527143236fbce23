#include "engine/src/window/side_pool.h"

#include <algorithm>
#include <cassert>

namespace trommel {

SidePool::Space SidePool::SpaceWithin(uint64_t num_bytes, uint64_t num_blocks) {
  // At most half of it for records.
  Space space;
  space.max_blocks =
      std::clamp<uint64_t>(EmptyRecords().EntriesWithin(num_bytes / 2), 1, num_blocks);
  const uint64_t record_bytes = EmptyRecords().BytesFor(space.max_blocks);
  space.max_entries = (num_bytes - record_bytes) / sizeof(Node);
  space.max_entries = std::clamp<uint64_t>(space.max_entries, 1, kNone - 1);
  space.max_blocks = std::min(space.max_blocks, space.max_entries);
  return space;
}

SidePool::SidePool(const Space& space) {
  records_.Reserve(space.max_blocks);
  nodes_.resize(space.max_entries);
  Clear();
}

void SidePool::Clear() {
  records_.Clear();
  for (size_t n = 0; n < nodes_.size(); ++n) {
    nodes_[n].next = n + 1 == nodes_.size() ? kNone : static_cast<uint32_t>(n + 1);
  }
  first_free_ = nodes_.empty() ? kNone : 0;
  num_used_ = 0;
}

void SidePool::FreeNode(uint32_t node) {
  nodes_[node].next = first_free_;
  first_free_ = node;
  num_used_ -= 1;
}

void SidePool::SetNext(uint64_t* record, uint32_t before, uint32_t node) {
  if (before == kNone) {
    record[0] = node;
  } else {
    nodes_[before].next = node;
  }
}

template <class IsGone>
void SidePool::DropIf(uint64_t block_idx, const IsGone& is_gone) {
  uint64_t* record = records_.Find(block_idx);
  if (record == nullptr) return;
  uint32_t before = kNone;
  for (uint32_t n = FirstOf(record); n != kNone;) {
    const uint32_t next = nodes_[n].next;
    if (is_gone(KeyOf(nodes_[n]))) {
      SetNext(record, before, next);
      FreeNode(n);
    } else {
      before = n;
    }
    n = next;
  }
  if (before == kNone) records_.Remove(block_idx);
}

bool SidePool::Add(uint64_t block_idx, const BucketKey& copies, uint64_t first_kept) {
  DropExpired(block_idx, first_kept);
  uint64_t* record = records_.Find(block_idx);
  uint32_t before = kNone;
  uint32_t next = record == nullptr ? kNone : FirstOf(record);
  for (; next != kNone && ComesBefore(KeyOf(nodes_[next]), copies); next = nodes_[next].next) {
    before = next;
  }
  if (next != kNone && !ComesBefore(copies, KeyOf(nodes_[next]))) {
    if (copies.count > kMaxCount - KeyOf(nodes_[next]).count) return false;
    nodes_[next].fingerprint_and_count += copies.count;
    return true;
  }
  if (first_free_ == kNone || (record == nullptr && !records_.has_space())) return false;
  if (record == nullptr) {
    record = records_.FindOrMake(block_idx);
    record[0] = kNone;
  }
  const uint32_t added = first_free_;
  first_free_ = nodes_[added].next;
  num_used_ += 1;
  nodes_[added] = {copies.bucket, Packed(copies), next};
  SetNext(record, before, added);
  return true;
}

bool SidePool::Take(uint64_t block_idx, uint32_t fingerprint, uint64_t bucket) {
  uint64_t* record = records_.Find(block_idx);
  for (uint32_t n = record == nullptr ? kNone : FirstOf(record); n != kNone; n = nodes_[n].next) {
    const BucketKey key = KeyOf(nodes_[n]);
    if (key.fingerprint != fingerprint || key.bucket != bucket) continue;
    if (key.count > 1) {
      nodes_[n].fingerprint_and_count -= 1;
      return true;
    }
    DropIf(block_idx, [&](const BucketKey& entry) {
      return entry.fingerprint == fingerprint && entry.bucket == bucket;
    });
    return true;
  }
  return false;
}

std::optional<uint64_t> SidePool::TakeYoungest(uint64_t block_idx, uint32_t fingerprint,
                                               uint64_t first_kept) {
  std::optional<uint64_t> youngest;
  VisitEntries(block_idx, [&](const BucketKey& entry) {
    if (entry.fingerprint == fingerprint && entry.bucket >= first_kept) youngest = entry.bucket;
  });
  if (youngest) Take(block_idx, fingerprint, *youngest);
  return youngest;
}

void SidePool::DropExpired(uint64_t block_idx, uint64_t first_kept) {
  DropIf(block_idx, [first_kept](const BucketKey& entry) { return entry.bucket < first_kept; });
}

std::vector<uint64_t> SidePool::SortedBlocks() const {
  std::vector<uint64_t> blocks;
  for (size_t i = 0; i < records_.size(); ++i) blocks.push_back(records_.BlockAt(i));
  std::ranges::sort(blocks);
  return blocks;
}

}  // namespace trommel
