// Split, Merge and Move of a Cluster: every row stays, and is found, before and after; and nothing
// has changed where one is refused or ended.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
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

// Tries changes, which must fail and leave table and statistics as they are.
class Refusals {
 public:
  explicit Refusals(QuietCluster& cluster) : cluster_(cluster) {}

  template <class Change>
  void Require(ErrorCode code, std::string_view reason, const Change& change) {
    const RegionTable table = cluster_.Table();
    const uint64_t version = cluster_->GetStats().directory.version;
    const auto result = change();
    INFO(reason);
    REQUIRE_FALSE(result.ok());
    INFO(result.error().message);
    CHECK(result.error().code == code);
    CHECK(result.error().message.find(reason) != std::string::npos);
    CHECK(cluster_.Table() == table);
    const ClusterStats stats = cluster_->GetStats();
    CHECK(stats.directory.version == version);
    CHECK(stats.num_splits + stats.num_merges + stats.num_moves == 0);
    CHECK(stats.num_leftovers == 0);
  }

 private:
  QuietCluster& cluster_;
};

TEST_CASE("splits that do not fit are refused, and nothing changes") {
  QuietCluster cluster;
  Refusals refusals(cluster);
  const auto require = [&](std::string_view reason, uint32_t region, const std::string& key) {
    refusals.Require(ErrorCode::kInvalidArgument, reason,
                     [&] { return cluster->Split(region, key); });
  };
  require("there is no region 6", 6, "a5");
  refusals.Require(ErrorCode::kInvalidArgument, "there is no region 4294967295",
                   [&] { return cluster->Split(~0u); });
  require("the key must be in region 2", 2, "f");
  require("the key must be in region 2", 2, "c9");
  require("the key must be in region 2", 2, "d");
  require("the key must be in region 0", 0, "");
  require("at most " + std::to_string(kMaxKeyBytes), 5, std::string(kMaxKeyBytes + 1, 'z'));
  CHECK(cluster->Split(5, std::string(kMaxKeyBytes, 'z')).ok());
  cluster.CheckWholeAndBuild();
}

TEST_CASE("a region with fewer than two rows is not split without a key") {
  QuietCluster cluster(0);
  Refusals refusals(cluster);
  for (int num_rows = 0; num_rows < 2; ++num_rows) {
    refusals.Require(ErrorCode::kInvalidArgument, "region 2 has fewer than two rows",
                     [&] { return cluster->Split(2); });
    cluster.Put(SmallRow("d" + std::to_string(num_rows), "c", "s"));
  }
  CHECK(cluster->Split(2).ok());
  cluster.CheckWholeAndBuild();
}

TEST_CASE("merges that do not fit are refused, and nothing changes") {
  QuietCluster cluster;
  Refusals refusals(cluster);
  const auto require = [&](std::string_view reason, uint32_t a, uint32_t b) {
    refusals.Require(ErrorCode::kInvalidArgument, reason, [&] { return cluster->Merge(a, b); });
  };
  require("there is no region 6", 0, 6);
  require("there is no region 6", 6, 0);
  require("with itself", 3, 3);
  require("regions 0 and 2 are no neighbours", 0, 2);
  require("no neighbours", 5, 0);
  require("no neighbours", 0, 5);
  require("region 1 is on server 0, region 2 on server 1", 1, 2);
  require("region 1 is on server 0, region 2 on server 1", 2, 1);
  cluster.CheckWhole();
  cluster.Reopen();
  CHECK(cluster.Table().size() == 6);
  cluster.CheckWhole();
}

TEST_CASE("moves that do not fit are refused, and nothing changes") {
  QuietCluster cluster;
  Refusals refusals(cluster);
  const auto require = [&](std::string_view reason, uint32_t region, uint32_t server) {
    refusals.Require(ErrorCode::kInvalidArgument, reason,
                     [&] { return cluster->Move(region, server); });
  };
  require("there is no region 6", 6, 0);
  require("between 0 and 2; got 3", 0, 3);
  require("between 0 and 2; got 4294967295", 0, ~0u);
  require("region 0 is on server 0 already", 0, 0);
  cluster.CheckWhole();
  cluster.Reopen();
  cluster.CheckWhole();
}

