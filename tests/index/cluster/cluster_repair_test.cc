// Verify with Repair::kAll: it mends each kind of disagreement, and queries are right.
#include <string>
#include <vector>

#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "index/cluster/changed_cluster.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

using tests::AreQueriesRight;
using tests::ChangedCluster;
using tests::KeysWith;
using tests::PutRaw;
using tests::PutSmallRows;
using tests::SmallConfig;
using tests::SmallOptions;
using tests::SmallRow;
using tests::Verified;
using trommel::tests::ScratchFolder;

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

TEST_CASE("Repair makes the entries that rows lack, and queries find the rows again") {
  ChangedCluster cluster([](RocksRowStore& store) {
    const std::vector<EntryChange> entries = {
        {0, "only", "a", false}, {1, "only", "a", false}, {1, "size0", "a0", false}};
    REQUIRE(store.Commit({}, entries, store.incarnation()).ok());
  });
  CHECK_FALSE(AreQueriesRight(*cluster));
  const VerifyReport repaired = Repaired(*cluster);
  CHECK(repaired.num_missing_entries == 3);
  CHECK(repaired.num_repaired == 3 + 2);  // and the columns of one region, of two attributes
  CHECK(AreQueriesRight(*cluster));
}

TEST_CASE("Queries are right after a repair, before the columns are built again") {
  ChangedCluster cluster([](RocksRowStore& store) {
    const std::vector<EntryChange> entries = {{0, "only", "a", false}, {0, "color0", "a", true}};
    REQUIRE(store.Commit({}, entries, store.incarnation()).ok());
  });
  CHECK_FALSE(AreQueriesRight(*cluster));
  Verified(*cluster, Repair::kAll);
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
    ClusterConfig config = SmallConfig();
    config.structure = structure;
    Result<Cluster> cluster = Cluster::Create(folder / "c", config, SmallOptions());
    REQUIRE(cluster.ok());
    REQUIRE(PutSmallRows(*cluster, 300).ok());
    REQUIRE(cluster->Put(SmallRow("a", "only", "only")).ok());
    REQUIRE(cluster->BuildColumns().ok());
    REQUIRE(AreQueriesRight(*cluster));

    cluster->directory().LosePair({.region_id = 0, .attribute = 0}, "only");
    CHECK_FALSE(AreQueriesRight(*cluster));
    CHECK(Verified(*cluster, Repair::kAll).num_repaired == 6);  // all columns of the attribute
    CHECK(AreQueriesRight(*cluster));
    REQUIRE(cluster->BuildColumns().ok());
    const VerifyReport built = Verified(*cluster);
    CHECK(built.ok());
    CHECK(built.num_unbuilt_columns == 0);

    cluster->directory().GainPair({.region_id = 5, .attribute = 1}, "too many");
    CHECK(Repaired(*cluster).num_repaired == 6);
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
