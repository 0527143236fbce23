// Small clusters for tests, and lookups that wait for their answer.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_CLUSTERS_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_CLUSTERS_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "trommel/index/cluster.h"
#include "trommel/index/query.h"
#include "trommel/index/region_store.h"
#include "trommel/index/schema.h"

namespace trommel::index::tests {

// Three servers, six regions; `color` and `size` are indexed, `note` is not.
inline ClusterConfig SmallConfig() {
  ClusterConfig config;
  config.schema.attributes = {{.name = "color", .is_indexed = true},
                              {.name = "size", .is_indexed = true},
                              {.name = "note", .is_indexed = false}};
  config.num_servers = 3;
  config.splits = {"b", "d", "f", "h", "j"};
  return config;
}

// Few threads and little memory. Columns are built by BuildColumns alone, so that a test knows
// when.
inline ClusterOptions SmallOptions() {
  return {.sync_writes = false, .memory_bytes = 1 << 20, .num_builders = 0};
}

inline Row SmallRow(const std::string& key, const std::string& color, const std::string& size,
                    const std::string& note = "-") {
  return {.key = key, .attributes = {{color}, {size}, {note}}};
}

// Puts num_rows rows over all regions, of 7 colors and 5 sizes.
inline Status PutSmallRows(Cluster& cluster, int num_rows) {
  for (int i = 0; i < num_rows; ++i) {
    const std::string key = static_cast<char>('a' + i % 11) + std::to_string(i);
    Status status =
        cluster.Put(SmallRow(key, "color" + std::to_string(i % 7), "size" + std::to_string(i % 5)));
    if (!status) return status;
  }
  return Ok();
}

// They require that it can be made, and opened.
inline Result<Cluster> Created(const std::filesystem::path& path,
                               Structure structure = Structure::kMap,
                               const ClusterOptions& options = SmallOptions()) {
  ClusterConfig config = SmallConfig();
  config.structure = structure;
  Result<Cluster> cluster = Cluster::Create(path, config, options);
  REQUIRE(cluster.ok());
  return cluster;
}
inline Result<Cluster> Opened(const std::filesystem::path& path) {
  Result<Cluster> cluster = Cluster::Open(path, SmallOptions());
  REQUIRE(cluster.ok());
  return cluster;
}

// The keys of rows with all these values; "?" and the reason for a range without an answer.
inline std::set<std::string> KeysWith(const Cluster& cluster, std::vector<Condition> conditions) {
  QueryRequest request;
  request.conditions = std::move(conditions);
  const Result<QueryOutcome> outcome = cluster.Find(request);
  if (!outcome) return {"? " + outcome.error().message};
  std::set<std::string> keys;
  for (const Row& row : outcome->rows) keys.insert(row.key);
  for (const Unanswered& range : outcome->unanswered) keys.insert("? " + range.reason.message);
  return keys;
}

// Asks, and waits for the answer.
inline LookupAnswer Ask(RegionStore& store, LookupRequest request) {
  std::promise<LookupAnswer> promise;
  store.Lookup(std::move(request),
               [&promise](LookupAnswer answer) { promise.set_value(std::move(answer)); });
  return promise.get_future().get();
}

// A closed cluster of SmallConfig with 300 rows and all columns built.
inline void CreateBuilt(const std::filesystem::path& path, Structure structure = Structure::kMap) {
  Result<Cluster> cluster = Created(path, structure);
  REQUIRE(PutSmallRows(*cluster, 300).ok());
  REQUIRE(cluster->BuildColumns().ok());
  REQUIRE(cluster->Close().ok());
}

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_CLUSTERS_H_
