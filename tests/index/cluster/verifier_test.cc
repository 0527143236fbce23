// Verifier, on tables in the middle of a change: leftovers of moves, indexes that come and go, and
// servers that stop.
#include "engine/index/src/cluster/verifier.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/store_scan.h"
#include "engine/index/src/rows/row_store.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/keys.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

using trommel::tests::ScratchFolder;

// Two servers with one region each: keys before "m", and from "m" on. One attribute.
class OneAttribute {
 public:
  explicit OneAttribute(const AttributeRecord& attribute)
      : record_{.table = *RegionTable::Split(std::vector<std::string>{"m"}, 2),
                .next_region_id = 2,
                .attributes = {attribute},
                .leftovers = {}},
        directory_(*ServerIndex::Create({.attributes = {attribute.state}}, record_.table)) {
    for (uint32_t server = 0; server < 2; ++server) {
      stores_.push_back(*RocksRowStore::Create(folder_ / (server == 0 ? "s0" : "s1"),
                                               {.cluster = "c", .server = server},
                                               {.num_attributes = 1}, resources_));
    }
    if (attribute.state != AttributeState::kIndexed) return;
    REQUIRE(directory_.Resize(0, 100).ok());
  }

  RocksRowStore& store(uint32_t server) { return *stores_[server]; }
  TableRecord& record() { return record_; }
  const ServerIndex& directory() const { return directory_; }

  void PutRow(uint32_t server, const std::string& key, const std::string& value) {
    const std::vector<RowChange> rows = {{.key = key, .versions = {{{value}}}}};
    REQUIRE(store(server).Commit(rows, {}, store(server).incarnation()).ok());
  }
  void PutEntry(uint32_t server, const std::string& key, const std::string& value) {
    const std::vector<EntryChange> entries = {{0, value, key, true}};
    REQUIRE(store(server).Commit({}, entries, store(server).incarnation()).ok());
  }
  bool HasEntry(uint32_t server, const std::string& key, const std::string& value) {
    return (*FindEntries(store(server), std::vector{ValuePrefix(0, value) + key}))[0];
  }
  bool HasRow(uint32_t server, const std::string& key) {
    return !(*store(server).Read({&key, 1}))[0].empty();
  }

  // Both columns have exactly these pairs.
  void Build(const std::vector<std::string_view>& low, const std::vector<std::string_view>& high) {
    directory_.Insert({.region_id = 0, .attribute = 0}, Keys(low));
    directory_.Insert({.region_id = 1, .attribute = 0}, Keys(high));
    for (const uint32_t region : {0, 1}) directory_.FinishBuild({region, 0});
  }
  bool IsBuilt(uint32_t region) const { return directory_.PinVersion().IsBuilt(0, region); }

  Result<VerifyReport> Verify(Repair repair,
                              const std::function<void(uint64_t, uint64_t)>& progress = nullptr) {
    return Verifier(schema_, record_, directory_, stores_, {progress, nullptr}, repair).Run();
  }

 private:
  ScratchFolder folder_;
  DatabaseResources resources_{1 << 20, 1};
  const Schema schema_{.attributes = {{.name = "color", .is_indexed = true}}};
  TableRecord record_;
  std::vector<std::unique_ptr<RocksRowStore>> stores_;
  ServerIndex directory_;
};

TEST_CASE("rows in a leftover of their server are no fault, and neither are their entries") {
  OneAttribute table({AttributeState::kIndexed});
  table.record().leftovers = {{.server = 1, .range = {"b", "d"}}};
  table.PutRow(0, "b1", "v");
  table.PutEntry(0, "b1", "v");
  table.PutRow(1, "b1", "v");     // a copy without its entry
  table.PutEntry(1, "c", "old");  // an entry without its row
  table.PutRow(1, "d", "v");      // beyond the leftover
  table.PutRow(0, "z", "v");      // at a server that has no leftover
  table.PutEntry(1, "cc", "v");
  table.PutRow(1, "cc", "v");
  table.PutEntry(1, "x", "w");  // which does dangle

  const Result<VerifyReport> report = table.Verify(Repair::kAll);
  REQUIRE(report.ok());
  CHECK(report->num_rows == 5);
  CHECK(report->num_leftover_rows == 2);
  CHECK(report->num_wrong_rows == 2);
  CHECK(report->num_missing_entries == 0);
  CHECK(report->num_dangling_entries == 1);
  CHECK(report->num_pairs == 2);
  CHECK(report->num_repaired == 2 + 1 + 1);  // rows, an entry, and its column

  const Result<VerifyReport> after = table.Verify(Repair::kAll);
  REQUIRE(after.ok());
  CHECK(after->ok());
  CHECK(after->num_leftover_rows == 2);
  CHECK(after->num_repaired == 0);
  CHECK(table.HasRow(1, "b1"));
  CHECK(table.HasEntry(1, "c", "old"));
  CHECK_FALSE(table.HasRow(1, "d"));
  CHECK_FALSE(table.HasRow(0, "z"));
}

