#include "engine/index/src/query/key_ranges.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace trommel::index {
namespace {

// Compares ends, of which the empty one is beyond all keys.
bool EndsBefore(const KeyRange& a, const KeyRange& b) {
  return !a.end.empty() && (b.end.empty() || a.end < b.end);
}

}  // namespace

void Append(KeyRanges& ranges, KeyRange range) {
  if (!ranges.empty() && ranges.back().end == range.begin) {
    ranges.back().end = std::move(range.end);
  } else {
    ranges.push_back(std::move(range));
  }
}

KeyRanges Normalized(std::vector<KeyRange> ranges) {
  std::erase_if(ranges, [](const KeyRange& range) { return range.empty(); });
  std::ranges::sort(ranges, {}, &KeyRange::begin);
  KeyRanges list;
  for (KeyRange& range : ranges) {
    const bool touches =
        !list.empty() && (list.back().end.empty() || range.begin <= list.back().end);
    if (!touches) {
      list.push_back(std::move(range));
    } else if (EndsBefore(list.back(), range)) {
      list.back().end = std::move(range.end);
    }
  }
  return list;
}

KeyRanges InBoth(const KeyRanges& a, const KeyRanges& b) {
  KeyRanges both;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    KeyRange common = Intersection(a[i], b[j]);
    if (!common.empty()) both.push_back(std::move(common));
    EndsBefore(a[i], b[j]) ? ++i : ++j;
  }
  return both;
}

bool Contains(const KeyRanges& ranges, std::string_view key) {
  const auto behind = std::ranges::upper_bound(
      ranges, key, {}, [](const KeyRange& range) -> std::string_view { return range.begin; });
  return behind != ranges.begin() && std::prev(behind)->Contains(key);
}

RangesOfServers Route(const KeyRanges& ranges, const RegionTable& table) {
  RangesOfServers routes;
  for (const KeyRange& range : ranges) {
    for (size_t i = table.Find(range.begin); i < table.size(); ++i) {
      KeyRange part = Intersection(range, table[i].range);
      if (part.empty()) break;
      Append(routes[table[i].server], std::move(part));
    }
  }
  return routes;
}

}  // namespace trommel::index
