#include "engine/src/window/side_copies.h"

#include <new>
#include <utility>

namespace trommel {

SideCopies::Space SideCopies::SpaceWithin(uint64_t num_bytes, uint64_t num_blocks) {
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

SideCopies::SideCopies(uint32_t fingerprint_bits, const Space& space)
    : fingerprint_bits_(fingerprint_bits), space_(space) {
  if (!is_limited()) return;
  records_.Reserve(space.max_blocks);
  nodes_.reserve(space.max_entries);
}

SideCopies SideCopies::Unlimited() const {
  SideCopies copy = *this;
  copy.space_ = Space();
  copy.records_.LiftLimit();
  return copy;
}

std::optional<SideCopies> SideCopies::CopyWithin(const Space& space) const {
  SideCopies copy(fingerprint_bits_, space);
  bool is_in = true;
  for (size_t i = 0; i < records_.size(); ++i) {
    const uint64_t block_idx = records_.BlockAt(i);
    VisitEntries(block_idx, [&](const StampedCopies& copies) {
      is_in = is_in && copy.Add(block_idx, copies);
    });
  }
  if (!is_in) return std::nullopt;
  return copy;
}

uint32_t* SideCopies::LinkTo(uint32_t key, uint32_t* root) {
  uint32_t* link = root;
  for (uint32_t bit = TopBit(); *link != kNone && nodes_[*link].key != key; bit /= 2) {
    link = &nodes_[*link].below[(key & bit) != 0];
  }
  return link;
}

// It is on the way to first_key, or the first of the tree beside the way that comes next.
uint32_t SideCopies::FirstBetween(uint32_t root, uint32_t first_key, uint32_t end_key) const {
  uint32_t first = kNone;
  uint32_t end = end_key;  // of what would be before `first`
  const auto look_at = [&](uint32_t n) {
    if (nodes_[n].key < first_key || nodes_[n].key >= end) return;
    first = n;
    end = nodes_[n].key;
  };
  uint32_t beside = kNone;
  uint32_t bit = TopBit();
  for (uint32_t n = root; n != kNone && end != first_key; bit /= 2) {
    look_at(n);
    const bool is_set = (first_key & bit) != 0;
    // Its keys have the bits of first_key before this one.
    const bool may_have = !is_set && (first_key | (2 * bit - 1)) - (bit - 1) < end;
    if (may_have && nodes_[n].below[1] != kNone) beside = nodes_[n].below[1];
    n = nodes_[n].below[is_set];
  }
  for (uint32_t n = beside; n != kNone && end != first_key;) {
    look_at(n);
    n = nodes_[n].below[nodes_[n].below[0] == kNone];
  }
  return first;
}

uint64_t SideCopies::NumCopies(uint64_t block_idx, uint32_t fingerprint,
                               uint64_t first_stamp) const {
  uint64_t num_copies = 0;
  VisitBetween(block_idx, KeyOf(fingerprint, first_stamp), KeyOf(fingerprint + 1, 0),
               [&](const StampedCopies& copies) { num_copies += copies.count; });
  return num_copies;
}

uint32_t SideCopies::NewNode(uint32_t key, uint64_t count) {
  uint32_t added = first_free_;
  if (added != kNone) {
    first_free_ = nodes_[added].below[0];
  } else {
    if (nodes_.size() == nodes_.capacity()) {
      nodes_.reserve(nodes_.size() + nodes_.size() / 4 + kSpareNodes);
    }
    added = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  nodes_[added] = {count, key, {kNone, kNone}};
  num_used_ += 1;
  return added;
}

void SideCopies::FreeNode(uint32_t node) {
  nodes_[node].below[0] = first_free_;
  first_free_ = node;
  num_used_ -= 1;
}

void SideCopies::SetRoot(uint64_t block_idx, uint32_t root) {
  uint64_t* record = records_.Find(block_idx);
  *record = *record >> 32 << 32 | root;
  if (root == kNone) records_.Remove(block_idx);
  if (num_used_ == 0 && !is_limited()) Clear();
}

bool SideCopies::Add(uint64_t block_idx, const StampedCopies& copies) {
  const uint32_t key = KeyOf(copies.fingerprint, copies.stamp);
  const uint64_t* record = records_.Find(block_idx);
  uint32_t root = RootOf(record);
  if (const uint32_t found = *LinkTo(key, &root); found != kNone) {
    nodes_[found].count += copies.count;
    return true;
  }
  if (num_used_ == space_.max_entries || (record == nullptr && !records_.has_space())) return false;
  const uint32_t added = NewNode(key, copies.count);
  *LinkTo(key, &root) = added;  // others may have moved
  if (record == nullptr) records_.FindOrMake(block_idx);
  SetRoot(block_idx, root);
  return true;
}

bool SideCopies::Take(uint64_t block_idx, uint32_t fingerprint, uint64_t stamp) {
  if (stamp >= kNumStamps) return false;
  uint32_t root = RootOf(records_.Find(block_idx));
  const uint32_t n = *LinkTo(KeyOf(fingerprint, stamp), &root);
  if (n == kNone) return false;
  nodes_[n].count -= 1;
  if (nodes_[n].count > 0) return true;
  // A node with none below it comes into its place.
  uint32_t* link = LinkTo(KeyOf(fingerprint, stamp), &root);
  for (auto* below = &nodes_[n].below; (*below)[0] != kNone || (*below)[1] != kNone;) {
    link = &(*below)[(*below)[0] == kNone];
    below = &nodes_[*link].below;
  }
  const uint32_t last = *link;
  *link = kNone;
  nodes_[n].count = nodes_[last].count;
  nodes_[n].key = nodes_[last].key;
  FreeNode(last);
  SetRoot(block_idx, root);
  return true;
}

std::optional<uint32_t> SideCopies::TakeYoungest(uint64_t block_idx, uint32_t fingerprint,
                                                 uint64_t kept) {
  std::optional<uint32_t> youngest;
  VisitBetween(block_idx, KeyOf(fingerprint, kept), KeyOf(fingerprint + 1, 0),
               [&](const StampedCopies& copies) { youngest = copies.stamp; });
  if (youngest) Take(block_idx, fingerprint, *youngest);
  return youngest;
}

void SideCopies::DropExpired(uint64_t block_idx, uint64_t kept, uint64_t shift) {
  uint64_t* record = records_.Find(block_idx);
  if (record == nullptr || (shift == 0 && kept <= *record >> 32)) return;
  uint32_t left = RootOf(record);
  uint32_t root = kNone;
  *record = std::min<uint64_t>(kept - shift, kNumStamps) << 32 | left;
  while (left != kNone) {
    const uint32_t n = left;
    Node& node = nodes_[n];
    if (const uint32_t first = node.below[0]; first != kNone) {
      // Rotated, so that what is left can be taken off one by one.
      node.below[0] = nodes_[first].below[1];
      nodes_[first].below[1] = n;
      left = first;
      continue;
    }
    left = node.below[1];
    node.below = {kNone, kNone};
    if (node.key % kNumStamps < kept) {
      FreeNode(n);
    } else {
      node.key -= static_cast<uint32_t>(shift);
      *LinkTo(node.key, &root) = n;
    }
  }
  SetRoot(block_idx, root);
}

void SideCopies::Clear() {
  records_.Clear();
  nodes_.clear();
  if (!is_limited()) nodes_ = std::vector<Node>();  // {} would keep its memory
  first_free_ = kNone;
  num_used_ = 0;
}

void SideCopies::GiveBackSpare() {
  if (is_limited() || nodes_.capacity() <= 2 * num_used_ + kSpareNodes) return;
  try {
    SideCopies copy = *CopyWithin(space_);
    records_ = std::move(copy.records_);
    nodes_ = std::move(copy.nodes_);
    first_free_ = kNone;  // space_ stays as it is: it is read beside updates (has_side_limit)
  } catch (const std::bad_alloc&) {  // then it stays as it is
  }
}

std::vector<uint64_t> SideCopies::SortedBlocks() const {
  std::vector<uint64_t> blocks;
  for (size_t i = 0; i < records_.size(); ++i) blocks.push_back(records_.BlockAt(i));
  std::ranges::sort(blocks);
  return blocks;
}

}  // namespace trommel
