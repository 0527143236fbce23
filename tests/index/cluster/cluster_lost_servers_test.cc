// Servers of a Cluster that are lost and come back: StopServer, StartServer, and Open without the
// database of one.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "engine/index/src/rocks/meta_store.h"
#include "index/cluster/quiet_cluster.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "trommel/index/cluster.h"
#include "trommel/index/query.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

using tests::KeysWith;
using tests::QuietCluster;
using tests::QuietOptions;
using tests::SmallRow;

constexpr uint32_t kLost = 1;  // the server of keys from "d" to "h"
const KeyRange kLostKeys{"d", "h"};

// A query of this condition must find all rows but those of the lost server, and report this one's
// ranges alone as not answered.
void CheckWithoutServer(QuietCluster& cluster, const Condition& condition) {
  QueryRequest request;
  request.conditions = {condition};
  request.timeout = std::chrono::milliseconds(1'000);  // the lost server is asked until then
  const Result<QueryOutcome> outcome = cluster->Find(request);
  REQUIRE(outcome.ok());
  std::set<std::string> expected;
  for (const auto& [key, row] : cluster.rows()) {
    if (!kLostKeys.Contains(key) && row.attributes[condition.attribute][0] == condition.value) {
      expected.insert(key);
    }
  }
  std::set<std::string> found;
  for (const Row& row : outcome->rows) found.insert(row.key);
  CHECK(found == expected);

  std::string reached = kLostKeys.begin;
  for (const Unanswered& range : outcome->unanswered) {
    CHECK(range.server == kLost);
    CHECK(range.range.begin == reached);
    CHECK_FALSE(range.reason.message.empty());
    reached = range.range.end;
  }
  CHECK(reached == kLostKeys.end);
  CHECK(cluster->GetStats().queries.num_unanswered > 0);
}

template <class Outcome>
void RequireIoError(const Outcome& outcome, const std::string& reason) {
  REQUIRE_FALSE(outcome.ok());
  INFO(outcome.error().message);
  CHECK(outcome.error().code == ErrorCode::kIo);
  CHECK(outcome.error().message.find(reason) != std::string::npos);
}

TEST_CASE("a stopped server's ranges are reported, all others answered, and it comes back whole") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    QuietCluster cluster(300, structure);
    REQUIRE(cluster->StopServer(kLost).ok());
    REQUIRE(cluster->StopServer(kLost).ok());
    CHECK(cluster->GetStats().servers[kLost].is_stopped);
    CheckWithoutServer(cluster, {0, "color1"});
    CheckWithoutServer(cluster, {2, "note1"});

    // Writes and reads of its rows fail, and say of which server; others do not.
    const std::string folder = ServerFolder(cluster.path(), kLost);
    RequireIoError(cluster->Put(SmallRow("d-new", "c", "s")), folder);
    RequireIoError(cluster->Delete("e4"), folder);
    RequireIoError(cluster->Get("d3"), folder);
    cluster.Put(SmallRow("a-new", "c", "s"));
    cluster.Delete("k10");
    CHECK(**cluster->Get("a-new") == SmallRow("a-new", "c", "s"));
    RequireIoError(cluster->Verify(), "server");

    REQUIRE(cluster->StartServer(kLost).ok());
    REQUIRE(cluster->StartServer(kLost).ok());
    CHECK_FALSE(cluster->GetStats().servers[kLost].is_stopped);
    // Its regions are candidates for every value until they are built.
    CHECK(cluster->Verify()->num_unbuilt_columns == 4);
    cluster.CheckWhole();
    cluster.Put(SmallRow("d-new", "color1", "size1", "note1"));
    cluster.CheckWholeAndBuild();
    CHECK(cluster->Verify()->num_unbuilt_columns == 0);
  }
}

TEST_CASE("columns of the servers that run are made and built without the one that is lost") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    QuietCluster cluster(300, structure);
    // No attribute has a structure, as after a crash.
    for (const uint32_t attribute : {0u, 1u}) {
      cluster->directory().SetState(attribute, AttributeState::kNone);
      cluster->directory().SetState(attribute, AttributeState::kIndexed);
    }
    REQUIRE(cluster->StopServer(kLost).ok());
    RequireIoError(cluster->BuildColumns(), ServerFolder(cluster.path(), kLost).string());
    const ServerIndexStats stats = cluster->GetStats().directory;
    for (const uint32_t attribute : {0u, 1u}) {
      CHECK(stats.attributes[attribute].pairs_per_region > 0);
      CHECK(stats.attributes[attribute].num_unbuilt == 2);  // the lost server's regions
    }
    CheckWithoutServer(cluster, {0, "color1"});
    REQUIRE(cluster->StartServer(kLost).ok());
    cluster.CheckWholeAndBuild();

    // With all of them lost, none can be counted.
    for (const uint32_t attribute : {0u, 1u}) {
      cluster->directory().SetState(attribute, AttributeState::kNone);
      cluster->directory().SetState(attribute, AttributeState::kIndexed);
    }
    for (const uint32_t server : {0u, 1u, 2u}) REQUIRE(cluster->StopServer(server).ok());
    RequireIoError(cluster->BuildColumns(), "region");
    CHECK(cluster->GetStats().directory.attributes[0].pairs_per_region == 0);
    for (const uint32_t server : {0u, 1u, 2u}) REQUIRE(cluster->StartServer(server).ok());
    cluster.CheckWholeAndBuild();
  }
}

