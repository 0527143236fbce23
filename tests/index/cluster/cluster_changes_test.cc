// Split, Merge and Move of a Cluster: every row stays, and is found, before and after.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "index/cluster/quiet_cluster.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

using tests::QuietCluster;
using tests::SmallRow;

size_t NumRowsIn(const QuietCluster& cluster, const KeyRange& range) {
  size_t num_rows = 0;
  for (const auto& [key, row] : cluster.rows()) num_rows += range.Contains(key) ? 1 : 0;
  return num_rows;
}

TEST_CASE("a split at a key makes two regions of the same server and loses no row") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    QuietCluster cluster(300, structure);
    const auto split = cluster->Split(2, "d2");
    REQUIRE(split.ok());
    CHECK(cluster.Table().size() == 7);
    CHECK(cluster.RegionOf("d1") == Region{split->low_id, {"d", "d2"}, 1});
    CHECK(cluster.RegionOf("d2") == Region{split->high_id, {"d2", "f"}, 1});
    CHECK(cluster->GetStats().num_splits == 1);
    cluster.CheckWholeAndBuild();
    cluster.Reopen();
    CHECK(cluster.RegionOf("d2") == Region{split->high_id, {"d2", "f"}, 1});
    cluster.CheckWhole();
  }
}

TEST_CASE("a split without a key divides the rows about in half") {
  QuietCluster cluster;
  const size_t num_rows = NumRowsIn(cluster, {"d", "f"});
  REQUIRE(cluster->Split(2).ok());
  // About: a quarter at least.
  CHECK(4 * NumRowsIn(cluster, cluster.RegionOf("d").range) >= num_rows);
  CHECK(4 * NumRowsIn(cluster, cluster.RegionOf("e9").range) >= num_rows);
  CHECK(cluster.RegionOf("d").id != cluster.RegionOf("e9").id);
  cluster.CheckWholeAndBuild();
}

TEST_CASE("a region with two rows is split between them") {
  QuietCluster cluster(0);
  cluster.Put(SmallRow("x1", "c", "s"));
  cluster.Put(SmallRow("x2", "c", "s"));
  REQUIRE(cluster->Split(5).ok());
  CHECK(cluster.RegionOf("x1").id != cluster.RegionOf("x2").id);
  cluster.CheckWholeAndBuild();
}

TEST_CASE("a merge makes one region of two neighbours, named in any order, and loses no row") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    QuietCluster cluster(300, structure);
    const Result<uint32_t> id = cluster->Merge(3, 2);
    REQUIRE(id.ok());
    CHECK(cluster.Table().size() == 5);
    CHECK(cluster.RegionOf("d") == Region{*id, {"d", "h"}, 1});
    const Result<uint32_t> last = cluster->Merge(4, 5);
    REQUIRE(last.ok());
    CHECK(cluster.RegionOf("z") == Region{*last, {"h", ""}, 2});
    CHECK(cluster->GetStats().num_merges == 2);
    cluster.CheckWholeAndBuild();
    cluster.Reopen();
    CHECK(cluster.RegionOf("d") == Region{*id, {"d", "h"}, 1});
    cluster.CheckWhole();
  }
}

TEST_CASE("a move takes rows and columns to another server, and leaves nothing") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    QuietCluster cluster(300, structure);
    const Result<bool> is_moved = cluster->Move(2, 0);
    REQUIRE(is_moved.ok());
    CHECK(*is_moved);
    CHECK(cluster.RegionOf("d") == Region{2, {"d", "f"}, 0});
    CHECK(cluster->GetStats().num_moves == 1);
    if (structure != Structure::kServerFilters) CHECK(cluster->Verify()->num_unbuilt_columns == 0);
    cluster.CheckWholeAndBuild();

    // Writes reach the new server, also after a restart.
    cluster.Put(SmallRow("d-new", "color1", "size1", "note1"));
    cluster.Delete("d3");
    cluster.CheckWhole();
    cluster.Reopen();
    CHECK(cluster.RegionOf("d") == Region{2, {"d", "f"}, 0});
    cluster.CheckWhole();

    // Back, over what was there before.
    REQUIRE(cluster->Move(2, 1).ok());
    CHECK(cluster.RegionOf("d").server == 1);
    cluster.CheckWholeAndBuild();
    CHECK_FALSE(*cluster->Get("d3"));
  }
}

