// MetaStore: what a cluster is, read back or refused with a reason.
#include "engine/index/src/rocks/meta_store.h"

#include <rocksdb/options.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/meta_codec.h"
#include "engine/index/src/rocks/table_record_codec.h"
#include "engine/index/src/rows/table_recorder.h"
#include "index/support/child_program.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/region_table.h"

namespace trommel::index {
namespace {

using trommel::tests::ScratchFolder;

bool SaysPart(const Error& error, std::string_view part) {
  return error.message.find(part) != std::string::npos;
}

TEST_CASE("numbers of a new cluster out of range are refused") {
  const auto is_refused = [](void (*change)(ClusterConfig&)) {
    ClusterConfig config = tests::SmallConfig();
    change(config);
    const Status status = ValidateConfig(config);
    return !status.ok() && status.error().code == ErrorCode::kInvalidArgument;
  };
  CHECK_FALSE(is_refused([](ClusterConfig&) {}));
  CHECK(is_refused([](ClusterConfig& config) { config.num_servers = 0; }));
  CHECK(is_refused([](ClusterConfig& config) { config.num_servers = kMaxServers + 1; }));
  CHECK(is_refused([](ClusterConfig& config) { config.target_fpr = 0; }));
  CHECK(is_refused([](ClusterConfig& config) { config.target_fpr = 1; }));
  CHECK(is_refused([](ClusterConfig& config) { config.splits = {"b", "a"}; }));
  CHECK(is_refused(
      [](ClusterConfig& config) { config.splits = {std::string(kMaxKeyBytes + 1, 'k')}; }));
  CHECK(is_refused([](ClusterConfig& config) { config.schema.attributes.clear(); }));
}

TEST_CASE("a folder without a cluster, or with half of one, is refused with the reason") {
  const ScratchFolder folder;
  const Result<MetaStore> none = MetaStore::Open(folder / "none");
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == ErrorCode::kIo);
  CHECK(SaysPart(none.error(), "there is no cluster here"));

  {
    const Result<MetaStore> half = MetaStore::Create(folder / "half");
    REQUIRE(half.ok());
    const Result<MetaStore> second = MetaStore::Open(folder / "half");
    REQUIRE_FALSE(second.ok());
    CHECK(second.error().code == ErrorCode::kIo);
    CHECK(SaysPart(second.error(), "has it open"));
  }
  Result<MetaStore> half = MetaStore::Open(folder / "half");
  REQUIRE(half.ok());
  const Result<MetaRecords> records = half->Read();
  REQUIRE_FALSE(records.ok());
  CHECK(records.error().code == ErrorCode::kCorrupt);
  CHECK(SaysPart(records.error(), "interrupted"));
  CHECK(SaysPart(records.error(), (folder / "half").string()));

  const Result<MetaStore> again = MetaStore::Create(folder / "half");
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code == ErrorCode::kExists);
}

ClusterRecord SampleCluster() { return {.cluster_id = "c1", .config = tests::SmallConfig()}; }

TableRecord FirstTable() {
  const ClusterConfig config = tests::SmallConfig();
  return FirstRecord(config.schema, *RegionTable::Split(config.splits, config.num_servers));
}

