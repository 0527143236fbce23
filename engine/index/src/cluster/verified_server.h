// VerifiedServer: a server, and how far the verifier is with it.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_VERIFIED_SERVER_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_VERIFIED_SERVER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"

namespace trommel::index {

// Returns the attribute by its name; by its number if the schema has none with that number.
inline std::string AttributeText(const Schema& schema, uint32_t attribute) {
  if (attribute >= schema.attributes.size()) return "attribute " + std::to_string(attribute);
  return "attribute " + Quoted(schema.attributes[attribute].name);
}

struct VerifiedServer {
  uint32_t number = 0;
  const Schema& schema;
  RocksRowStore& store;
  const ServerIndex::Pin& pin;
  uint64_t incarnation = 0;
  std::vector<KeyRange> leftovers = {};

  bool IsLeftover(std::string_view key) const {
    return std::ranges::any_of(leftovers,
                               [&](const KeyRange& range) { return range.Contains(key); });
  }
  const Region& RegionOf(std::string_view key) const { return pin.table()[pin.table().Find(key)]; }
  // Of findings.
  std::string Place() const { return store.folder().filename().string() + ": "; }
  std::string NameOf(const EntryKey& entry) const {
    return Place() + AttributeText(schema, entry.attribute) + ", value " + Quoted(entry.value) +
           ", row " + Quoted(entry.row_key);
  }

  // Entries that are compared with rows, and those of rows that were found.
  uint64_t num_compared = 0;
  uint64_t num_found = 0;

  // The pair that the last entry was of.
  std::optional<uint32_t> attribute = std::nullopt;
  std::string value = {};
  std::optional<size_t> position = std::nullopt;  // of the region
  std::vector<uint64_t> candidates = {};          // for the value

  // Keys of entries that are to be found, and whether each must be there.
  std::vector<std::string> pending = {};
  std::vector<bool> is_required = {};
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_VERIFIED_SERVER_H_
