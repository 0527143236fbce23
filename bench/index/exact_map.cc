#include "bench/index/exact_map.h"

#include <algorithm>
#include <iterator>

namespace trommel::bench {

void ExactMap::Insert(uint32_t attribute, std::string_view value, uint16_t region) {
  Map& map = attributes_[attribute];
  auto found = map.find(value);
  if (found == map.end()) found = map.emplace(value, RegionList()).first;
  RegionList& regions = found->second;
  const auto place = std::ranges::lower_bound(regions, region);
  if (place != regions.end() && *place == region) return;
  regions.insert(place, region);
  ++num_pairs_;
}

void ExactMap::Erase(uint32_t attribute, std::string_view value, uint16_t region) {
  Map& map = attributes_[attribute];
  const auto found = map.find(value);
  if (found == map.end()) return;
  RegionList& regions = found->second;
  const auto place = std::ranges::lower_bound(regions, region);
  if (place == regions.end() || *place != region) return;
  regions.erase(place);
  --num_pairs_;
  if (regions.empty()) map.erase(found);
}

RegionList ExactMap::RegionsOf(uint32_t attribute, std::string_view value) const {
  const auto found = attributes_[attribute].find(value);
  return found == attributes_[attribute].end() ? RegionList() : found->second;
}

RegionList ExactMap::RegionsOf(std::span<const index::Condition> conditions) const {
  RegionList regions = RegionsOf(conditions[0].attribute, conditions[0].value);
  for (const index::Condition& condition : conditions.subspan(1)) {
    const RegionList others = RegionsOf(condition.attribute, condition.value);
    RegionList both;
    std::ranges::set_intersection(regions, others, std::back_inserter(both));
    regions = both;
  }
  return regions;
}

std::vector<std::string_view> ExactMap::ValuesOf(uint32_t attribute) const {
  std::vector<std::string_view> values;
  for (const auto& [value, regions] : attributes_[attribute]) values.emplace_back(value);
  std::ranges::sort(values);  // the same order on every machine
  return values;
}

uint64_t ExactMap::num_values() const noexcept {
  uint64_t num_values = 0;
  for (const Map& map : attributes_) num_values += map.size();
  return num_values;
}

uint64_t ExactMap::num_bytes() const noexcept {
  constexpr uint64_t kNodeBytes = sizeof(Map::value_type) + 2 * sizeof(void*);  // next, hash
  uint64_t num_bytes = 0;
  for (const Map& map : attributes_) {
    num_bytes += map.bucket_count() * sizeof(void*) + map.size() * kNodeBytes;
    for (const auto& [value, regions] : map) {
      if (value.capacity() > std::string().capacity()) num_bytes += value.capacity() + 1;
      if (regions.capacity() > RegionList().capacity()) {
        num_bytes += (regions.capacity() + 1) * sizeof(char16_t);
      }
    }
  }
  return num_bytes;
}

}  // namespace trommel::bench
