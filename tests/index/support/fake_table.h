// FakeTable: a fake store and a directory over it, for tests of queries.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_FAKE_TABLE_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_FAKE_TABLE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "index/support/fake_store.h"
#include "trommel/index/query.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"

namespace trommel::index::tests {

inline constexpr uint32_t kCity = 0;   // indexed
inline constexpr uint32_t kColor = 1;  // indexed
inline constexpr uint32_t kNote = 2;   // not indexed

// Six regions of two letters each on three servers:
//   server     0       0       1       1       2       2
//   keys     .. b    c, d    e, f    g, h    i, j    k ..
struct FakeTable {
  FakeTable() : FakeTable(RegionTable::Split(Splits(), 3).value()) {}
  explicit FakeTable(const RegionTable& table)
      : index(ServerIndex::Create({.attributes = {AttributeState::kIndexed,
                                                  AttributeState::kIndexed, AttributeState::kNone},
                                   .target_fpr = 1e-6,
                                   .min_columns = 64},
                                  table)
                  .value()),
        store(table) {
    for (const uint32_t attribute : {kCity, kColor}) {
      (void)index.Resize(attribute, 1000).ok();
      for (const Region& region : table.regions()) index.FinishBuild({region.id, attribute});
    }
  }

  static std::vector<std::string> Splits() { return {"c", "e", "g", "i", "k"}; }

  // Puts a row into the store, and its pairs into the directory.
  void Put(const std::string& key, const std::string& city, const std::string& color = "red",
           const std::string& note = "") {
    const RegionTable table = index.PinVersion().table();
    const uint32_t region = table[table.Find(key)].id;
    index.Insert({region, kCity}, std::vector<std::string>{city});
    index.Insert({region, kColor}, std::vector<std::string>{color});
    store.Put({key, {{city}, {color}, {note}}});
  }

  Result<QueryOutcome> Find(std::vector<Condition> conditions, int64_t timeout_ms = 600'000,
                            Routing routing = Routing::kDirectory) {
    return Query(index, store,
                 {.conditions = std::move(conditions),
                  .routing = routing,
                  .timeout = std::chrono::milliseconds(timeout_ms)});
  }

  // Returns the current table, but with this region on another server.
  RegionTable Moved(size_t position, uint32_t server) const {
    const RegionTable table = index.PinVersion().table();
    std::vector<Region> regions(table.regions().begin(), table.regions().end());
    regions[position].server = server;
    return RegionTable::Create(std::move(regions)).value();
  }

  ServerIndex index;
  FakeStore store;
};

using FoundKeys = std::vector<std::string>;

inline FoundKeys KeysOf(const QueryOutcome& outcome) {
  FoundKeys keys;
  for (const Row& row : outcome.rows) keys.push_back(row.key);
  return keys;
}

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_FAKE_TABLE_H_
