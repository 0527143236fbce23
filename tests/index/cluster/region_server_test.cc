// RegionServer and EmbeddedStore: what lookups answer, and that each is answered.
#include "engine/index/src/rocks/region_server.h"

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/index/src/rocks/embedded_store.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "engine/index/src/rows/row_store.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/region_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"

namespace trommel::index {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using tests::Ask;
using trommel::tests::ScratchFolder;

constexpr size_t kAttributes = 3;  // of which 0 and 1 have entries

// Two servers: the first has keys up to "m", the second the others.
struct TwoServers {
  TwoServers() {
    for (uint32_t i = 0; i < 2; ++i) {
      auto server = RocksRowStore::Create(folder.path() / std::to_string(i), {"c", i},
                                          {.num_attributes = kAttributes}, resources);
      REQUIRE(server.ok());
      stores.push_back(*std::move(server));
    }
    const std::vector<std::string> splits = {"m"};
    const Result<RegionTable> table = RegionTable::Split(splits, 2);
    REQUIRE(table.ok());
    auto started = EmbeddedStore::Start(stores, *table, kAttributes, 1);
    REQUIRE(started.ok());
    store = *std::move(started);
  }

  // Puts a row with entries as a writer does.
  void Put(const std::string& key, const Versions& versions) {
    std::vector<EntryChange> entries;
    for (uint32_t attribute = 0; attribute < 2; ++attribute) {
      for (const std::string& value : ValuesOf(versions, attribute)) {
        entries.push_back({attribute, value, key, true});
      }
    }
    const std::vector<RowChange> rows = {{.key = key, .versions = versions}};
    RocksRowStore& of_key = *stores[key < "m" ? 0 : 1];
    REQUIRE(of_key.Commit(rows, entries, of_key.incarnation()).ok());
  }

  ScratchFolder folder;
  DatabaseResources resources{1 << 20, 2};
  std::vector<std::unique_ptr<RocksRowStore>> stores;
  std::unique_ptr<EmbeddedStore> store;
};

LookupRequest RequestOf(std::vector<Condition> conditions, std::vector<uint32_t> indexed,
                        std::vector<KeyRange> ranges = {{"", "m"}}) {
  return {.server = 0,
          .ranges = std::move(ranges),
          .conditions = std::move(conditions),
          .indexed_conditions = std::move(indexed),
          .deadline = steady_clock::now() + 30s};
}

TEST_CASE("a lookup finds the same rows through any of its conditions and through none") {
  TwoServers servers;
  std::mt19937_64 random(8);
  const auto value = [&random] { return std::string(1, static_cast<char>('p' + random() % 4)); };
  std::map<std::string, Versions> rows;
  for (int i = 0; i < 1'500; ++i) {
    const std::string key = static_cast<char>('a' + random() % 12) + std::to_string(random() % 300);
    Versions versions = {{{value()}, {value()}, {value()}}};
    if (random() % 4 == 0) versions.push_back({{value()}, {}, {}});
    if (!rows.emplace(key, versions).second) continue;
    servers.Put(key, versions);
  }
  for (int i = 0; i < 60; ++i) {
    std::vector<Condition> conditions;
    for (size_t n = 1 + random() % 3; n > 0; --n) {
      conditions.push_back({static_cast<uint32_t>(random() % kAttributes), value()});
    }
    std::vector<uint32_t> indexed;
    for (uint32_t c = 0; c < conditions.size(); ++c) {
      if (conditions[c].attribute < 2 && random() % 4 != 0) indexed.push_back(c);
    }
    const std::vector<KeyRange> ranges = {{"a2", "c"}, {"c", "e1"}, {"f", "k7"}};
    std::vector<Row> expected;
    for (const auto& [key, versions] : rows) {
      if (std::ranges::none_of(ranges, [&key = key](const KeyRange& r) { return r.Contains(key); }))
        continue;
      Row row{.key = key, .attributes = {}};
      for (uint32_t a = 0; a < kAttributes; ++a) row.attributes.push_back(ValuesOf(versions, a));
      if (std::ranges::all_of(conditions, [&](const Condition& c) {
            return std::ranges::count(row.attributes[c.attribute], c.value) == 1;
          })) {
        expected.push_back(row);
      }
    }
    const LookupAnswer answer = Ask(*servers.store, RequestOf(conditions, indexed, ranges));
    REQUIRE(answer.status.ok());
    REQUIRE(answer.rows == expected);
    REQUIRE(answer.not_mine.empty());
    REQUIRE(answer.num_rows_read >= expected.size());
    REQUIRE((answer.num_entries_read == 0) == indexed.empty());
  }
}

TEST_CASE("conditions that few rows meet together read few entries") {
  TwoServers servers;
  // All rows have value "x" of attribute 0, one in a thousand has "y" of attribute 1.
  for (int i = 0; i < 5'000; ++i) {
    servers.Put("a" + std::to_string(10'000 + i), {{{"x"}, {i % 1'000 == 0 ? "y" : "z"}, {}}});
  }
  const LookupAnswer answer = Ask(*servers.store, RequestOf({{0, "x"}, {1, "y"}}, {0, 1}));
  REQUIRE(answer.status.ok());
  CHECK(answer.rows.size() == 5);
  CHECK(answer.num_rows_read == 5);
  CHECK(answer.num_entries_read < 200);
}

