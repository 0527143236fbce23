#include "engine/src/scalable/erase_conflicts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "engine/src/base/check.h"
#include "engine/src/blocks/store_list.h"
#include "engine/src/scalable/scalable_parts.h"

namespace trommel {
namespace {

// A digest is sorted with its index in the place of its last bits, on which neither blocks nor
// groups depend.
constexpr uint64_t kIdxMask = kMaxConflictKeys - 1;
static_assert((kMaxConflictKeys & kIdxMask) == 0);

uint64_t WithIndex(uint64_t digest, size_t idx) { return (digest & ~kIdxMask) | idx; }

bool SharePosition(uint64_t a, uint64_t b, size_t num_slices) {
  for (size_t s = 0; s < num_slices; ++s) {
    if (kernels::Position(a, s, num_slices) == kernels::Position(b, s, num_slices)) return true;
  }
  return false;
}

// The keys of a batch and their homes.
class EraseKeys {
 public:
  // Requires that all digests are shown. Both must outlive this.
  EraseKeys(const GenerationList& list, std::span<const uint64_t> digests)
      : list_(list), digests_(digests), num_slices_(list.newest().store.geometry().num_slices) {
    if (list.size() == 1) {
      std::fill_n(homes_.begin(), digests.size(), uint8_t{0});
    } else {
      FindOldest(list.stores(), digests, homes_.data());
    }
  }

  // Writes the keys that share a counter with another one, with their indices, sorted.
  std::span<const uint64_t> Meeting(std::span<uint64_t> room) const {
    // A list of keys for each of some hashes of home and block. A digest is in it once.
    std::array<uint16_t, 4 * kMaxConflictKeys> first;  // index plus 1; 0: none
    const size_t num_hashes = std::bit_ceil(4 * digests_.size());
    std::array<uint16_t, kMaxConflictKeys> next;
    std::array<bool, kMaxConflictKeys> meets;
    std::fill_n(first.begin(), num_hashes, uint16_t{0});
    size_t num_meeting = 0;
    const auto add = [&](size_t idx) {
      if (!meets[idx]) room[num_meeting++] = WithIndex(digests_[idx], idx);
      meets[idx] = true;
    };
    for (size_t i = 0; i < digests_.size(); ++i) {
      meets[i] = false;
      const uint64_t block_idx = BlockOf(i);
      uint16_t& begin = first[(block_idx + homes_[i] * kHashStep) & (num_hashes - 1)];
      bool is_known = false;
      for (uint16_t link = begin; link != 0 && !is_known; link = next[link - 1]) {
        const size_t j = link - size_t{1};
        is_known = digests_[i] == digests_[j];
        if (homes_[i] != homes_[j] || BlockOf(j) != block_idx) continue;
        if (!SharePosition(digests_[i], digests_[j], num_slices_)) continue;
        add(j);
        add(i);
      }
      if (is_known) continue;
      next[i] = begin;
      begin = static_cast<uint16_t>(i + 1);
    }
    std::ranges::sort(room.first(num_meeting));
    return room.first(num_meeting);
  }

  // Whether each counter withstands all of these keys, sorted, that have it in their homes. Every
  // key with a counter that is looked at must be among them, as often as it is given.
  bool HaveEnoughCounts(std::span<const uint64_t> sorted) const {
    std::array<uint16_t, kMaxConflictKeys> keys;   // one for each digest
    std::array<uint32_t, kMaxConflictKeys> times;  // how often it is given
    size_t num_keys = 0;
    for (const uint64_t key : sorted) {
      const auto idx = static_cast<uint16_t>(key & kIdxMask);
      if (num_keys != 0 && digests_[keys[num_keys - 1]] == digests_[idx]) {
        ++times[num_keys - 1];
      } else {
        keys[num_keys] = idx;
        times[num_keys++] = 1;
      }
    }
    std::array<uint32_t, kernels::kMaxSlices> wanted;
    for (size_t i = 0; i < num_keys; ++i) {
      const uint64_t digest = digests_[keys[i]];
      const uint8_t home = homes_[keys[i]];
      const BlockStore& store = list_.at(home).store;
      const uint64_t block_idx = BlockOf(keys[i]);
      wanted.fill(times[i]);
      // Those before it have looked at the counters that they share with it.
      for (size_t j = i + 1; j < num_keys; ++j) {
        const uint64_t other = digests_[keys[j]];
        if (kernels::BlockIndex(other, store.geometry().num_blocks) != block_idx) break;
        if (homes_[keys[j]] != home) continue;
        for (size_t s = 0; s < num_slices_; ++s) {
          const bool is_shared =
              kernels::Position(other, s, num_slices_) == kernels::Position(digest, s, num_slices_);
          wanted[s] += is_shared ? times[j] : 0;
        }
      }
      for (size_t s = 0; s < num_slices_; ++s) {
        // It is shown: each counter withstands one.
        if (wanted[s] > 1 && store.CountAt(digest, s) < wanted[s]) return false;
      }
    }
    return true;
  }

 private:
  static constexpr size_t kHashStep = 1021;  // so that a block's homes have different lists

  uint64_t BlockOf(size_t idx) const {
    const BlockStore& store = list_.at(homes_[idx]).store;
    return kernels::BlockIndex(digests_[idx], store.geometry().num_blocks);
  }

  const GenerationList& list_;
  const std::span<const uint64_t> digests_;
  const size_t num_slices_;
  std::array<uint8_t, kMaxConflictKeys> homes_;
};

uint64_t LeastBlocks(const GenerationList& list) {
  uint64_t least = kMaxBlocks;
  for (const BlockStore* store : list.stores()) {
    least = std::min(least, store->geometry().num_blocks);
  }
  return least;
}

}  // namespace

void MarkEraseConflicts(const ScalableFilter& filter, std::span<const uint64_t> digests,
                        std::span<bool> conflicts) {
  TROMMEL_CHECK(digests.size() <= kMaxConflictKeys, "more keys than there is room for");
  const auto list = ScalableParts::GenerationsOf(filter).Read();
  if (digests.empty()) return;
  const EraseKeys keys(*list, digests);
  std::array<uint64_t, kMaxConflictKeys> room;
  // The usual case: no counter is wanted too often, in no group.
  if (keys.HaveEnoughCounts(keys.Meeting(room))) return;

  const auto sorted = std::span(room).first(digests.size());
  for (size_t i = 0; i < digests.size(); ++i) sorted[i] = WithIndex(digests[i], i);
  std::ranges::sort(sorted);
  // No block of any generation has more upper halves.
  const uint64_t reach = ((uint64_t{1} << 32) / LeastBlocks(*list)) + 1;
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin + 1;
    while (end < sorted.size() && (sorted[end] >> 32) - (sorted[end - 1] >> 32) <= reach) ++end;
    const auto group = sorted.subspan(begin, end - begin);
    begin = end;
    if (group.size() == 1 || keys.HaveEnoughCounts(group)) continue;
    for (const uint64_t key : group) conflicts[key & kIdxMask] = true;
  }
}

}  // namespace trommel
