// What a Cluster's background thread does by itself: ends changes, splits and moves by rules.
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <thread>

#include "index/cluster/quiet_cluster.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

using tests::QuietCluster;
using tests::SmallOptions;
using tests::SmallRow;

ClusterOptions RulesOptions(const RegionRules& rules) {
  ClusterOptions options = SmallOptions();
  options.finishes_in_background = true;
  options.rules = rules;
  options.rules.interval = std::chrono::milliseconds(1);
  return options;
}

// Returns whether it became true; a test's machine may be slow.
bool BecomesTrue(const std::function<bool()>& is_true) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::string RandomText(std::mt19937_64& random) {
  std::string text(4'000, '\0');
  for (char& byte : text) byte = static_cast<char>('a' + random() % 26);
  return text;
}

TEST_CASE("a region that becomes large is split in the background, and small ones are not") {
  QuietCluster cluster;
  cluster.Reopen(RulesOptions({.split_bytes = 400'000}));
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    cluster.Put(SmallRow("d-large-" + std::to_string(i), "color1", "size1", RandomText(random)));
  }
  CHECK(BecomesTrue([&] { return cluster->GetStats().num_splits >= 1; }));
  CHECK(cluster->GetStats().last_failure.empty());
  CHECK(cluster.RegionOf("d").id >= 6);
  CHECK(cluster.RegionOf("a").id == 0);
  CHECK(cluster.RegionOf("k").id == 5);
  cluster.Reopen();
  CHECK(cluster.Table().size() >= 7);
  cluster.CheckWholeAndBuild();
}

TEST_CASE("a rule that cannot split a region any more is no failure") {
  QuietCluster cluster(30);
  // Regions are split until each has one row.
  cluster.Reopen(RulesOptions({.split_bytes = 1}));
  CHECK(BecomesTrue([&] { return cluster.Table().size() >= 30; }));
  CHECK(cluster->GetStats().last_failure.empty());
  cluster.CheckWholeAndBuild();
}

TEST_CASE("regions move to servers with fewer of them in the background") {
  QuietCluster cluster;
  for (const uint32_t region : {2, 3, 4, 5}) REQUIRE(cluster->Move(region, 0).ok());
  cluster.Reopen(RulesOptions({.is_balanced = true}));
  CHECK(BecomesTrue([&] { return cluster->GetStats().num_moves >= 4; }));
  CHECK(cluster->PlanBalance(false).empty());
  for (const ServerStats& server : cluster->GetStats().servers) CHECK(server.num_regions == 2);
  cluster.Reopen();
  CHECK(*cluster->FinishChanges());  // rows may be left where regions moved from
  cluster.CheckWholeAndBuild();
}

TEST_CASE("without rules the background thread completes indexes, but splits and moves nothing") {
  QuietCluster cluster;
  for (const uint32_t region : {2, 3, 4, 5}) REQUIRE(cluster->Move(region, 0).ok());
  const RegionTable table = cluster.Table();
  cluster.Reopen(RulesOptions({}));
  REQUIRE(cluster->AddIndex(2).ok());
  const auto has_state = [&](AttributeState state) {
    return BecomesTrue([&] { return cluster->directory().PinVersion().state(2) == state; });
  };
  CHECK(has_state(AttributeState::kIndexed));
  cluster.CheckWholeAndBuild();
  REQUIRE(cluster->DropIndex(2).ok());
  CHECK(has_state(AttributeState::kNone));
  CHECK(cluster.Table() == table);
  cluster.CheckWholeAndBuild();
}

TEST_CASE("a cluster is closed at any time while rules are at work") {
  QuietCluster cluster;
  for (const uint32_t region : {2, 3, 4, 5}) REQUIRE(cluster->Move(region, 0).ok());
  REQUIRE(cluster->AddIndex(2).ok());
  ClusterOptions options = RulesOptions({.split_bytes = 1, .is_balanced = true});
  options.num_builders = 1;
  options.backfill_rows_per_second = 1'000;
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    cluster.Reopen(options);
    cluster.Put(SmallRow("a-" + std::to_string(round), "color1", "size1", "note1"));
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * round));
    cluster.Close();
    cluster.Open();
    CHECK(cluster.AreQueriesRight());
    const Result<VerifyReport> report = cluster->Verify();
    REQUIRE(report.ok());
    CHECK(report->ok());
    if (round % 3 != 2) continue;
    CHECK(*cluster->FinishChanges());
    cluster.CheckWhole();
  }
  CHECK(*cluster->FinishChanges());
  cluster.CheckWholeAndBuild();
}

}  // namespace
}  // namespace trommel::index