// A table whose record has at least so many bytes.
TableRecord LargeTable(size_t num_bytes) {
  std::vector<std::string> splits;
  for (size_t i = 0; i * 1'000 < num_bytes; ++i) {
    splits.push_back(std::to_string(1'000'000 + i) + std::string(1'000, 'k'));
  }
  return FirstRecord(tests::SmallConfig().schema, *RegionTable::Split(splits, 3));
}

MetaStore MakeStore(const std::filesystem::path& folder) {
  Result<MetaStore> store = MetaStore::Create(folder);
  REQUIRE(store.ok());
  REQUIRE(store->Write({.cluster = SampleCluster(), .table = FirstTable()}).ok());
  return *std::move(store);
}

TEST_CASE("the record of a table is there after a reopen, and the last one holds") {
  const ScratchFolder folder;
  TableRecord record = FirstTable();
  {
    MetaStore store = MakeStore(folder / "c");
    CHECK(store.Read()->table == record);
    for (int i = 0; i < 3; ++i) {
      ++record.next_region_id;
      record.attributes[2] = {.state = AttributeState::kBuilding, .backfilled = std::to_string(i)};
      record.leftovers.push_back({.server = 2, .range = {"a", "b"}});
      const RecordOutcome outcome = store.Record(record);
      CHECK(outcome.recorded == Recorded::kDone);
      CHECK(outcome.status.ok());
      CHECK(store.Read()->table == record);
    }
  }
  Result<MetaStore> store = MetaStore::Open(folder / "c");
  REQUIRE(store.ok());
  const Result<MetaRecords> records = store->Read();
  REQUIRE(records.ok());
  CHECK(records->table == record);
  // How the cluster was created is not changed by it.
  CHECK(records->cluster.config.schema == tests::SmallConfig().schema);
  CHECK(records->cluster.config.splits == tests::SmallConfig().splits);
}

TEST_CASE("a cluster of format 1 is read, and has the new format from its first change on") {
  const ScratchFolder folder;
  static_cast<void>(MakeStore(folder / "c"));
  const DatabaseResources resources(1 << 20, 1);
  const auto format = [&] {
    const Result<Database> meta =
        Database::Open(folder / "c" / "meta", OpenMode::kRead, resources, {});
    REQUIRE(meta.ok());
    std::string bytes;
    REQUIRE(meta->db().Get(rocksdb::ReadOptions(), "trommel-index cluster", &bytes).ok());
    return bytes[0];
  };
  {
    const Result<Database> meta =
        Database::Open(folder / "c" / "meta", OpenMode::kOpen, resources, {});
    REQUIRE(meta.ok());
    std::string cluster = EncodeCluster(SampleCluster());
    cluster[0] = 1;
    std::string table;
    for (const uint64_t number : {2, 7, 1, 0, 3, 0, 1}) AppendNumber(number, table);
    table += 'k';
    REQUIRE(meta->db().Put(rocksdb::WriteOptions(), "trommel-index cluster", cluster).ok());
    REQUIRE(meta->db().Put(rocksdb::WriteOptions(), "trommel-index regions", table).ok());
  }
  TableRecord record;
  {
    Result<MetaStore> store = MetaStore::Open(folder / "c");
    REQUIRE(store.ok());
    const Result<MetaRecords> records = store->Read();
    REQUIRE(records.ok());
    record = records->table;
    CHECK(record.table.size() == 2);
    CHECK(record.next_region_id == 8);
    CHECK(records->cluster.cluster_id == "c1");
  }
  CHECK(format() == 1);  // reading changes nothing
  {
    Result<MetaStore> store = MetaStore::Open(folder / "c");
    REQUIRE(store.ok());
    record.leftovers = {{.server = 2, .range = {"a", "b"}}};
    REQUIRE(store->Record(record).recorded == Recorded::kDone);
  }
  CHECK(format() == 2);
  Result<MetaStore> store = MetaStore::Open(folder / "c");
  REQUIRE(store.ok());
  CHECK(store->Read()->table == record);
  CHECK(store->Read()->cluster.config.splits == tests::SmallConfig().splits);
}

TEST_CASE("a write that is said to have failed, but was done, is found done") {
  const ScratchFolder folder;
  MetaStore store = MakeStore(folder / "c");
  TableRecord record = FirstTable();
  ++record.next_region_id;
  store.SetFault(RecordFault::kDone);
  const RecordOutcome outcome = store.Record(record);
  CHECK(outcome.recorded == Recorded::kDone);
  CHECK(outcome.status.ok());
  CHECK(store.Read()->table == record);
}

void Limit(decltype(RLIMIT_FSIZE) what, rlim_t most) {
  rlimit limit{};
  REQUIRE(getrlimit(what, &limit) == 0);
  limit.rlim_cur = most == RLIM_INFINITY ? limit.rlim_max : most;
  REQUIRE(setrlimit(what, &limit) == 0);
}

// Fails writes of the record; whatever the disk still takes, the first record stays.
void FailRecord(MetaStore& store, rlim_t disk_bytes) {
  INFO("file size limit: " << disk_bytes);
  const TableRecord large = LargeTable(1 << 20);
  for (int i = 0; i < 3; ++i) {
    Limit(RLIMIT_FSIZE, disk_bytes);
    const RecordOutcome outcome = store.Record(large);
    Limit(RLIMIT_FSIZE, RLIM_INFINITY);
    INFO((outcome.status ? "" : outcome.status.error().message));
    CHECK_FALSE(outcome.status.ok());
    // The second time, the database may be closed and impossible to open.
    if (i == 0) CHECK(outcome.recorded == Recorded::kNotDone);
    CHECK(outcome.recorded != Recorded::kDone);
    if (i != 1) CHECK(store.Read()->table == FirstTable());
  }
  CHECK(store.Record(large).recorded == Recorded::kDone);
  CHECK(store.Read()->table == large);
}

TEST_CASE("child: records on a disk that is full", "[.]") {
  if (tests::FolderOfChild().empty()) return;
  REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  // From a disk on which the database can be opened again to one that takes nothing.
  for (const rlim_t disk_bytes : {512 << 10, 64 << 10, 4 << 10, 64, 0}) {
    MetaStore store = MakeStore(tests::FolderOfChild() / std::to_string(disk_bytes));
    FailRecord(store, disk_bytes);
  }
}

TEST_CASE("child: records that cannot be read after a failure", "[.]") {
  if (tests::FolderOfChild().empty()) return;
  REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  const std::filesystem::path cluster = tests::FolderOfChild() / "c";
  MetaStore store = MakeStore(cluster);
  const TableRecord large = LargeTable(1 << 20);
  Limit(RLIMIT_FSIZE, 64 << 10);
  // The open database writes to its files, but is not found again.
  std::filesystem::rename(cluster / "meta", cluster / "away");
  for (int i = 0; i < 3; ++i) CHECK(store.Record(large).recorded == Recorded::kUnknown);
  CHECK_FALSE(store.Read().ok());
  std::filesystem::rename(cluster / "away", cluster / "meta");
  CHECK(store.Record(large).recorded == Recorded::kNotDone);
  Limit(RLIMIT_FSIZE, RLIM_INFINITY);
  CHECK(store.Read()->table == FirstTable());
  CHECK(store.Record(large).recorded == Recorded::kDone);
  CHECK(store.Read()->table == large);
}

TEST_CASE("a record that a full disk refuses is found not done, and can be written later") {
  tests::CheckChild("child: records on a disk that is full");
}

TEST_CASE("a record is unknown only while it cannot be read") {
  tests::CheckChild("child: records that cannot be read after a failure");
}

}  // namespace
}  // namespace trommel::index
