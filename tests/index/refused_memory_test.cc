// What is left of changes and writes for which the system refused memory, at any of their
// allocations: what is durable and what is published agree, no row is missed, and nothing is lost
// for ever.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/changes/change_context.h"
#include "engine/index/src/changes/index_changes.h"
#include "engine/index/src/changes/region_changes.h"
#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/model/table_record.h"
#include "engine/index/src/protocol/column_builder.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/protocol/table_writer.h"
#include "index/support/directories.h"
#include "index/support/memory_row_store.h"
#include "index/support/memory_servers.h"
#include "support/allocation_peak.h"
#include "support/catch.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"

namespace trommel::index::tests {
namespace {

using trommel::tests::AllocationPeak;
using trommel::tests::Refused;
using trommel::tests::RefusedAllocation;

// Calls body, with its n-th allocation refused. Returns whether it has so many.
bool WasRefused(uint64_t n, const std::function<void()>& body) {
  const RefusedAllocation refused(n);
  try {
    body();
  } catch (const std::bad_alloc&) {
  }
  return refused.was_refused();
}

constexpr uint32_t kNumRegions = 6;
constexpr uint32_t kNumAttributes = 2;

std::string ValueOf(uint32_t region) { return "value " + std::to_string(region); }

// Built columns of two attributes, with a value of its own for each region.
ServerIndex MakeFilled(Structure structure) {
  ServerIndex index =
      *ServerIndex::Create({.attributes = {AttributeState::kIndexed, AttributeState::kIndexed},
                            .structure = structure,
                            .target_fpr = 0.001},
                           EvenTable(kNumRegions, 3));
  for (uint32_t a = 0; a < kNumAttributes; ++a) {
    REQUIRE(index.Resize(a, 64).ok());
    for (uint32_t id = 0; id < kNumRegions; ++id) {
      index.Insert({id, a}, std::vector<std::string>{ValueOf(id)});
      index.FinishBuild({id, a});
    }
  }
  return index;
}

// Whether each region that exists is a candidate for its value.
bool IsNoneMissed(const ServerIndex& index) {
  const ServerIndex::Pin pin = index.PinVersion();
  for (uint32_t id = 0; id < kNumRegions; ++id) {
    const size_t position = pin.table().FindId(id);
    for (uint32_t a = 0; a < kNumAttributes && position != pin.table().size(); ++a) {
      if (std::ranges::count(CandidatesOf(pin, a, ValueOf(id)), position) != 1) return false;
    }
  }
  return true;
}

RegionTable WithoutFirstRegion(const ServerIndex& index) {
  const RegionTable table = index.PinVersion().table();
  std::vector<Region> regions(table.regions().begin() + 1, table.regions().end());
  regions[0] = {kNumRegions, {"", regions[0].range.end}, regions[0].server};
  return RegionTable::Create(std::move(regions)).value();
}

TEST_CASE("a change of versions that finds no memory takes no column from the version before",
          "[index][directory]") {
  if (!AllocationPeak::IsCounted()) return;
  const Structure structure = GENERATE(Structure::kMap, Structure::kServerFilters);
  const std::vector<ColumnName> columns = {{1, 0}, {4, 0}, {1, 1}};
  const std::function<void(ServerIndex&)> changes[] = {
      [&](ServerIndex& index) { index.MarkUnbuilt(columns); },
      [&](ServerIndex& index) { static_cast<void>(index.Publish(WithoutFirstRegion(index))); },
      [&](ServerIndex& index) { static_cast<void>(index.Resize(1, 200)); },
      [&](ServerIndex& index) { index.SetState(1, AttributeState::kNone); },
  };
  for (const auto& change : changes) {
    bool was_refused = true;
    for (uint64_t n = 1; was_refused; ++n) {
      CAPTURE(n);
      ServerIndex index = MakeFilled(structure);
      was_refused = WasRefused(n, [&] { change(index); });
      // Another version, so that columns that were replaced are closed.
      const ColumnName other{5, 0};
      index.MarkUnbuilt({&other, 1});
      index.Reclaim();
      REQUIRE(IsNoneMissed(index));
    }
  }
}

TEST_CASE("columns that were opened for a version that was not published are free again",
          "[index][directory]") {
  if (!AllocationPeak::IsCounted()) return;
  const Structure structure = GENERATE(Structure::kMap, Structure::kServerFilters);
  ServerIndex index = MakeFilled(structure);
  std::vector<ColumnName> columns;
  for (uint32_t id = 0; id < kNumRegions; ++id) {
    for (uint32_t a = 0; a < kNumAttributes; ++a) columns.push_back({id, a});
  }
  for (int round = 0; round < 10; ++round) {
    uint64_t n = 1;
    while (WasRefused(n, [&] { index.MarkUnbuilt(columns); })) {
      ++n;
      index.Reclaim();
    }
    CHECK(n > 10);
  }
  index.MarkUnbuilt(columns);
  index.Reclaim();
  CHECK(index.ColumnsToBuild().size() == columns.size());
  CHECK(index.GetStats().num_retired_columns == 0);
}

// Regions 0 to "f" and 1 to "m" on server 0, 2 on server 1, with rows; attributes 0 and 1 are
// indexed, 2 is not.
struct ChangedTable {
  explicit ChangedTable(Structure structure)
      : record{EvenSplits(),
               3,
               {{AttributeState::kIndexed, {}}, {AttributeState::kIndexed, {}}, {}},
               {}},
        directory(
            ServerIndex::Create({.attributes = {AttributeState::kIndexed, AttributeState::kIndexed,
                                                AttributeState::kNone},
                                 .structure = structure},
                                record.table)
                .value()),
        keeper(record, recorder) {
    recorder.Set(record);
    lookups.Begin(record.table, 2);
    for (const uint32_t id : {0, 1, 2}) regions.Add(id);
    REQUIRE(builder.SizeStructures().ok());
    Build();
    for (const char* key : {"a", "b", "c", "g", "h", "n", "o"}) REQUIRE(Put(key, "red").ok());
  }
  static RegionTable EvenSplits() {
    return RegionTable::Split(std::vector<std::string>{"f", "m"}, 2).value();
  }
  void Build() {
    for (const ColumnName& column : directory.ColumnsToBuild()) {
      while (!*builder.BuildChunk(column, 100)) {
      }
    }
  }
  Status Put(const std::string& key, const std::string& value) {
    const Mutation put{key, std::vector<Values>{{value}, {value}, {value}}};
    return writer.Write({&put, 1});
  }
  // What is durable, what the keeper says, what is published, and what servers hold is one table.
  void CheckAgrees() {
    const TableRecord kept = keeper.Read();
    CHECK(kept == recorder.durable());
    const ServerIndex::Pin pin = directory.PinVersion();
    CHECK(pin.table() == kept.table);
    for (uint32_t a = 0; a < 3; ++a) CHECK(pin.state(a) == kept.attributes[a].state);
    for (const Region& region : kept.table.regions()) {
      CHECK(lookups.Holds(region.server, region.range.begin));
      CHECK_FALSE(lookups.Holds(1 - region.server, region.range.begin));
      CHECK(regions.Find(region.id) != nullptr);
    }
  }

