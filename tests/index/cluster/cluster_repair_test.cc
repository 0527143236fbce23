// Verify: it finds each kind of disagreement, and mends it with Repair::kAll; queries are right
// then.
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/meta_store.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "engine/index/src/rows/row_store.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

using tests::Created;
using tests::KeysWith;
using tests::Opened;
using tests::PutSmallRows;
using tests::SmallRow;
using trommel::tests::ScratchFolder;

// A cluster whose server 0 was changed behind its back; its columns were built after that.
class ChangedCluster {
 public:
  explicit ChangedCluster(const std::function<void(RocksRowStore&)>& change, int num_rows = 300) {
    {
      Result<Cluster> cluster = Created(folder_ / "c");
      REQUIRE(PutSmallRows(*cluster, num_rows).ok());
      REQUIRE(cluster->Put(SmallRow("a", "only", "only")).ok());
      REQUIRE(cluster->Close().ok());
    }
    Change(change);
    Result<Cluster> cluster = Opened(folder_ / "c");
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

  ScratchFolder folder_;
  std::optional<Cluster> cluster_;
};

VerifyReport Verified(Cluster& cluster, Repair repair = Repair::kNone) {
  const Result<VerifyReport> report = cluster.Verify(nullptr, repair);
  REQUIRE(report.ok());
  CHECK(report->ok() == report->examples.empty());
  return *report;
}

// Whether queries of all colors and sizes that PutSmallRows has put find exactly their rows.
bool AreQueriesRight(const Cluster& cluster, int num_rows = 300) {
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
void PutRaw(const RocksRowStore& store, size_t family, const std::string& key,
            const std::string& value) {
  const Result<DatabaseShare> share = store.database().Use();
  REQUIRE(share.ok());
  REQUIRE(share->db().Put(rocksdb::WriteOptions(), share->family(family), key, value).ok());
}

// Repairs the cluster. Requires that the findings are those of Verify alone, and that nothing is
// left of them: at once, and when the columns are built again.
VerifyReport Repaired(Cluster& cluster) {
  const VerifyReport found = Verified(cluster);
  CHECK_FALSE(found.ok());
  CHECK(found.num_repaired == 0);
  const VerifyReport repaired = Verified(cluster, Repair::kAll);
  CHECK(repaired.num_rows == found.num_rows);
  CHECK(repaired.num_entries == found.num_entries);
  CHECK(repaired.num_pairs == found.num_pairs);
  CHECK(repaired.num_unbuilt_columns == found.num_unbuilt_columns);
  CHECK(repaired.num_wrong_rows == found.num_wrong_rows);
  CHECK(repaired.num_missing_entries == found.num_missing_entries);
  CHECK(repaired.num_dangling_entries == found.num_dangling_entries);
  CHECK(repaired.num_missing_pairs == found.num_missing_pairs);
  CHECK(repaired.num_wrong_counts == found.num_wrong_counts);
  CHECK(repaired.examples == found.examples);
  CHECK(repaired.num_repaired > 0);

  const VerifyReport after = Verified(cluster, Repair::kAll);
  CHECK(after.ok());
  CHECK(after.num_repaired == 0);
  REQUIRE(cluster.BuildColumns().ok());
  const VerifyReport built = Verified(cluster);
  CHECK(built.ok());
  CHECK(built.num_unbuilt_columns == 0);
  return repaired;
}

TEST_CASE("a cluster that was not touched verifies, with all its rows and pairs") {
  ChangedCluster cluster([](RocksRowStore&) {});
  const VerifyReport report = Verified(*cluster);
  CHECK(report.ok());
  CHECK(report.num_rows == 301);
  CHECK(report.num_entries == 602);
  // Each of six regions has all 7 colors and 5 sizes, and one has two values more.
  CHECK(report.num_pairs == 6 * 12 + 2);
  CHECK(report.num_unbuilt_columns == 0);
}

TEST_CASE("Verify ends when it is told to, does not say that all agree, and can be watched") {
  ChangedCluster cluster([](RocksRowStore&) {});
  int num_reports = 0;
  // What a page of progress shows: it waits for nothing that Verify holds.
  const auto report = [&](uint64_t, uint64_t) {
    ++num_reports;
    CHECK((*cluster).GetStats().num_leftovers == 0);
    CHECK((*cluster).GetRegionLoads().size() == 6);
    CHECK((*cluster).Get("a")->has_value());
    CHECK(KeysWith(*cluster, {{0, "only"}}).size() == 1);
  };
  int num_asked = 0;
  for (int most = 0; most < 4; ++most) {
    num_asked = 0;
    const Result<VerifyReport> ended =
        (*cluster).Verify(report, Repair::kAll, [&] { return num_asked++ < most; });
    REQUIRE(ended.ok());
    CHECK(ended->is_whole == (most == 3));  // it is asked before each of three servers, at least
    CHECK(ended->ok() == ended->is_whole);
    CHECK((ended->num_rows < 301) == (most < 3));
    CHECK(num_asked <= most + 1);
  }
  CHECK(num_reports >= 4);
}

TEST_CASE("Repair makes the entries that rows lack, and queries find the rows again") {
  ChangedCluster cluster([](RocksRowStore& store) {
    const std::vector<EntryChange> entries = {
        {0, "only", "a", false}, {1, "only", "a", false}, {1, "size0", "a0", false}};
    REQUIRE(store.Commit({}, entries, store.incarnation()).ok());
  });
  CHECK_FALSE(AreQueriesRight(*cluster));
  const VerifyReport repaired = Repaired(*cluster);
  CHECK(repaired.num_missing_entries == 3);
  CHECK(repaired.num_dangling_entries == 0);
  CHECK(repaired.examples[0].find("\"only\"") != std::string::npos);
  CHECK(repaired.num_repaired == 3 + 2);  // and the columns of one region, of two attributes
  CHECK(AreQueriesRight(*cluster));
}

TEST_CASE("Queries are right after a repair, before the columns are built again") {
  ChangedCluster cluster([](RocksRowStore& store) {
    const std::vector<EntryChange> entries = {{0, "only", "a", false}, {0, "color0", "a", true}};
    REQUIRE(store.Commit({}, entries, store.incarnation()).ok());
  });
  CHECK_FALSE(AreQueriesRight(*cluster));
  const VerifyReport repaired = Verified(*cluster, Repair::kAll);
  CHECK(repaired.num_missing_entries == 1);  // as many as there are too many
  CHECK(repaired.num_dangling_entries == 1);
  CHECK(AreQueriesRight(*cluster));
  // The rows follow the index again: the last row with the value takes the pair along.
  REQUIRE((*cluster).Delete("a").ok());
  REQUIRE((*cluster).BuildColumns().ok());
  CHECK(Verified(*cluster).ok());
}

TEST_CASE("Repair removes entries whose rows do not have the value, and keys that are no entries") {
  ChangedCluster cluster([](RocksRowStore& store) {
    const std::vector<EntryChange> entries = {{0, "other", "a", true},
                                              {1, "only", "a1", true},
                                              {2, "-", "a", true},
                                              {77, "-", "a", true},
                                              {0, "other", "zebra", true}};
    REQUIRE(store.Commit({}, entries, store.incarnation()).ok());
    PutRaw(store, kIndexFamily, "not an entry", "");
  });
  CHECK(AreQueriesRight(*cluster));
  const VerifyReport repaired = Repaired(*cluster);
  CHECK(repaired.num_dangling_entries == 6);
  // The third has no column, nor have the last three: their region is on another server.
  CHECK(repaired.num_repaired == 6 + 2);
  CHECK(AreQueriesRight(*cluster));
  CHECK(KeysWith(*cluster, {{0, "other"}}).empty());
}

TEST_CASE("Repair removes rows outside their server's regions with their entries") {
  ChangedCluster cluster([](RocksRowStore& store) {
    const std::vector<RowChange> rows = {
        {.key = "zebra", .versions = {{{"color1"}, {"size1"}, {"-"}}}},
        {.key = "zoo", .versions = {{{"color1"}, {}, {}}}}};
    // One has an entry too many, and the other none.
    const std::vector<EntryChange> entries = {
        {0, "color1", "zebra", true}, {1, "size1", "zebra", true}, {0, "other", "zebra", true}};
    REQUIRE(store.Commit(rows, entries, store.incarnation()).ok());
  });
  CHECK(AreQueriesRight(*cluster));
  const VerifyReport repaired = Repaired(*cluster);
  CHECK(repaired.num_wrong_rows == 2);
  CHECK(repaired.num_missing_entries == 0);
  CHECK(repaired.num_dangling_entries == 1);
  CHECK(repaired.num_repaired == 3);
  CHECK(AreQueriesRight(*cluster));
  const VerifyReport after = Verified(*cluster);
  CHECK(after.num_rows == 301);
  CHECK(after.num_entries == 602);
}

TEST_CASE("Repair leaves rows that cannot be read, and their entries") {
  ChangedCluster cluster([](RocksRowStore& store) {
    PutRaw(store, kRowsFamily, "a1000", "bad");
    PutRaw(store, kRowsFamily, "zebra", "bad");
    const std::vector<EntryChange> entries = {
        {0, "color1", "a1000", true}, {0, "color1", "zebra", true}, {0, "other", "a", true}};
    REQUIRE(store.Commit({}, entries, store.incarnation()).ok());
  });
  const VerifyReport repaired = Verified(*cluster, Repair::kAll);
  CHECK(repaired.num_wrong_rows == 2);
  CHECK(repaired.num_dangling_entries == 1);
  CHECK(repaired.num_repaired == 1 + 1);
  const VerifyReport after = Verified(*cluster, Repair::kAll);
  CHECK(after.num_wrong_rows == 2);
  CHECK(after.num_entries == 602 + 2);
  CHECK(after.num_dangling_entries + after.num_missing_entries + after.num_repaired == 0);
}

TEST_CASE("Repair marks columns that disagree, and queries find what they lost") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    const ScratchFolder folder;
    Result<Cluster> cluster = Created(folder / "c", structure);
    REQUIRE(PutSmallRows(*cluster, 300).ok());
    REQUIRE(cluster->Put(SmallRow("a", "only", "only")).ok());
    REQUIRE(cluster->BuildColumns().ok());
    REQUIRE(AreQueriesRight(*cluster));

    cluster->directory().LosePair({.region_id = 0, .attribute = 0}, "only");
    CHECK_FALSE(AreQueriesRight(*cluster));
    const VerifyReport lost = Verified(*cluster, Repair::kAll);
    CHECK(lost.num_missing_pairs == 1);
    CHECK(lost.num_wrong_counts == 1);
    CHECK(lost.num_repaired == 6);  // all columns of the attribute
    CHECK(AreQueriesRight(*cluster));
    REQUIRE(cluster->BuildColumns().ok());
    const VerifyReport built = Verified(*cluster);
    CHECK(built.ok());
    CHECK(built.num_unbuilt_columns == 0);

    cluster->directory().GainPair({.region_id = 5, .attribute = 1}, "too many");
    const VerifyReport gained = Repaired(*cluster);
    CHECK(gained.num_missing_pairs == 0);
    CHECK(gained.num_wrong_counts == 1);
    CHECK(gained.num_repaired == 6);
    // As many pairs too many as too few: one is denied, and its column is known.
    cluster->directory().GainPair({.region_id = 5, .attribute = 1}, "too many");
    cluster->directory().LosePair({.region_id = 0, .attribute = 1}, "only");
    const VerifyReport both = Verified(*cluster, Repair::kAll);
    CHECK(both.num_missing_pairs == 1);
    CHECK(both.num_wrong_counts == 0);
    CHECK(both.num_repaired == 1);
    CHECK(AreQueriesRight(*cluster));
  }
}

