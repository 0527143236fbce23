// AddIndex and DropIndex of a Cluster: queries are right before, during and after.
#include <cstdint>
#include <string>
#include <vector>

#include "index/cluster/quiet_cluster.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "trommel/index/cluster.h"
#include "trommel/index/query.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

using tests::QuietCluster;
using tests::SmallRow;

constexpr uint32_t kNote = 2;  // the attribute without an index

AttributeState StateOfNote(QuietCluster& cluster) {
  return cluster->directory().PinVersion().state(kNote);
}

QueryPlan PlanOfNote(QuietCluster& cluster, const std::string& value) {
  QueryRequest request;
  request.conditions = {{kNote, value}};
  const Result<QueryOutcome> outcome = cluster->Find(request);
  REQUIRE(outcome.ok());
  return outcome->plan;
}

// Whether queries of notes ask all regions, and say why.
bool IsBroadcast(QuietCluster& cluster) {
  const QueryPlan plan = PlanOfNote(cluster, "note1");
  return plan.is_broadcast && plan.num_candidates == plan.num_regions &&
         plan.not_indexed == std::vector<uint32_t>{kNote};
}

void RequireNotChanged(const Status& status, ErrorCode code, const std::string& reason) {
  REQUIRE_FALSE(status.ok());
  INFO(status.error().message);
  CHECK(status.error().code == code);
  CHECK(status.error().message.find(reason) != std::string::npos);
}

void FinishAll(QuietCluster& cluster) {
  const Result<bool> is_finished = cluster->FinishChanges();
  REQUIRE(is_finished.ok());
  REQUIRE(*is_finished);
}

TEST_CASE("an index is added while rows change, and used when it is complete") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    QuietCluster cluster(300, structure);
    CHECK(StateOfNote(cluster) == AttributeState::kNone);
    CHECK(IsBroadcast(cluster));
    const uint64_t num_entries = cluster->Verify()->num_entries;

    REQUIRE(cluster->AddIndex(kNote).ok());
    CHECK(StateOfNote(cluster) == AttributeState::kBuilding);
    CHECK(IsBroadcast(cluster));
    cluster.CheckWhole();
    // Rows with the entries of the new index, without them, and with half of them.
    cluster.Put(SmallRow("a-new", "color1", "size1", "note1"));
    cluster.Put(SmallRow("a0", "color1", "size1", "changed"));
    cluster.Delete("b1");
    cluster.CheckWhole();
    RequireNotChanged(cluster->AddIndex(kNote), ErrorCode::kInvalidArgument,
                      "has an index already");

    FinishAll(cluster);
    CHECK(StateOfNote(cluster) == AttributeState::kIndexed);
    cluster.CheckWholeAndBuild();
    CHECK(cluster->Verify()->num_entries == num_entries + 300);
    CHECK_FALSE(IsBroadcast(cluster));
    CHECK(PlanOfNote(cluster, "note1").not_indexed.empty());
    CHECK(PlanOfNote(cluster, "changed").num_regions_with_rows == 1);
    CHECK(PlanOfNote(cluster, "changed").num_candidates < 6);
    RequireNotChanged(cluster->AddIndex(kNote), ErrorCode::kInvalidArgument,
                      "has an index already");

    cluster.Reopen();
    CHECK(StateOfNote(cluster) == AttributeState::kIndexed);
    CHECK(cluster->GetStats().num_columns_loaded == 18);
    cluster.CheckWhole();
  }
}

TEST_CASE("an index is dropped with its entries, and can be added again") {
  QuietCluster cluster;
  RequireNotChanged(cluster->DropIndex(kNote), ErrorCode::kInvalidArgument, "has no index");
  const uint64_t num_entries = cluster->Verify()->num_entries;
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    REQUIRE(cluster->AddIndex(kNote).ok());
    FinishAll(cluster);
    cluster.CheckWholeAndBuild();

    REQUIRE(cluster->DropIndex(kNote).ok());
    CHECK(StateOfNote(cluster) == AttributeState::kDropping);
    CHECK(IsBroadcast(cluster));
    cluster.CheckWhole();
    cluster.Put(SmallRow("a0", "color1", "size1", "round " + std::to_string(round)));
    RequireNotChanged(cluster->DropIndex(kNote), ErrorCode::kInvalidArgument, "has no index");
    RequireNotChanged(cluster->AddIndex(kNote), ErrorCode::kBusy, "is being dropped");
    if (round == 1) {
      cluster.Reopen();
      CHECK(StateOfNote(cluster) == AttributeState::kDropping);
      RequireNotChanged(cluster->AddIndex(kNote), ErrorCode::kBusy, "is being dropped");
    }

    FinishAll(cluster);
    CHECK(StateOfNote(cluster) == AttributeState::kNone);
    CHECK(IsBroadcast(cluster));
    cluster.CheckWholeAndBuild();
    CHECK(cluster->Verify()->num_entries == num_entries);
    RequireNotChanged(cluster->DropIndex(kNote), ErrorCode::kInvalidArgument, "has no index");
  }
}