  Schema schema{{{"color", true}, {"size", true}, {"note", false}}, 1};
  TableRecord record;
  ServerIndex directory;
  RegionStates regions{3};
  MemoryRowStore stores[2];
  std::vector<RowStore*> servers{&stores[0], &stores[1]};
  MemoryServers lookups;
  MemoryRecorder recorder;
  TableKeeper keeper;
  TableWriter writer{schema, directory, regions, servers};
  ColumnBuilder builder{directory, regions, servers};
  ChangeContext context{3, directory, regions, servers, lookups, keeper};
  RegionChanges region_changes{context};
  IndexChanges index_changes{context};
};

TEST_CASE("a change that finds no memory is both durable and published, or neither",
          "[index][changes]") {
  if (!AllocationPeak::IsCounted()) return;
  const Structure structure = GENERATE(Structure::kMap, Structure::kServerFilters);
  const std::function<bool(ChangedTable&)> changes[] = {
      [](ChangedTable& table) { return table.region_changes.Split(0, "b").ok(); },
      [](ChangedTable& table) { return table.region_changes.Merge(1, 0).ok(); },
      [](ChangedTable& table) { return table.region_changes.Move(0, 1, {}).ok(); },
      [](ChangedTable& table) { return table.index_changes.Add(2).ok(); },
      [](ChangedTable& table) { return table.index_changes.Drop(1).ok(); },
  };
  for (const auto& change : changes) {
    bool was_refused = true;
    for (uint64_t n = 1; was_refused; ++n) {
      CAPTURE(n);
      ChangedTable table(structure);
      bool is_done = false;
      was_refused = WasRefused(n, [&] { is_done = change(table); });
      table.CheckAgrees();
      if (!was_refused) CHECK(is_done);
      // The next one finds what it needs.
      const Region first = table.directory.PinVersion().table()[0];
      CHECK(table.region_changes.Split(first.id, "a").ok());
      CHECK(table.Put("a", "blue").ok());
      table.CheckAgrees();
    }
  }
}

TEST_CASE("a write that finds no memory any more keeps no value in flight", "[index][protocol]") {
  if (!AllocationPeak::IsCounted()) return;
  const bool is_done = GENERATE(false, true);
  ChangedTable table(Structure::kMap);
  table.directory.MarkUnbuilt(std::vector<ColumnName>{{0, 1}});  // pairs of others are maintained
  std::optional<RefusedAllocation> refused;
  table.stores[0].commit_fault = [&]() -> CommitFault {
    if (is_done) return CommitFault::kDone;
    refused.emplace(1, Refused::kAllFrom);
    throw std::bad_alloc();
  };
  // Asked in Leave, after the commit: from then on, if not before.
  int num_questions = 0;
  table.stores[0].question_fails = [&] {
    if (++num_questions != 3) return false;
    if (!refused) refused.emplace(1, Refused::kAllFrom);
    throw std::bad_alloc();
  };
  const Status status = table.Put("a", "blue");
  refused.reset();
  CHECK(num_questions >= 3);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kOutOfMemory);
  table.stores[0].commit_fault = nullptr;
  table.stores[0].question_fails = nullptr;
  table.Build();
  for (const char* key : {"a", "b", "c"}) {
    const Mutation removal{key, std::nullopt};
    REQUIRE(table.writer.Write({&removal, 1}).ok());
  }
  const ServerIndex::Pin pin = table.directory.PinVersion();
  for (const std::string value : {"red", "blue"}) {
    // Column 0 may keep a pair too many, for it could not be marked; no value has stayed in flight.
    CHECK(CandidatesOf(pin, 1, value) == (value == "red" ? Positions{1, 2} : Positions{}));
    std::vector<std::string> in_flight;
    for (const uint32_t a : {0u, 1u}) {
      FlightTable& flights = table.regions.Find(0)->flight_tables[a];
      const auto lock = flights.Lock();
      flights.AppendInFlight(std::nullopt, std::nullopt, in_flight);
    }
    CHECK(in_flight.empty());
  }
}

TEST_CASE("a write that finds no memory fails, at any of its allocations", "[index][protocol]") {
  if (!AllocationPeak::IsCounted()) return;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; ++n) {
    CAPTURE(n);
    ChangedTable table(Structure::kMap);
    const Mutation put{"a", std::vector<Values>{{"blue"}, {"blue"}, {"blue"}}};
    bool threw = false;
    Status status = Ok();
    was_refused = WasRefused(n, [&] {
      threw = true;
      status = table.writer.Write({&put, 1});
      threw = false;
    });
    CHECK_FALSE(threw);
    if (!was_refused) REQUIRE(status.ok());
    if (!status) CHECK(status.error().code == ErrorCode::kOutOfMemory);
    if (table.stores[0].RowOf("a").empty()) continue;
    const bool is_blue = table.stores[0].RowOf("a")[0][0] == Values{"blue"};
    CHECK(CandidatesOf(table.directory, 0, is_blue ? "blue" : "red").at(0) == 0);
  }
}

}  // namespace
}  // namespace trommel::index::tests
