#include "engine/src/scalable/erase_conflicts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/scalable/scalable_parts.h"
#include "trommel/keys.h"

namespace trommel {

void MarkEraseConflicts(const ScalableFilter& filter, std::span<const uint64_t> digests,
                        std::span<bool> conflicts) {
  TROMMEL_CHECK(digests.size() <= kMaxConflictKeys, "more keys than there is room for");
  struct Entry {
    uint64_t digest;
    uint32_t idx;
  };
  std::array<Entry, kMaxConflictKeys> room;
  const auto entries = std::span(room).first(digests.size());
  for (size_t i = 0; i < digests.size(); ++i) entries[i] = {digests[i], static_cast<uint32_t>(i)};
  std::ranges::sort(entries, {}, &Entry::digest);

  // No block of any generation has more upper halves.
  const uint64_t reach = ((uint64_t{1} << 32) / ScalableParts::LeastBlocks(filter)) + 1;
  std::array<uint64_t, kMaxConflictKeys> group_digests;
  std::array<uint64_t, kMaxConflictKeys> counts;
  for (size_t begin = 0; begin < entries.size();) {
    size_t end = begin + 1;
    while (end < entries.size() &&
           (entries[end].digest >> 32) - (entries[end - 1].digest >> 32) <= reach) {
      ++end;
    }
    const auto group = entries.subspan(begin, end - begin);
    begin = end;
    if (group.size() == 1) continue;
    // Equal digests have one count.
    size_t num_distinct = 0;
    for (const Entry& entry : group) {
      if (num_distinct != 0 && group_digests[num_distinct - 1] == entry.digest) continue;
      group_digests[num_distinct++] = entry.digest;
    }
    filter.CountEstimates(Keys::Digests(std::span(group_digests).first(num_distinct)),
                          std::span(counts).first(num_distinct));
    if (*std::min_element(counts.begin(), counts.begin() + num_distinct) >= group.size()) continue;
    for (const Entry& entry : group) conflicts[entry.idx] = true;
  }
}

}  // namespace trommel
