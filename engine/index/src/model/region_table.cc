// Region tables: what is legal, and where a key or an id is.
#include "trommel/index/region_table.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace trommel::index {
namespace {

Error Refuse(std::string message) {
  return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
}

std::string AtPosition(size_t position) {
  return "the region at position " + std::to_string(position);
}

Status ValidateNumber(size_t num_regions) {
  if (num_regions >= 1 && num_regions <= kMaxRegions) return Ok();
  return Refuse("the table has " + std::to_string(num_regions) +
                " regions; it must have between 1 and " + std::to_string(kMaxRegions));
}

// Each region begins where the one before it ends, so each key is in exactly one.
Status ValidateRanges(std::span<const Region> regions) {
  if (!regions.front().range.begin.empty()) {
    return Refuse(AtPosition(0) + " must begin at the empty key: keys before it are in no region");
  }
  for (size_t i = 0; i < regions.size(); ++i) {
    const KeyRange& range = regions[i].range;
    const bool is_last = i + 1 == regions.size();
    if (range.end.empty() != is_last) {
      return Refuse(AtPosition(i) +
                    (is_last ? " is the last: it must have no end, or keys are in no region"
                             : " is not the last: it must have an end"));
    }
    if (range.empty()) return Refuse(AtPosition(i) + " must end behind its beginning");
    if (!is_last && range.end != regions[i + 1].range.begin) {
      const bool overlaps = range.end > regions[i + 1].range.begin;
      return Refuse(AtPosition(i) + " must end where the next begins: " +
                    (overlaps ? "they overlap, or are out of order" : "keys are in neither"));
    }
  }
  return Ok();
}

}  // namespace

Result<RegionTable> RegionTable::Create(std::vector<Region> regions) {
  if (Status status = ValidateNumber(regions.size()); !status) return status.error();
  if (Status status = ValidateRanges(regions); !status) return status.error();

  RegionTable table;
  table.positions_.resize(regions.size());
  std::iota(table.positions_.begin(), table.positions_.end(), 0u);
  std::ranges::sort(table.positions_, {}, [&](uint32_t position) { return regions[position].id; });
  for (size_t i = 1; i < regions.size(); ++i) {
    const uint32_t id = regions[table.positions_[i]].id;
    if (id != regions[table.positions_[i - 1]].id) continue;
    const auto [first, second] = std::minmax(table.positions_[i - 1], table.positions_[i]);
    return Refuse(AtPosition(second) + " has id " + std::to_string(id) + ", as " +
                  AtPosition(first) + " has; ids must differ");
  }
  for (size_t i = 0; i < regions.size(); ++i) {
    if (regions[i].server >= kMaxRegions) {
      return Refuse(AtPosition(i) + " is on server " + std::to_string(regions[i].server) +
                    "; it must be between 0 and " + std::to_string(kMaxRegions - 1));
    }
    table.num_servers_ = std::max(table.num_servers_, regions[i].server + 1);
  }
  table.regions_ = std::move(regions);
  return table;
}

Result<RegionTable> RegionTable::Split(std::span<const std::string> splits, uint32_t num_servers) {
  if (num_servers == 0) return Refuse("num_servers is 0; it must be at least 1");
  const size_t num_regions = splits.size() + 1;
  if (Status status = ValidateNumber(num_regions); !status) return status.error();
  for (size_t i = 0; i < splits.size(); ++i) {
    if (splits[i].empty()) return Refuse("split " + std::to_string(i) + " is the empty key");
    if (i > 0 && splits[i] <= splits[i - 1]) {
      return Refuse("split " + std::to_string(i) + " is not behind split " + std::to_string(i - 1) +
                    ": splits must ascend strictly");
    }
  }

  // Region i is on server i * servers / regions, rounded down. So neighbours are on one server, and
  // each has num_regions / servers of them, rounded down or up.
  const uint64_t servers = std::min<uint64_t>(num_servers, num_regions);
  std::vector<Region> regions(num_regions);
  for (size_t i = 0; i < num_regions; ++i) {
    regions[i].id = static_cast<uint32_t>(i);
    if (i > 0) regions[i].range.begin = splits[i - 1];
    if (i < splits.size()) regions[i].range.end = splits[i];
    regions[i].server = static_cast<uint32_t>(i * servers / num_regions);
  }
  return Create(std::move(regions));
}

size_t RegionTable::Find(std::string_view key) const noexcept {
  const auto behind = std::ranges::upper_bound(
      regions_, key, {}, [](const Region& region) { return std::string_view(region.range.begin); });
  return static_cast<size_t>(behind - regions_.begin()) - 1;  // the first begins at the empty key
}

size_t RegionTable::FindId(uint32_t id) const noexcept {
  const auto found = std::ranges::lower_bound(
      positions_, id, {}, [this](uint32_t position) { return regions_[position].id; });
  if (found == positions_.end() || regions_[*found].id != id) return size();
  return *found;
}

}  // namespace trommel::index
