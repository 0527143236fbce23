// A cluster whose rows and entries were changed behind its back, for tests of Verify.
#ifndef TROMMEL_TESTS_INDEX_CLUSTER_CHANGED_CLUSTER_H_
#define TROMMEL_TESTS_INDEX_CLUSTER_CHANGED_CLUSTER_H_

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/meta_store.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index::tests {

// A cluster whose server 0 was changed behind its back; its columns were built after that.
class ChangedCluster {
 public:
  explicit ChangedCluster(const std::function<void(RocksRowStore&)>& change, int num_rows = 300) {
    {
      Result<Cluster> cluster = Cluster::Create(folder_ / "c", SmallConfig(), SmallOptions());
      REQUIRE(cluster.ok());
      REQUIRE(PutSmallRows(*cluster, num_rows).ok());
      REQUIRE(cluster->Put(SmallRow("a", "only", "only")).ok());
      REQUIRE(cluster->Close().ok());
    }
    Change(change);
    Result<Cluster> cluster = Cluster::Open(folder_ / "c", SmallOptions());
    REQUIRE(cluster.ok());
    cluster_ = *std::move(cluster);
    REQUIRE(cluster_->BuildColumns().ok());
  }

  Cluster& operator*() { return *cluster_; }

 private:
  void Change(const std::function<void(RocksRowStore&)>& change) const {
    Result<MetaStore> meta = MetaStore::Open(folder_ / "c");
    REQUIRE(meta.ok());
    const Result<MetaRecords> records = meta->Read();
    REQUIRE(records.ok());
    const DatabaseResources resources(1 << 20, 1);
    const auto store =
        RocksRowStore::Open(ServerFolder(folder_ / "c", 0), {records->cluster.cluster_id, 0},
                            {.num_attributes = 3}, resources);
    REQUIRE(store.ok());
    change(**store);
  }

  trommel::tests::ScratchFolder folder_;
  std::optional<Cluster> cluster_;
};

inline VerifyReport Verified(Cluster& cluster, Repair repair = Repair::kNone) {
  const Result<VerifyReport> report = cluster.Verify(nullptr, repair);
  REQUIRE(report.ok());
  CHECK(report->ok() == report->examples.empty());
  return *report;
}

// Whether queries of all colors and sizes that PutSmallRows has put find exactly their rows.
inline bool AreQueriesRight(const Cluster& cluster, int num_rows = 300) {
  std::map<Condition, std::set<std::string>, decltype([](const Condition& a, const Condition& b) {
             return std::pair(a.attribute, a.value) < std::pair(b.attribute, b.value);
           })>
      keys;
  for (int i = 0; i < num_rows; ++i) {
    const std::string key = static_cast<char>('a' + i % 11) + std::to_string(i);
    keys[{0, "color" + std::to_string(i % 7)}].insert(key);
    keys[{1, "size" + std::to_string(i % 5)}].insert(key);
  }
  keys[{0, "only"}] = keys[{1, "only"}] = {"a"};
  return std::ranges::all_of(keys, [&](const auto& expected) {
    return KeysWith(cluster, {expected.first}) == expected.second;
  });
}

// Puts a key and its value as they are.
inline void PutRaw(const RocksRowStore& store, size_t family, const std::string& key,
                   const std::string& value) {
  const Result<DatabaseShare> share = store.database().Use();
  REQUIRE(share.ok());
  REQUIRE(share->db().Put(rocksdb::WriteOptions(), share->family(family), key, value).ok());
}

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_CLUSTER_CHANGED_CLUSTER_H_
