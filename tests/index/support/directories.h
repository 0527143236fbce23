// Directories for tests.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_DIRECTORIES_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_DIRECTORIES_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "trommel/index/server_index.h"

namespace trommel::index::tests {

inline constexpr Structure kStructures[] = {Structure::kMap, Structure::kServerFilters};

using Positions = std::vector<size_t>;

// num_regions regions with ids 0, 1, ..., spread over the servers.
inline RegionTable EvenTable(uint32_t num_regions, uint32_t num_servers) {
  std::vector<std::string> splits;
  for (uint32_t i = 1; i < num_regions; ++i) {
    char text[16];
    std::snprintf(text, sizeof text, "%06u", i);
    splits.emplace_back(text);
  }
  return *RegionTable::Split(splits, num_servers);
}

// One attribute, without a structure.
inline ServerIndex MakeDirectory(Structure structure, uint32_t num_regions, uint32_t num_servers) {
  return *ServerIndex::Create(
      {.attributes = {AttributeState::kIndexed}, .structure = structure, .target_fpr = 0.001},
      EvenTable(num_regions, num_servers));
}

// One attribute, all columns built and empty.
inline ServerIndex MakeBuilt(Structure structure, uint32_t num_regions, uint32_t num_servers,
                             uint64_t pairs_per_region) {
  ServerIndex index = MakeDirectory(structure, num_regions, num_servers);
  if (!index.Resize(0, pairs_per_region)) std::abort();
  for (uint32_t id = 0; id < num_regions; ++id) index.FinishBuild({id, 0});
  return index;
}

inline Positions CandidatesOf(const ServerIndex::Pin& pin, uint32_t attribute, Key value) {
  std::vector<uint64_t> words(pin.num_words());
  pin.Candidates(attribute, value, words);
  Positions positions;
  for (size_t i = 0; i < words.size() * 64; ++i) {
    if ((words[i / 64] >> i % 64 & 1) != 0) positions.push_back(i);
  }
  return positions;
}

inline Positions CandidatesOf(const ServerIndex& index, uint32_t attribute, Key value) {
  return CandidatesOf(index.PinVersion(), attribute, value);
}

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_DIRECTORIES_H_