TEST_CASE("a region without rows moves") {
  QuietCluster cluster(0);
  cluster.Put(SmallRow("a", "c", "s"));
  for (const uint32_t server : {2, 0, 1, 2}) REQUIRE(cluster->Move(3, server).ok());
  CHECK(cluster.RegionOf("g").server == 2);
  cluster.CheckWholeAndBuild();
}

TEST_CASE("rows that change while their region is copied arrive as they are at the end") {
  QuietCluster cluster(1'500);
  int num_reports = 0;
  uint64_t last_done = 0;
  const Result<bool> is_moved = cluster->Move(
      0, 2,
      [&](uint64_t done, uint64_t total) {
        CHECK(done <= total);
        CHECK(done >= last_done);
        last_done = done;
        const std::string number = std::to_string(num_reports++);
        cluster.Put(SmallRow("a-first-" + number, "color1", "size" + number));
        cluster.Put(SmallRow("a0", "color" + number, "changed"));
        cluster.Put(SmallRow("k-other", "color" + number, "changed"));
      },
      [&] {
        cluster.Put(SmallRow("a-late", "late", "size" + std::to_string(num_reports)));
        if (cluster.rows().contains("a11")) cluster.Delete("a11");
        return true;
      });
  REQUIRE(is_moved.ok());
  REQUIRE(*is_moved);
  CHECK(num_reports >= 2);
  CHECK(cluster.RegionOf("a").server == 2);
  CHECK_FALSE(*cluster->Get("a11"));
  cluster.CheckWholeAndBuild();
}

TEST_CASE("no id of a region is used again, also after it is gone and the cluster reopened") {
  QuietCluster cluster;
  std::set<uint32_t> used = cluster.Ids();
  for (int round = 0; round < 4; ++round) {
    const auto split = cluster->Split(cluster.RegionOf("a").id, "a1");
    REQUIRE(split.ok());
    CHECK(used.insert(split->low_id).second);
    CHECK(used.insert(split->high_id).second);
    if (round % 2 == 0) cluster.Reopen();
    REQUIRE(cluster->Move(split->high_id, 1).ok());
    REQUIRE(cluster->Move(split->high_id, 0).ok());
    const Result<uint32_t> id = cluster->Merge(split->low_id, split->high_id);
    REQUIRE(id.ok());
    CHECK(used.insert(*id).second);
    if (round >= 2) cluster.Reopen();
  }
  cluster.CheckWholeAndBuild();
}

TEST_CASE("balance makes shares of servers even by the moves that it plans") {
  QuietCluster cluster;
  for (const uint32_t region : {2, 3, 4, 5}) REQUIRE(cluster->Move(region, 0).ok());
  const std::vector<PlannedMove> plan = cluster->PlanBalance(false);
  CHECK(plan.size() == 4);
  const Result<uint32_t> none = cluster->Balance(nullptr, [] { return false; });
  REQUIRE(none.ok());
  CHECK(*none == 0);
  CHECK(cluster->PlanBalance(false) == plan);
  const Result<uint32_t> num_moved = cluster->Balance();
  REQUIRE(num_moved.ok());
  CHECK(*num_moved == 4);
  for (const ServerStats& server : cluster->GetStats().servers) CHECK(server.num_regions == 2);
  CHECK(cluster->PlanBalance(false).empty());
  cluster.CheckWholeAndBuild();
}

}  // namespace
}  // namespace trommel::index