TEST_CASE("changes of a stopped server's regions fail, and leave all as it was") {
  QuietCluster cluster;
  REQUIRE(cluster->StopServer(kLost).ok());
  const RegionTable table = cluster.Table();
  const std::string folder = ServerFolder(cluster.path(), kLost);
  RequireIoError(cluster->Split(2), folder);
  RequireIoError(cluster->Move(2, 0), "region 2 cannot move from server 1 to server 0");
  RequireIoError(cluster->Move(0, kLost), "region 0 cannot move from server 0 to server 1");
  CHECK(cluster.Table() == table);
  for (const PlannedMove& move : cluster->PlanBalance()) {
    CHECK(move.server != kLost);
    CHECK(table[table.FindId(move.region_id)].server != kLost);
  }
  // These need no rows.
  const auto split = cluster->Split(2, "e");
  REQUIRE(split.ok());
  CHECK(cluster->Merge(split->low_id, split->high_id).ok());

  // The copy that could not begin is to be removed; until then that fails, and is tried again.
  RequireIoError(cluster->FinishChanges(), folder);
  REQUIRE(cluster->StartServer(kLost).ok());
  CHECK(*cluster->FinishChanges());
  cluster.CheckWholeAndBuild();
  CHECK(*cluster->Move(0, kLost));
  cluster.CheckWholeAndBuild();
}

TEST_CASE("an index is completed and removed only with all servers") {
  QuietCluster cluster;
  REQUIRE(cluster->AddIndex(2).ok());
  REQUIRE(cluster->StopServer(kLost).ok());
  const auto state = [&] { return cluster->directory().PinVersion().state(2); };
  RequireIoError(cluster->FinishChanges(), ServerFolder(cluster.path(), kLost).string());
  CHECK(state() == AttributeState::kBuilding);
  REQUIRE(cluster->StartServer(kLost).ok());
  CHECK(*cluster->FinishChanges());
  CHECK(state() == AttributeState::kIndexed);
  cluster.CheckWholeAndBuild();

  REQUIRE(cluster->DropIndex(2).ok());
  REQUIRE(cluster->StopServer(kLost).ok());
  RequireIoError(cluster->FinishChanges(), ServerFolder(cluster.path(), kLost).string());
  CHECK(state() == AttributeState::kDropping);
  REQUIRE(cluster->StartServer(kLost).ok());
  CHECK(*cluster->FinishChanges());
  CHECK(state() == AttributeState::kNone);
  cluster.CheckWholeAndBuild();
}

TEST_CASE("a cluster that is closed while a server is stopped opens whole") {
  QuietCluster cluster;
  REQUIRE(cluster->StopServer(kLost).ok());
  cluster.Put(SmallRow("a-new", "c", "s"));
  cluster.Reopen();
  CHECK_FALSE(cluster->GetStats().servers[kLost].is_stopped);
  // The others' columns are loaded.
  CHECK(cluster->GetStats().num_columns_loaded == 8);
  cluster.CheckWholeAndBuild();
}

TEST_CASE("a cluster opens without a server whose folder is gone, if it may, and with it later") {
  QuietCluster cluster;
  cluster.Close();
  const std::filesystem::path folder = ServerFolder(cluster.path(), kLost);
  const std::filesystem::path elsewhere = cluster.path().parent_path() / "elsewhere";
  std::filesystem::rename(folder, elsewhere);
  const Result<Cluster> refused = Cluster::Open(cluster.path(), QuietOptions());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kCorrupt);

  ClusterOptions options = QuietOptions();
  options.leaves_out_lost_servers = true;
  cluster.Open(options);
  CHECK(cluster->GetStats().servers[kLost].is_stopped);
  CHECK_FALSE(std::filesystem::exists(folder));
  CheckWithoutServer(cluster, {0, "color2"});
  RequireIoError(cluster->Put(SmallRow("d-new", "c", "s")), folder.string());
  cluster.Put(SmallRow("a-new", "color2", "s"));
  const Status not_started = cluster->StartServer(kLost);
  REQUIRE_FALSE(not_started.ok());
  CHECK(not_started.error().message.find(folder.string()) != std::string::npos);
  CHECK(cluster->GetStats().servers[kLost].is_stopped);
  CHECK_FALSE(std::filesystem::exists(folder));
  CheckWithoutServer(cluster, {0, "color2"});

  std::filesystem::rename(elsewhere, folder);
  REQUIRE(cluster->StartServer(kLost).ok());
  cluster.CheckWholeAndBuild();
  cluster.Reopen();
  cluster.CheckWhole();
}

}  // namespace
}  // namespace trommel::index
