#include "engine/index/src/rocks/held_ranges.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trommel/index/schema.h"

namespace trommel::index {

std::vector<KeyRange> JoinRanges(std::vector<KeyRange> ranges) noexcept {
  std::erase_if(ranges, [](const KeyRange& range) { return range.empty(); });
  std::ranges::sort(ranges, {}, &KeyRange::begin);
  auto last = ranges.begin();  // of those that are joined
  for (auto range = ranges.begin(); range != ranges.end(); ++range) {
    if (range == last) continue;
    if (!last->end.empty() && last->end == range->begin) {
      last->end = std::move(range->end);
    } else if (++last != range) {
      *last = std::move(*range);
    }
  }
  if (!ranges.empty()) ranges.erase(last + 1, ranges.end());
  return ranges;
}

RangeParts CutRanges(std::span<const KeyRange> ranges, std::span<const KeyRange> held) {
  RangeParts parts;
  for (const KeyRange& range : ranges) {
    if (range.empty()) continue;
    // Of `range`, what is before rest.begin is in one of the parts.
    KeyRange rest = range;
    bool is_done = false;
    auto next = std::ranges::partition_point(
        held, [&range](const KeyRange& h) { return !h.end.empty() && h.end <= range.begin; });
    for (; next != held.end() && !is_done; ++next) {
      KeyRange part = Intersection(rest, *next);
      if (part.empty()) break;
      if (rest.begin < part.begin) parts.not_held.push_back({rest.begin, part.begin});
      is_done = part.end == rest.end;
      rest.begin = part.end;
      parts.held.push_back(std::move(part));
    }
    if (!is_done) parts.not_held.push_back(std::move(rest));
  }
  return parts;
}

}  // namespace trommel::index
