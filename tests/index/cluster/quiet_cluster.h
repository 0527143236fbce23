// A small cluster in which nothing happens in the background, for tests of changes: after each of
// these, queries, rows and verification must say what they said before.
#ifndef TROMMEL_TESTS_INDEX_CLUSTER_QUIET_CLUSTER_H_
#define TROMMEL_TESTS_INDEX_CLUSTER_QUIET_CLUSTER_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index::tests {

inline ClusterOptions QuietOptions() {
  ClusterOptions options = SmallOptions();
  options.finishes_in_background = false;
  return options;
}

// A cluster of SmallConfig with rows over all regions, all columns built, and the rows that it must
// have. Its regions: 0 "" to "b", 1 to "d" (server 0); 2 to "f", 3 to "h" (server 1); 4 to "j", 5
// (server 2).
class QuietCluster {
 public:
  explicit QuietCluster(int num_rows = 300, Structure structure = Structure::kMap) {
    ClusterConfig config = SmallConfig();
    config.structure = structure;
    Result<Cluster> cluster = Cluster::Create(path(), config, QuietOptions());
    REQUIRE(cluster.ok());
    cluster_ = *std::move(cluster);
    for (int i = 0; i < num_rows; ++i) {
      const std::string number = std::to_string(i);
      Put(SmallRow(static_cast<char>('a' + i % 11) + number, "color" + std::to_string(i % 7),
                   "size" + std::to_string(i % 5), "note" + std::to_string(i % 3)));
    }
    REQUIRE(cluster_->BuildColumns().ok());
  }

  Cluster& operator*() { return *cluster_; }
  Cluster* operator->() { return &*cluster_; }
  std::filesystem::path path() const { return folder_ / "c"; }
  const std::map<std::string, Row>& rows() const { return rows_; }

  void Put(const Row& row) {
    const auto put = cluster_->Put(row);
    if (!put.ok()) FAIL(put.error().message);
    rows_[row.key] = row;
  }
  void Delete(const std::string& key) {
    REQUIRE(cluster_->Delete(key).ok());
    rows_.erase(key);
  }

  void Close() {
    REQUIRE(cluster_->Close().ok());
    cluster_.reset();
  }
  void Open(const ClusterOptions& options = QuietOptions()) {
    Result<Cluster> cluster = Cluster::Open(path(), options);
    if (!cluster) FAIL(cluster.error().message);
    cluster_ = *std::move(cluster);
  }
  void Reopen(const ClusterOptions& options = QuietOptions()) {
    Close();
    Open(options);
  }

  RegionTable Table() const { return cluster_->directory().PinVersion().table(); }
  Region RegionOf(const std::string& key) const {
    const RegionTable table = Table();
    return table[table.Find(key)];
  }
  std::set<uint32_t> Ids() const {
    std::set<uint32_t> ids;
    const RegionTable table = Table();
    for (const Region& region : table.regions()) ids.insert(region.id);
    return ids;
  }

  // Whether queries of each short value of each attribute find exactly their rows, all answered.
  bool AreQueriesRight() const {
    std::map<std::pair<uint32_t, std::string>, std::set<std::string>> keys;
    for (const auto& [key, row] : rows_) {
      for (uint32_t a = 0; a < row.attributes.size(); ++a) {
        for (const std::string& value : row.attributes[a]) {
          if (value.size() < 100) keys[{a, value}].insert(key);
        }
      }
    }
    for (const auto& [condition, expected] : keys) {
      if (KeysWith(*cluster_, {{condition.first, condition.second}}) != expected) return false;
    }
    for (const uint32_t a : {0u, 1u, 2u}) {
      if (!KeysWith(*cluster_, {{a, "in no row"}}).empty()) return false;
    }
    return true;
  }
  bool AreRowsRight() const {
    for (const auto& [key, row] : rows_) {
      const Result<std::optional<Row>> got = cluster_->Get(key);
      if (!got || *got != row) return false;
    }
    return true;
  }
  // Checks all that must hold between changes. No rows may be left of moves.
  void CheckWhole() {
    CHECK(AreQueriesRight());
    CHECK(AreRowsRight());
    const Result<VerifyReport> report = cluster_->Verify();
    REQUIRE(report.ok());
    for (const std::string& example : report->examples) UNSCOPED_INFO(example);
    CHECK(report->ok());
    CHECK(report->num_rows == rows_.size());
    CHECK(report->num_leftover_rows == 0);
    CHECK(cluster_->GetStats().num_leftovers == 0);
  }
  // The same, before and after columns are built.
  void CheckWholeAndBuild() {
    CheckWhole();
    REQUIRE(cluster_->BuildColumns().ok());
    CHECK(cluster_->Verify()->num_unbuilt_columns == 0);
    CheckWhole();
  }

 private:
  trommel::tests::ScratchFolder folder_;
  std::map<std::string, Row> rows_;
  std::optional<Cluster> cluster_;
};

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_CLUSTER_QUIET_CLUSTER_H_