TEST_CASE("Repair mends damage of all kinds at once, in many batches") {
  constexpr int kRows = 3000;
  ChangedCluster cluster(
      [](RocksRowStore& store) {
        REQUIRE(store.RemoveEntries(0).ok());
        std::vector<RowChange> rows;
        std::vector<EntryChange> entries;
        for (int i = 0; i < 1000; ++i) {
          const std::string number = std::to_string(i);
          rows.push_back({.key = "z" + number, .versions = {{{"color1"}, {"size1"}, {}}}});
          entries.push_back({1, "size1", rows.back().key, true});
          entries.push_back({1, "other" + number, "a0", true});
        }
        REQUIRE(store.Commit(rows, entries, store.incarnation()).ok());
        for (int i = 0; i < 300; ++i) {
          PutRaw(store, kIndexFamily, "no entry " + std::to_string(i), "");
        }
      },
      kRows);
  (*cluster).directory().LosePair({.region_id = 5, .attribute = 1}, "size0");
  CHECK_FALSE(AreQueriesRight(*cluster, kRows));
  const VerifyReport repaired = Repaired(*cluster);
  CHECK(repaired.num_wrong_rows == 1000);
  CHECK(repaired.num_missing_entries == 273 * 3 + 1);  // three letters of eleven are on server 0
  CHECK(repaired.num_dangling_entries == 1000 + 300);
  CHECK(repaired.num_missing_pairs == 1);
  CHECK(AreQueriesRight(*cluster, kRows));
  const VerifyReport after = Verified(*cluster);
  CHECK(after.num_rows == kRows + 1);
  CHECK(after.num_entries == 2 * (kRows + 1));
}

}  // namespace
}  // namespace trommel::index
