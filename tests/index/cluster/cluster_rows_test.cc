// Cluster: rows, queries and verification, while it is open.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"
#include "trommel/index/query.h"
#include "trommel/index/schema.h"

namespace trommel::index {
namespace {

using tests::Created;
using tests::KeysWith;
using tests::PutSmallRows;
using tests::SmallConfig;
using tests::SmallOptions;
using tests::SmallRow;
using trommel::tests::ScratchFolder;

void RequireAgreement(Cluster& cluster, bool is_built) {
  const Result<VerifyReport> report = cluster.Verify();
  REQUIRE(report.ok());
  INFO((report->examples.empty() ? std::string() : report->examples.front()));
  REQUIRE(report->ok());
  REQUIRE((report->num_unbuilt_columns == 0) == is_built);
}

TEST_CASE("rows are found by their values before, while and after columns are built") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    const ScratchFolder folder;
    Result<Cluster> cluster = Created(folder / "c", structure);
    REQUIRE(PutSmallRows(*cluster, 700).ok());
    const std::set<std::string> reds = KeysWith(*cluster, {{0, "color3"}});
    CHECK(reds.size() == 100);
    CHECK(KeysWith(*cluster, {{0, "color3"}, {1, "size1"}}).size() == 20);
    CHECK(KeysWith(*cluster, {{2, "-"}, {1, "size1"}}).size() == 140);
    RequireAgreement(*cluster, false);

    uint64_t last_done = 0;
    uint64_t last_total = 0;
    const Result<bool> built = cluster->BuildColumns([&](uint64_t done, uint64_t total) {
      CHECK(done <= total);
      CHECK(done >= last_done);
      last_done = done;
      last_total = total;
      CHECK(KeysWith(*cluster, {{0, "color3"}}) == reds);
    });
    REQUIRE(built.ok());
    CHECK(*built);
    CHECK(last_total == 12);
    CHECK(last_done == last_total);
    CHECK(KeysWith(*cluster, {{0, "color3"}}) == reds);
    CHECK(KeysWith(*cluster, {{0, "none"}}).empty());
    RequireAgreement(*cluster, true);
    CHECK(cluster->Close().ok());
  }
}

TEST_CASE("puts, overwrites and deletes keep rows, entries and directory in agreement") {
  const ScratchFolder folder;
  ClusterConfig config = SmallConfig();
  config.schema.max_versions = 2;
  Result<Cluster> cluster = Cluster::Create(folder / "c", config, SmallOptions());
  REQUIRE(cluster.ok());
  REQUIRE(cluster->BuildColumns().ok());
  std::mt19937_64 random(9);
  std::map<std::string, std::vector<Row>> model;  // readable versions, newest first
  const auto key = [&random] {
    return static_cast<char>('a' + random() % 11) + std::to_string(random() % 9);
  };
  const auto number = [&random](uint64_t n) { return std::to_string(random() % n); };
  for (int i = 0; i < 3'000; ++i) {
    if (random() % 4 == 0) {
      const std::string victim = key();
      REQUIRE(cluster->Delete(victim).ok());
      model.erase(victim);
      continue;
    }
    const Row row = SmallRow(key(), "c" + number(40), "s" + number(4));
    REQUIRE(cluster->Put(row).ok());
    std::vector<Row>& versions = model[row.key];
    versions.insert(versions.begin(), row);
    if (versions.size() > 2) versions.pop_back();
  }
  for (int c = 0; c < 40; ++c) {
    const std::string color = "c" + std::to_string(c);
    std::set<std::string> expected;
    for (const auto& [row_key, versions] : model) {
      if (std::ranges::any_of(versions,
                              [&](const Row& r) { return r.attributes[0][0] == color; })) {
        expected.insert(row_key);
      }
    }
    REQUIRE(KeysWith(*cluster, {{0, color}}) == expected);
  }
  RequireAgreement(*cluster, true);
  const std::string some = model.begin()->first;
  const Result<std::optional<Row>> row = cluster->Get(some);
  REQUIRE(row.ok());
  REQUIRE(row->has_value());
  CHECK((*row)->key == some);
  CHECK(std::ranges::count((*row)->attributes[0], model[some][0].attributes[0][0]) == 1);
  const Result<std::optional<Row>> none = cluster->Get("none");
  REQUIRE(none.ok());
  CHECK_FALSE(none->has_value());
}

TEST_CASE("writes, queries, builders and verification go on beside each other", "[threads]") {
  const ScratchFolder folder;
  ClusterOptions options = SmallOptions();
  options.num_builders = 2;
  options.threads_per_server = 2;
  Result<Cluster> cluster = Created(folder / "c", Structure::kMap, options);
  // Rows that stay, and must be found by every query.
  for (char c = 'a'; c < 'l'; ++c) {
    REQUIRE(cluster->Put(SmallRow(std::string(1, c), "kept", "kept")).ok());
  }
  std::atomic<int> num_failures = 0;
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<uint64_t>(t));
      for (int i = 0; i < 400; ++i) {
        const std::string key =
            static_cast<char>('a' + random() % 11) + std::string(1, '0' + random() % 8);
        const Status status = random() % 3 == 0
                                  ? cluster->Delete(key)
                                  : cluster->Put(SmallRow(key, "c" + std::to_string(i), "s"));
        if (!status) ++num_failures;
      }
    });
  }
  std::thread reader([&] {
    while (!is_over) {
      if (KeysWith(*cluster, {{0, "kept"}, {1, "kept"}}).size() != 11) ++num_failures;
    }
  });
  for (int i = 0; i < 3; ++i) {
    const Result<VerifyReport> report = cluster->Verify();
    if (!report || !report->ok()) ++num_failures;
    if (!cluster->BuildColumns()) ++num_failures;
  }
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  reader.join();
  CHECK(num_failures == 0);
  REQUIRE(cluster->BuildColumns().ok());
  RequireAgreement(*cluster, true);
  CHECK(cluster->Close().ok());
}

TEST_CASE("building stops when it is told to, and goes on later") {
  const ScratchFolder folder;
  Result<Cluster> cluster = Created(folder / "c");
  REQUIRE(PutSmallRows(*cluster, 100).ok());
  int num_left = 5;
  const Result<bool> first = cluster->BuildColumns(nullptr, [&] { return num_left-- > 0; });
  REQUIRE(first.ok());
  CHECK_FALSE(*first);
  RequireAgreement(*cluster, false);
  num_left = 3;
  const auto give_up = [&] { return num_left-- > 0 ? true : throw std::runtime_error("enough"); };
  CHECK_THROWS_AS(cluster->BuildColumns(nullptr, give_up), std::runtime_error);
  const Result<bool> second = cluster->BuildColumns();
  REQUIRE(second.ok());
  CHECK(*second);
  RequireAgreement(*cluster, true);
}

TEST_CASE("statistics count regions, rows and lookups of servers") {
  const ScratchFolder folder;
  Result<Cluster> cluster = Created(folder / "c");
  REQUIRE(PutSmallRows(*cluster, 110).ok());
  CHECK(KeysWith(*cluster, {{0, "color1"}}).size() == 16);
  const ClusterStats stats = cluster->GetStats();
  REQUIRE(stats.servers.size() == 3);
  uint64_t num_rows = 0;
  for (const ServerStats& server : stats.servers) {
    CHECK(server.num_regions == 2);
    CHECK(server.num_lookups >= 1);
    CHECK(server.memory_bytes > 0);
    num_rows += server.num_rows;
  }
  CHECK(num_rows == 110);
  CHECK(stats.num_columns_loaded == 0);
}

}  // namespace
}  // namespace trommel::index