TEST_CASE(
    "an index that is being built lacks no entry of rows that the backfill has yet to reach") {
  for (const bool has_begun : {false, true}) {
    OneAttribute table({AttributeState::kBuilding});
    if (has_begun) table.record().attributes[0].backfilled = "f";
    table.PutRow(0, "b", "v");
    table.PutRow(0, "f", "v");
    table.PutRow(0, "g", "v");
    table.PutEntry(0, "g", "v");
    table.PutRow(1, "n", "v");
    table.PutEntry(1, "n", "w");

    const Result<VerifyReport> report = table.Verify(Repair::kAll);
    REQUIRE(report.ok());
    CHECK(report->num_missing_entries == (has_begun ? 1 : 0));  // of b
    CHECK(report->num_dangling_entries == 1);
    CHECK(report->num_repaired == (has_begun ? 2 : 1));
    CHECK(table.HasEntry(0, "b", "v") == has_begun);
    CHECK_FALSE(table.HasEntry(0, "f", "v"));
    CHECK(table.HasEntry(0, "g", "v"));
    CHECK_FALSE(table.HasEntry(1, "n", "w"));
    CHECK(table.Verify(Repair::kNone)->ok());
  }
}

TEST_CASE(
    "an index that is being removed may have entries, and an attribute without one has none") {
  for (const AttributeState state : {AttributeState::kDropping, AttributeState::kNone}) {
    const bool is_dropping = state == AttributeState::kDropping;
    OneAttribute table({state});
    table.PutRow(0, "b", "v");
    table.PutEntry(0, "b", "v");
    table.PutEntry(0, "b", "w");
    const Result<VerifyReport> report = table.Verify(Repair::kAll);
    REQUIRE(report.ok());
    CHECK(report->num_missing_entries == 0);
    CHECK(report->num_dangling_entries == (is_dropping ? 0 : 2));
    CHECK(report->num_repaired == report->num_dangling_entries);
    CHECK(table.HasEntry(0, "b", "v") == is_dropping);
    CHECK(table.Verify(Repair::kNone)->ok());
  }
}

TEST_CASE("a column is built again whose entries were repaired, though it was right before") {
  OneAttribute table({AttributeState::kIndexed});
  table.PutRow(0, "a", "v");
  table.PutRow(0, "b", "v");
  table.PutEntry(0, "b", "v");
  table.PutRow(1, "n", "v");
  table.PutEntry(1, "n", "v");
  table.Build({"v"}, {"v"});
  const Result<VerifyReport> report = table.Verify(Repair::kAll);
  REQUIRE(report.ok());
  CHECK(report->num_missing_entries == 1);
  CHECK(report->num_wrong_counts == 0);
  CHECK(report->num_unbuilt_columns == 0);
  CHECK(report->num_repaired == 1 + 1);
  CHECK_FALSE(table.IsBuilt(0));
  CHECK(table.IsBuilt(1));
}

TEST_CASE("Verify fails with the reason of a server that is stopped, and repairs nothing") {
  OneAttribute table({AttributeState::kIndexed});
  table.PutRow(0, "a", "v");
  table.store(1).Stop();
  const Result<VerifyReport> failed = table.Verify(Repair::kAll);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code == ErrorCode::kIo);
  CHECK(failed.error().message == table.store(1).Sync().error().message);
  CHECK_FALSE(table.HasEntry(0, "a", "v"));

  REQUIRE(table.store(1).Start().ok());
  CHECK(table.Verify(Repair::kAll)->num_missing_entries == 1);
  CHECK(table.Verify(Repair::kNone)->ok());
}

TEST_CASE("what was mended stays mended when a server stops, and its column is built again") {
  OneAttribute table({AttributeState::kIndexed});
  table.PutRow(0, "a", "v");
  table.PutRow(1, "n", "v");
  std::vector<RowChange> rows;
  for (int i = 0; i < 5000; ++i) rows.push_back({"n" + std::to_string(i), {{{}}}});
  REQUIRE(table.store(1).Commit(rows, {}, table.store(1).incarnation()).ok());
  table.Build({}, {});

  for (const bool starts_again : {false, true}) {
    int num_calls = 0;
    const auto stop = [&](uint64_t, uint64_t) {  // in the middle of server 1's rows
      ++num_calls;
      table.store(1).Stop();
      if (starts_again) REQUIRE(table.store(1).Start().ok());
    };
    const Result<VerifyReport> failed = table.Verify(Repair::kAll, stop);
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().code == ErrorCode::kIo);
    CHECK(num_calls == 1);
    CHECK(table.HasEntry(0, "a", "v"));
    CHECK_FALSE(table.IsBuilt(0));
    CHECK(table.IsBuilt(1));
    if (!starts_again) REQUIRE(table.store(1).Start().ok());
    CHECK_FALSE(table.HasEntry(1, "n", "v"));
  }
  CHECK(table.Verify(Repair::kAll)->num_missing_entries == 1);
  CHECK(table.Verify(Repair::kNone)->ok());
}

}  // namespace
}  // namespace trommel::index