TEST_CASE("a backfill that was interrupted goes on, in the same process and after a restart") {
  QuietCluster cluster(900);
  REQUIRE(cluster->AddIndex(kNote).ok());
  int num_rounds = 0;
  for (int num_asked = 0; num_asked < 4; ++num_asked) {
    CAPTURE(num_asked);
    int left = num_asked;
    const Result<bool> is_finished = cluster->FinishChanges(nullptr, [&] { return left-- > 0; });
    REQUIRE(is_finished.ok());
    REQUIRE_FALSE(*is_finished);
    CHECK(StateOfNote(cluster) == AttributeState::kBuilding);
    CHECK(IsBroadcast(cluster));
    cluster.CheckWhole();
    // Before and behind the place that it had come to.
    const std::string number = std::to_string(num_rounds++);
    cluster.Put(SmallRow("a-" + number, "color1", "size1", "note1"));
    cluster.Put(SmallRow("k-" + number, "color1", "size1", "note" + number));
    cluster.Put(SmallRow("a0", "color1", "size1", "changed" + number));
    if (num_asked % 2 == 1) {
      cluster.Reopen();
      CHECK(StateOfNote(cluster) == AttributeState::kBuilding);
    }
  }
  // Regions change, too.
  REQUIRE(cluster->Split(0).ok());
  REQUIRE(cluster->Move(3, 0).ok());
  uint64_t last_done = 0;
  const Result<bool> is_finished = cluster->FinishChanges([&](uint64_t done, uint64_t total) {
    CHECK(done <= total);
    last_done = done;
  });
  REQUIRE(is_finished.ok());
  CHECK(*is_finished);
  CHECK(last_done == 7);
  CHECK(StateOfNote(cluster) == AttributeState::kIndexed);
  cluster.CheckWholeAndBuild();
  CHECK_FALSE(IsBroadcast(cluster));
}

TEST_CASE("an index is given up before it is complete") {
  QuietCluster cluster(900);
  const uint64_t num_entries = cluster->Verify()->num_entries;
  REQUIRE(cluster->AddIndex(kNote).ok());
  int left = 2;
  REQUIRE(cluster->FinishChanges(nullptr, [&] { return left-- > 0; }).ok());
  CHECK(cluster->Verify()->num_entries > num_entries);
  REQUIRE(cluster->DropIndex(kNote).ok());
  // Entries are removed server by server.
  left = 1;
  const Result<bool> is_finished = cluster->FinishChanges(nullptr, [&] { return left-- > 0; });
  REQUIRE(is_finished.ok());
  CHECK_FALSE(*is_finished);
  CHECK(StateOfNote(cluster) == AttributeState::kDropping);
  cluster.CheckWhole();
  cluster.Reopen();
  FinishAll(cluster);
  CHECK(StateOfNote(cluster) == AttributeState::kNone);
  cluster.CheckWholeAndBuild();
  CHECK(cluster->Verify()->num_entries == num_entries);
}

TEST_CASE("an index is given up while its backfill is at work") {
  QuietCluster cluster(900);
  const uint64_t num_entries = cluster->Verify()->num_entries;
  REQUIRE(cluster->AddIndex(kNote).ok());
  bool is_dropped = false;
  const Result<bool> is_finished = cluster->FinishChanges(nullptr, [&] {
    if (!is_dropped) CHECK(cluster->DropIndex(kNote).ok());
    is_dropped = true;
    return true;
  });
  REQUIRE(is_finished.ok());
  CHECK(*is_finished);
  CHECK(is_dropped);
  CHECK(StateOfNote(cluster) == AttributeState::kNone);
  cluster.CheckWholeAndBuild();
  CHECK(cluster->Verify()->num_entries == num_entries);
}

}  // namespace
}  // namespace trommel::index