TEST_CASE("what a server does not hold it says, and it never says that it is empty") {
  TwoServers servers;
  servers.Put("a", {{{"x"}, {}, {}}});
  servers.Put("z", {{{"x"}, {}, {}}});
  LookupRequest request = RequestOf({{0, "x"}}, {0}, {{"", "c"}, {"k", ""}});
  const LookupAnswer first = Ask(*servers.store, request);
  REQUIRE(first.status.ok());
  REQUIRE(first.rows.size() == 1);
  CHECK(first.rows[0].key == "a");
  CHECK(first.not_mine == std::vector<KeyRange>{{"m", ""}});
  request.server = 1;
  const LookupAnswer second = Ask(*servers.store, request);
  REQUIRE(second.rows.size() == 1);
  CHECK(second.rows[0].key == "z");
  CHECK(second.not_mine == std::vector<KeyRange>{{"", "c"}, {"k", "m"}});

  servers.store->server(1).SetHeld({});
  CHECK(Ask(*servers.store, request).not_mine == request.ranges);
}

TEST_CASE("a row whose entry is stale is not returned") {
  TwoServers servers;
  servers.Put("a", {{{"x"}, {}, {}}});
  const std::vector<RowChange> rows = {{.key = "a", .versions = {{{"y"}, {}, {}}}}};
  REQUIRE(servers.stores[0]->Commit(rows, {}, 0).ok());  // the entry of x stays
  const LookupAnswer answer = Ask(*servers.store, RequestOf({{0, "x"}}, {0}));
  REQUIRE(answer.status.ok());
  CHECK(answer.rows.empty());
  CHECK(answer.num_entries_read >= 1);
}

TEST_CASE("a lookup of a damaged row fails and says which") {
  TwoServers servers;
  servers.Put("a", {{{"x"}, {}, {}}});
  {
    const Result<DatabaseShare> share = servers.stores[0]->database().Use();
    REQUIRE(share.ok());
    const rocksdb::WriteOptions options;
    REQUIRE(share->db().Put(options, share->family(kRowsFamily), "a", "?").ok());
  }
  for (const std::vector<uint32_t>& indexed : {std::vector<uint32_t>{0}, {}}) {
    const LookupAnswer answer = Ask(*servers.store, RequestOf({{0, "x"}}, indexed));
    REQUIRE_FALSE(answer.status.ok());
    CHECK(answer.status.error().code == ErrorCode::kCorrupt);
    CHECK(answer.status.error().message.find("row \"a\"") != std::string::npos);
    CHECK(answer.rows.empty());
  }
}

TEST_CASE("a server that is stopped fails lookups, whatever it holds, until it is started") {
  TwoServers servers;
  servers.Put("a", {{{"x"}, {}, {}}});
  RocksRowStore& store = *servers.stores[0];
  store.Stop();
  const std::string expected = store.folder().string() + ": the server is stopped";
  for (const std::vector<KeyRange>& ranges : {std::vector<KeyRange>{{"", "m"}}, {{"n", "o"}}, {}}) {
    for (const std::vector<uint32_t>& indexed : {std::vector<uint32_t>{0}, {}}) {
      const LookupAnswer answer = Ask(*servers.store, RequestOf({{0, "x"}}, indexed, ranges));
      REQUIRE_FALSE(answer.status.ok());
      CHECK(answer.status.error().code == ErrorCode::kIo);
      CHECK(answer.status.error().message == expected);
      CHECK(answer.not_mine.empty());
    }
  }
  CHECK(servers.store->Read(0, "a").error().message == expected);
  CHECK(servers.store->Read(0, "z").error().message == expected);
  REQUIRE(store.Start().ok());
  CHECK(Ask(*servers.store, RequestOf({{0, "x"}}, {0})).rows.size() == 1);
}

TEST_CASE("a server that is made ready fails lookups and says why") {
  TwoServers servers;
  servers.Put("a", {{{"x"}, {}, {}}});
  servers.store->SetAnswering(0, false);
  const LookupAnswer answer = Ask(*servers.store, RequestOf({{0, "x"}}, {0}));
  REQUIRE_FALSE(answer.status.ok());
  CHECK(answer.status.error().code == ErrorCode::kIo);
  CHECK(answer.status.error().message ==
        servers.stores[0]->folder().string() +
            ": the server does not answer: it has lost writes and is being made ready");
  CHECK_FALSE(servers.store->Read(0, "a").ok());
  CHECK(servers.store->Read(1, "z").ok());
  servers.store->SetAnswering(0, true);
  CHECK(Ask(*servers.store, RequestOf({{0, "x"}}, {0})).rows.size() == 1);
  CHECK((*servers.store->Read(0, "a"))->size() == 1);
}

