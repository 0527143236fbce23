// Verify: it finds each kind of disagreement.
#include <cstdint>
#include <functional>
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

using tests::ChangedCluster;
using tests::PutRaw;
using tests::PutSmallRows;
using tests::SmallConfig;
using tests::SmallOptions;
using tests::SmallRow;
using tests::Verified;
using trommel::tests::ScratchFolder;

VerifyReport ReportAfter(const std::function<void(RocksRowStore&)>& change) {
  ChangedCluster cluster(change);
  return Verified(*cluster);
}

TEST_CASE("a cluster that was not touched verifies, with all its rows and pairs") {
  const VerifyReport report = ReportAfter([](RocksRowStore&) {});
  CHECK(report.ok());
  CHECK(report.num_rows == 301);
  CHECK(report.num_entries == 602);
  // Each of six regions has all 7 colors and 5 sizes, and one has two values more.
  CHECK(report.num_pairs == 6 * 12 + 2);
  CHECK(report.num_unbuilt_columns == 0);
}

TEST_CASE("Verify finds values without an entry") {
  const VerifyReport report = ReportAfter([](RocksRowStore& store) {
    const std::vector<EntryChange> entries = {{0, "only", "a", false}};
    REQUIRE(store.Commit({}, entries, store.incarnation()).ok());
  });
  CHECK(report.num_missing_entries == 1);
  CHECK(report.num_dangling_entries == 0);
  REQUIRE(report.examples.size() == 1);
  CHECK(report.examples[0].find("\"only\"") != std::string::npos);
}

TEST_CASE("Verify finds entries without a row that has the value") {
  const VerifyReport report = ReportAfter([](RocksRowStore& store) {
    const std::vector<EntryChange> entries = {
        {0, "other", "a", true}, {1, "only", "a1", true}, {2, "-", "a", true}};
    REQUIRE(store.Commit({}, entries, store.incarnation()).ok());
    PutRaw(store, kIndexFamily, "not an entry", "");
  });
  CHECK(report.num_dangling_entries == 4);
  CHECK(report.num_missing_entries == 0);
}

TEST_CASE("Verify finds an entry for each that is missing, however many there are") {
  // As many entries too many as too few: their numbers agree.
  const VerifyReport report = ReportAfter([](RocksRowStore& store) {
    const std::vector<EntryChange> entries = {{0, "only", "a", false}, {0, "other", "a", true}};
    REQUIRE(store.Commit({}, entries, store.incarnation()).ok());
  });
  CHECK(report.num_missing_entries == 1);
  CHECK(report.num_dangling_entries == 1);
}

TEST_CASE("Verify finds rows that cannot be read, and rows of other servers") {
  const VerifyReport report = ReportAfter([](RocksRowStore& store) {
    const std::vector<RowChange> rows = {{.key = "zebra", .versions = {{{}, {}, {}}}}};
    REQUIRE(store.Commit(rows, {}, store.incarnation()).ok());
    PutRaw(store, kRowsFamily, "bad", "bad");
  });
  CHECK(report.num_wrong_rows == 2);
  CHECK(report.num_missing_entries + report.num_dangling_entries == 0);
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
    CHECK(tests::KeysWith(*cluster, {{0, "only"}}).size() == 1);
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

TEST_CASE("Verify finds pairs that the directory denies, and a wrong number of pairs") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    const ScratchFolder folder;
    ClusterConfig config = SmallConfig();
    config.structure = structure;
    Result<Cluster> cluster = Cluster::Create(folder / "c", config, SmallOptions());
    REQUIRE(cluster.ok());
    REQUIRE(PutSmallRows(*cluster, 300).ok());
    REQUIRE(cluster->Put(SmallRow("a", "only", "only")).ok());
    REQUIRE(cluster->BuildColumns().ok());
    cluster->directory().LosePair({.region_id = 0, .attribute = 0}, "only");
    const Result<VerifyReport> lost = cluster->Verify();
    REQUIRE(lost.ok());
    CHECK(lost->num_missing_pairs == 1);
    CHECK(lost->num_wrong_counts == 1);

    cluster->directory().GainPair({.region_id = 0, .attribute = 0}, "only");
    CHECK(cluster->Verify()->ok());
    cluster->directory().GainPair({.region_id = 0, .attribute = 0}, "too many");
    const Result<VerifyReport> gained = cluster->Verify();
    CHECK(gained->num_missing_pairs == 0);
    CHECK(gained->num_wrong_counts == 1);
  }
}

}  // namespace
}  // namespace trommel::index