TEST_CASE("while a region is moved, another change of it is refused, and of others done") {
  QuietCluster cluster;
  int num_reports = 0;
  const Result<bool> is_moved = cluster->Move(0, 1, [&](uint64_t, uint64_t) {
    if (num_reports++ != 0) return;
    const auto require = [](const auto& result) {
      REQUIRE_FALSE(result.ok());
      CHECK(result.error().code == ErrorCode::kBusy);
      INFO(result.error().message);
      CHECK(result.error().message.find("region 0 is being moved to server 1") == 0);
    };
    const RegionTable table = cluster.Table();
    require(cluster->Split(0, "a5"));
    require(cluster->Split(0));
    require(cluster->Merge(0, 1));
    require(cluster->Merge(1, 0));
    require(cluster->Move(0, 2));
    CHECK(cluster.Table() == table);
    for (const RegionLoad& load : cluster->GetRegionLoads()) {
      CHECK(load.is_busy == (load.region.id == 0));
    }
    // Also of those that a refused merge named.
    CHECK(cluster->Split(1, "c").ok());
    CHECK(cluster->Merge(4, 5).ok());
  });
  REQUIRE(is_moved.ok());
  CHECK(*is_moved);
  CHECK(num_reports >= 1);
  CHECK(cluster.RegionOf("a").server == 1);
  for (const RegionLoad& load : cluster->GetRegionLoads()) CHECK_FALSE(load.is_busy);
  CHECK(cluster->Split(0, "a5").ok());
  cluster.CheckWholeAndBuild();
}

TEST_CASE("a move that is ended at any time has moved nothing, and its copy is removed later") {
  QuietCluster cluster(1'500);
  const RegionTable table = cluster.Table();
  for (int num_asked = 0;; ++num_asked) {
    CAPTURE(num_asked);
    int left = num_asked;
    const Result<bool> is_moved = cluster->Move(4, 0, nullptr, [&] { return left-- > 0; });
    REQUIRE(is_moved.ok());
    if (*is_moved) {
      CHECK(num_asked >= 3);  // before each chunk of rows, and before the switch
      break;
    }
    REQUIRE(num_asked < 1'000);
    CHECK(cluster.Table() == table);
    CHECK(cluster->GetStats().num_moves == 0);
    CHECK(*cluster->FinishChanges());
    const Result<VerifyReport> report = cluster->Verify();
    REQUIRE(report.ok());
    CHECK(report->ok());
    CHECK(report->num_rows == cluster.rows().size());
    CHECK(report->num_leftover_rows == 0);
    CHECK(cluster->GetStats().num_leftovers == 0);
    if (num_asked % 2 == 1) cluster.Put(SmallRow("h-" + std::to_string(num_asked), "c", "s"));
  }
  CHECK(cluster.RegionOf("h").server == 0);
  CHECK(cluster->GetStats().num_leftovers == 1);  // ended when the old copy was to be removed
  CHECK(*cluster->FinishChanges());
  cluster.CheckWholeAndBuild();
  cluster.Reopen();
  cluster.CheckWhole();
}

TEST_CASE("numbers of servers and attributes out of range are refused") {
  QuietCluster cluster(20);
  Refusals refusals(cluster);
  const auto require = [&](std::string_view reason, const std::function<Status()>& change) {
    refusals.Require(ErrorCode::kInvalidArgument, reason, change);
  };
  require("server must be between 0 and 2; got 3", [&] { return cluster->StopServer(3); });
  require("server must be between 0 and 2; got 3", [&] { return cluster->StartServer(3); });
  require("attribute must be between 0 and 2; got 3", [&] { return cluster->AddIndex(3); });
  require("attribute must be between 0 and 2; got 3", [&] { return cluster->DropIndex(3); });
  cluster.CheckWhole();
}

}  // namespace
}  // namespace trommel::index