TEST_CASE("a row is read from the server that holds its key alone") {
  TwoServers servers;
  const Versions versions = {{{"x"}, {"y", "z"}, {}}, {{}, {}, {"u"}}};
  servers.Put("a", versions);
  CHECK(servers.store->Read(0, "a").value() == std::optional(versions));
  CHECK(servers.store->Read(0, "b").value() == std::optional(Versions{}));
  CHECK(servers.store->Read(0, "m").value() == std::nullopt);
  CHECK(servers.store->Read(1, "a").value() == std::nullopt);
  servers.store->SetHeld(0, {{"b", "m"}});
  CHECK(servers.store->Read(0, "a").value() == std::nullopt);  // though the copy is still there
  servers.store->SetHeld(0, {{"a", std::string("a\0", 2)}});
  CHECK(servers.store->Read(0, "a").value() == std::optional(versions));
}

TEST_CASE("lookups beside moves and stops answer for all of their ranges or say for which not",
          "[threads]") {
  TwoServers servers;
  for (int i = 0; i < 400; ++i) {
    const std::string number = std::to_string(100 + i % 100);
    servers.Put(std::string(1, static_cast<char>('a' + i / 100)) + number, {{{"x"}, {}, {}}});
  }
  std::atomic<bool> is_over = false;
  std::atomic<int> num_failed_starts = 0;
  std::thread changer([&] {
    for (int round = 0; round < 200; ++round) {
      servers.store->SetHeld(0, {{"", "b"}, {"c", "m"}});
      servers.store->SetHeld(0, {{"", "m"}});
      if (round % 8 != 0) continue;
      servers.store->SetAnswering(0, false);
      servers.stores[0]->Stop();
      if (!servers.stores[0]->Start()) ++num_failed_starts;
      servers.store->SetAnswering(0, true);
    }
    is_over = true;
  });
  while (!is_over) {
    const LookupAnswer answer = Ask(*servers.store, RequestOf({{0, "x"}}, {0}));
    if (!answer.status) continue;
    REQUIRE(answer.rows.size() == (answer.not_mine.empty() ? 400 : 300));
    if (!answer.not_mine.empty()) REQUIRE(answer.not_mine == std::vector<KeyRange>{{"b", "c"}});
    const Result<std::optional<Versions>> row = servers.store->Read(0, "b150");
    if (row && *row) REQUIRE((*row)->size() == 1);
  }
  changer.join();
  CHECK(num_failed_starts == 0);
}

TEST_CASE("requests that make no sense fail") {
  TwoServers servers;
  const auto fails = [&servers](const LookupRequest& request) {
    const LookupAnswer answer = Ask(*servers.store, request);
    return !answer.status.ok() && answer.status.error().code == ErrorCode::kInvalidArgument;
  };
  CHECK(fails(RequestOf({}, {})));
  CHECK(fails(RequestOf({{kAttributes, "x"}}, {0})));
  CHECK(fails(RequestOf({{0, "x"}}, {1})));
  CHECK(fails(RequestOf({{0, "x"}}, {0}, {{"c", "d"}, {"a", "b"}})));
  CHECK(fails(RequestOf({{0, "x"}}, {0}, {{"c", ""}, {"d", "e"}})));
  LookupRequest request = RequestOf({{0, "x"}}, {0});
  request.server = 2;
  CHECK(fails(request));
}

TEST_CASE("servers that are silent, stopped, late or closing answer with an error", "[threads]") {
  TwoServers servers;
  servers.Put("a", {{{"x"}, {}, {}}});
  LookupRequest request = RequestOf({{0, "x"}}, {0});

  request.deadline = steady_clock::now() - 1ms;
  CHECK_FALSE(Ask(*servers.store, request).status.ok());

  servers.store->server(0).SetOutage(Outage::kFails);
  request.deadline = steady_clock::now() + 30s;
  CHECK_FALSE(Ask(*servers.store, request).status.ok());

  servers.store->server(0).SetOutage(Outage::kSilent);
  request.deadline = steady_clock::now() + 20ms;
  const LookupAnswer late = Ask(*servers.store, request);
  CHECK_FALSE(late.status.ok());
  CHECK(steady_clock::now() >= request.deadline);

  servers.store->server(0).SetOutage(Outage::kNone);
  request.deadline = steady_clock::now() + 30s;
  CHECK(Ask(*servers.store, request).rows.size() == 1);

  servers.store->server(0).SetOutage(Outage::kSilent);
  std::promise<bool> first;
  std::promise<bool> second;
  request.deadline = steady_clock::now() + 1h;
  servers.store->Lookup(request, [&](const LookupAnswer& a) { first.set_value(a.status.ok()); });
  servers.store->Lookup(request, [&](const LookupAnswer& a) { second.set_value(a.status.ok()); });
  servers.store.reset();
  CHECK_FALSE(first.get_future().get());
  CHECK_FALSE(second.get_future().get());
}

}  // namespace
}  // namespace trommel::index
