// Lists of key ranges: ascending, not empty, none touching the next.
#ifndef TROMMEL_ENGINE_INDEX_SRC_QUERY_KEY_RANGES_H_
#define TROMMEL_ENGINE_INDEX_SRC_QUERY_KEY_RANGES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"

namespace trommel::index {

using KeyRanges = std::vector<KeyRange>;
using RangesOfServers = std::map<uint32_t, KeyRanges>;

// Appends a range that is behind all others; one that begins where the last ends makes it longer.
void Append(KeyRanges& ranges, KeyRange range);

// Returns the same keys as a list.
KeyRanges Normalized(std::vector<KeyRange> ranges);

// Returns the keys that are in both lists.
KeyRanges InBoth(const KeyRanges& a, const KeyRanges& b);

bool Contains(const KeyRanges& ranges, std::string_view key);

// Returns the ranges of each server, by the table.
RangesOfServers Route(const KeyRanges& ranges, const RegionTable& table);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_QUERY_KEY_RANGES_H_
