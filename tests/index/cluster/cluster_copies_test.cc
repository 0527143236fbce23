// Cluster: folders, databases and directory files that are copies, or are put back from copies.
#include <rocksdb/options.h>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/meta_store.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"

namespace trommel::index {
namespace {

using tests::CreateBuilt;
using tests::KeysWith;
using tests::Opened;
using tests::SmallOptions;
using tests::SmallRow;
using trommel::tests::ScratchFolder;

constexpr size_t kAllColumns = 12;

void Copy(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

void PutAndClose(const std::filesystem::path& path, const std::string& key,
                 const std::string& color) {
  Result<Cluster> cluster = Opened(path);
  CHECK(cluster->GetStats().num_columns_loaded == kAllColumns);
  REQUIRE(cluster->Put(SmallRow(key, color, "s")).ok());
  REQUIRE(cluster->BuildColumns().ok());
  REQUIRE(cluster->Close().ok());
}

std::string IdOf(const std::filesystem::path& path) {
  Result<MetaStore> meta = MetaStore::Open(path);
  REQUIRE(meta.ok());
  return meta->Read()->cluster.cluster_id;
}

TEST_CASE("a server that is put back from a copy is not taken for what it was") {
  const bool is_open = GENERATE(false, true);
  const ScratchFolder folder;
  CreateBuilt(folder / "c");
  const auto server = ServerFolder(folder / "c", 0);
  Copy(server, folder / "copy");
  const auto put_back = [&] {
    std::filesystem::remove_all(server);
    std::filesystem::rename(folder / "copy", server);
  };
  Result<Cluster> cluster = Opened(folder / "c");
  REQUIRE(cluster->Put(SmallRow("a", "first", "s")).ok());
  REQUIRE(cluster->Close().ok());
  if (!is_open) put_back();
  cluster = Opened(folder / "c");
  CHECK(cluster->GetStats().num_columns_loaded == (is_open ? kAllColumns : kAllColumns - 4));
  if (is_open) {
    REQUIRE(cluster->StopServer(0).ok());
    put_back();
    REQUIRE(cluster->StartServer(0).ok());
  }
  // Another write of the same length brings the copy to the same sequence number.
  REQUIRE(cluster->Put(SmallRow("b", "second", "t")).ok());
  cluster = Error{};  // without Close
  cluster = Opened(folder / "c");
  CHECK(KeysWith(*cluster, {{0, "second"}}) == std::set<std::string>{"b"});
  CHECK(cluster->Verify()->ok());
}

TEST_CASE("a server's folder from a copy with as many writes is not taken for the own one") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    const ScratchFolder folder;
    CreateBuilt(folder / "a", structure);
    Copy(folder / "a", folder / "b");
    PutAndClose(folder / "a", "a1", "first");
    PutAndClose(folder / "b", "a2", "other");
    std::filesystem::remove_all(ServerFolder(folder / "a", 0));
    Copy(ServerFolder(folder / "b", 0), ServerFolder(folder / "a", 0));
    Result<Cluster> cluster = Opened(folder / "a");
    CHECK(cluster->GetStats().num_columns_loaded == kAllColumns - 4);
    CHECK(KeysWith(*cluster, {{0, "other"}}) == std::set<std::string>{"a2"});
    CHECK(KeysWith(*cluster, {{0, "first"}}).empty());
    CHECK(cluster->Verify()->ok());
    REQUIRE(cluster->BuildColumns().ok());
    CHECK(cluster->Verify()->ok());
  }
}

TEST_CASE("the directory file of a copy with as many writes is not taken for the own one") {
  const ScratchFolder folder;
  CreateBuilt(folder / "a");
  Copy(folder / "a", folder / "b");
  PutAndClose(folder / "a", "a1", "first");
  PutAndClose(folder / "b", "a2", "other");
  std::filesystem::copy_file(folder / "b" / "directory", folder / "a" / "directory",
                             std::filesystem::copy_options::overwrite_existing);
  Result<Cluster> cluster = Opened(folder / "a");
  CHECK(cluster->GetStats().num_columns_loaded == kAllColumns - 4);
  CHECK(KeysWith(*cluster, {{0, "first"}}) == std::set<std::string>{"a1"});
  CHECK(cluster->Verify()->ok());
}

TEST_CASE("a copy of a closed cluster, and a backup that is put back, open with all columns") {
  const ScratchFolder folder;
  CreateBuilt(folder / "c");
  Copy(folder / "c", folder / "backup");
  Copy(folder / "c", folder / "copy");
  PutAndClose(folder / "copy", "a1", "copied");
  PutAndClose(folder / "c", "a1", "first");
  for (const char* const name : {"copy", "c"}) {
    Result<Cluster> cluster = Opened(folder / name);
    CHECK(cluster->GetStats().num_columns_loaded == kAllColumns);
    CHECK(cluster->Verify()->ok());
  }
  std::filesystem::remove_all(folder / "c");
  std::filesystem::rename(folder / "backup", folder / "c");
  Result<Cluster> cluster = Opened(folder / "c");
  CHECK(cluster->GetStats().num_columns_loaded == kAllColumns);
  CHECK(KeysWith(*cluster, {{0, "first"}}).empty());
  CHECK(cluster->Verify()->ok());
}

TEST_CASE("a crash between a server's mark and the columns costs the columns of that server") {
  const ScratchFolder folder;
  CreateBuilt(folder / "c");
  const std::string id = IdOf(folder / "c");
  {
    // What a process leaves that ended behind its mark, before its first row.
    const auto store =
        RocksRowStore::Open(ServerFolder(folder / "c", 1), {.cluster = id, .server = 1},
                            {.num_attributes = 3}, DatabaseResources(1 << 20, 1));
    REQUIRE(store.ok());
    REQUIRE((*store)->RemoveIndexKeys({}, (*store)->incarnation()).ok());
  }
  Result<Cluster> cluster = Opened(folder / "c");
  CHECK(cluster->GetStats().num_columns_loaded == kAllColumns - 4);
  CHECK(cluster->Verify()->ok());
  CHECK(KeysWith(*cluster, {{0, "color1"}}).size() == 43);
  REQUIRE(cluster->BuildColumns().ok());
  REQUIRE(cluster->Close().ok());
  CHECK(Cluster::Open(folder / "c", SmallOptions())->GetStats().num_columns_loaded == kAllColumns);
}

TEST_CASE("the databases of an older program, which have no mark, lose their columns once") {
  const ScratchFolder folder;
  CreateBuilt(folder / "c");
  const std::string id = IdOf(folder / "c");
  {
    const auto store =
        RocksRowStore::Open(ServerFolder(folder / "c", 2), {.cluster = id, .server = 2},
                            {.num_attributes = 3}, DatabaseResources(1 << 20, 1));
    REQUIRE(store.ok());
    const Result<DatabaseShare> share = (*store)->database().Use();
    REQUIRE(share->db().Delete(rocksdb::WriteOptions(), SliceOf(kMarkKey)).ok());
  }
  for (const size_t num_columns : {kAllColumns - 4, kAllColumns}) {
    Result<Cluster> cluster = Opened(folder / "c");
    CHECK(cluster->GetStats().num_columns_loaded == num_columns);
    REQUIRE(cluster->BuildColumns().ok());
    REQUIRE(cluster->Close().ok());
  }
}

}  // namespace
}  // namespace trommel::index
