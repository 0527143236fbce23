#include "index/soak/rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace trommel::index::soak {
namespace {

constexpr uint64_t kNumCities = 13;
constexpr uint64_t kNumBrands = 300;
constexpr uint64_t kNumTags = 40;

uint64_t MixOf(RowName name, Content content) {
  return Mix(Mix(name.writer) ^ uint64_t{name.slot} << 32 ^ content);
}

bool HasCity(uint64_t mix) { return mix % 11 != 0; }  // else null
uint64_t CityOf(uint64_t mix) { return mix % kNumCities; }
uint64_t BrandOf(uint64_t mix) { return mix / 16 % kNumBrands; }
uint64_t NumTagsOf(uint64_t mix) { return mix / 8192 % 4; }
uint64_t TagOf(uint64_t mix, uint64_t t) { return Mix(mix + t) % kNumTags; }

}  // namespace

ClusterConfig SoakConfig(Structure structure) {
  ClusterConfig config;
  config.schema.attributes = {
      {"city", true}, {"brand", true}, {"tags", true}, {"serial", true}, {"note", false}};
  config.num_servers = kNumServers;
  config.structure = structure;
  for (uint32_t slot = kRowsPerWriter / 7; slot < kRowsPerWriter; slot += kRowsPerWriter / 7) {
    config.splits.push_back(KeyOf({0, slot}));
  }
  return config;
}

std::string KeyOf(RowName name) {
  char text[24];
  std::snprintf(text, sizeof text, "row%05u-%u", name.slot, name.writer);  // writers share regions
  return text;
}

std::optional<RowName> NameOf(std::string_view key) {
  const std::string text(key);
  RowName name;
  if (std::sscanf(text.c_str(), "row%u-%u", &name.slot, &name.writer) != 2 ||
      name.writer >= kNumWriters || name.slot >= kRowsPerWriter || KeyOf(name) != text) {
    return std::nullopt;
  }
  return name;
}

Condition ConditionOf(const Wanted& wanted) {
  const std::string number = std::to_string(wanted.number);
  switch (wanted.attribute) {
    case 0:
      return {0, "city " + number};
    case 1:
      return {1, "brand " + number};
    case 2:
      return {2, "tag " + number};
    case 3:
      return {3, std::string("serial\0", 7) + number};
    default:
      return {4, "note " + number + std::string(wanted.number % 200, '.')};
  }
}

std::vector<Wanted> ValuesOf(RowName name, Content content, uint32_t attribute) {
  if (content == 0) return {};
  const uint64_t mix = MixOf(name, content);
  switch (attribute) {
    case 0:
      return HasCity(mix) ? std::vector<Wanted>{{0, CityOf(mix)}} : std::vector<Wanted>{};
    case 1:
      return {{1, BrandOf(mix)}};
    case 2: {
      std::vector<Wanted> tags;
      for (uint64_t t = 0; t < NumTagsOf(mix); ++t) tags.push_back({2, TagOf(mix, t)});
      return tags;
    }
    case 3:
      return {{3, mix}};
    default:
      return {{4, content}};
  }
}

bool HasValue(RowName name, Content content, const Wanted& wanted) {
  if (content == 0) return false;
  const uint64_t mix = MixOf(name, content);
  switch (wanted.attribute) {
    case 0:
      return HasCity(mix) && CityOf(mix) == wanted.number;
    case 1:
      return BrandOf(mix) == wanted.number;
    case 2:
      for (uint64_t t = 0; t < NumTagsOf(mix); ++t) {
        if (TagOf(mix, t) == wanted.number) return true;
      }
      return false;
    case 3:
      return mix == wanted.number;
    default:
      return content == wanted.number;
  }
}

std::vector<Values> AttributesOf(RowName name, Content content) {
  std::vector<Values> attributes(kNumAttributes);
  for (uint32_t a = 0; a < kNumAttributes; ++a) {
    Values& values = attributes[a];
    for (const Wanted& value : ValuesOf(name, content, a)) {
      values.push_back(ConditionOf(value).value);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  return attributes;
}

Content ContentOf(const Row& row) {
  if (row.attributes.size() != kNumAttributes || row.attributes[4].size() != 1) return 0;
  const std::string& note = row.attributes[4][0];
  if (note.rfind("note ", 0) != 0) return 0;
  return static_cast<Content>(std::strtoul(note.c_str() + std::strlen("note "), nullptr, 10));
}

std::vector<Change> ChangesOf(uint64_t seed, uint32_t writer, uint64_t number,
                              const WriteMix& mix) {
  Random random(seed ^ Mix(number * kNumWriters + writer));
  std::vector<Change> changes(random.OneIn(4) ? 2 + random.Below(4) : 1);
  for (Change& change : changes) {
    // A tenth of the rows are written half of the time.
    const bool is_hot = random.OneIn(2);
    change.slot = random.Below(is_hot ? mix.num_slots / 10 + 1 : mix.num_slots);
    change.content =
        random.Below(12) < mix.deletes_of_12 ? 0 : 1 + static_cast<Content>(random.Below(999'999));
  }
  return changes;
}

std::vector<Mutation> MutationsOf(uint32_t writer, const std::vector<Change>& changes) {
  std::vector<Mutation> mutations;
  for (const Change& change : changes) {
    Mutation& mutation = mutations.emplace_back();
    const RowName name{writer, change.slot};
    mutation.key = KeyOf(name);
    if (change.content != 0) mutation.attributes = AttributesOf(name, change.content);
  }
  return mutations;
}

}  // namespace trommel::index::soak
