// A disk that is full: writes fail with a reason, reads go on, and space makes all well again. The
// limit of file sizes stands for the disk's end.
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "index/cluster/quiet_cluster.h"
#include "index/support/child_program.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

using tests::CheckChild;
using tests::FolderOfChild;
using tests::KeysWith;
using tests::PutSmallRows;
using tests::QuietCluster;
using tests::QuietOptions;
using tests::SmallConfig;
using tests::SmallOptions;
using tests::SmallRow;

void LimitFileSize(rlim_t num_bytes) {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = num_bytes;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

std::string Noise(std::mt19937_64& random) {
  std::string noise(10'000, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  return noise;
}

// Fills server 0 until a write fails, in a new cluster in the folder.
void FillUp(const std::filesystem::path& folder, uint64_t memory_bytes) {
  ClusterOptions options = SmallOptions();
  options.memory_bytes = memory_bytes;
  Result<Cluster> cluster = Cluster::Create(folder, SmallConfig(), options);
  REQUIRE(cluster.ok());
  REQUIRE(PutSmallRows(*cluster, 300).ok());
  REQUIRE(cluster->BuildColumns().ok());

  LimitFileSize(rlim_t{1} << 20);
  std::mt19937_64 random(10);
  std::optional<Error> failure;
  for (int i = 0; i < 3'000 && !failure; ++i) {
    const std::string number = std::to_string(i);
    const Status status =
        cluster->Put(SmallRow("a-large-" + number, "c" + number, "s", Noise(random)));
    if (!status) failure = status.error();
  }
  REQUIRE(failure);
  INFO(failure->message);
  CHECK(failure->code == ErrorCode::kIo);
  CHECK(failure->message.find((folder / "server-000").string()) != std::string::npos);

  // Reads, queries and verification go on; the server fails further writes, the others do not.
  CHECK(KeysWith(*cluster, {{0, "color1"}}).size() == 43);
  CHECK(cluster->Get("a0")->has_value());
  CHECK(cluster->Verify()->ok());
  CHECK_FALSE(cluster->Put(SmallRow("a-again", "c", "s")).ok());
  CHECK(cluster->Put(SmallRow("k-other", "c", "s")).ok());
  CHECK(cluster->Verify()->ok());

  LimitFileSize(RLIM_INFINITY);
  CHECK_FALSE(cluster->Close().ok());
  CHECK_FALSE(std::filesystem::exists(folder / "directory"));
  cluster = Cluster::Open(folder, options);
  REQUIRE(cluster.ok());
  CHECK(cluster->Put(SmallRow("a-again", "again", "s")).ok());
  CHECK(KeysWith(*cluster, {{0, "again"}}).size() == 1);
  CHECK(cluster->Get("a-large-0")->has_value());
  REQUIRE(cluster->BuildColumns().ok());
  CHECK(cluster->Verify()->ok());
  CHECK(cluster->Close().ok());
}

TEST_CASE("child: a disk that fills up", "[.]") {
  if (FolderOfChild().empty()) return;
  REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  // With much memory the log fails first, with little memory a table that a compaction writes.
  FillUp(FolderOfChild() / "much", uint64_t{256} << 20);
  FillUp(FolderOfChild() / "little", uint64_t{1} << 20);
}

TEST_CASE("a full disk fails writes, not reads, and a later open is well") {
  CheckChild("child: a disk that fills up");
}

// Only the destination writes files that are large.
// The files of a folder, and their sizes.
std::map<std::string, uintmax_t> FilesIn(const std::filesystem::path& folder) {
  std::map<std::string, uintmax_t> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::error_code gone;
    files[entry.path().string()] = entry.file_size(gone);
  }
  return files;
}

// RocksDB may still be merging the source's tables, which are larger than the limit: waits until
// its files have stayed as they are for half a second.
void AwaitNoWrites(const std::filesystem::path& folder) {
  std::map<std::string, uintmax_t> before;
  for (int num_alike = 0; num_alike < 5;) {
    std::map<std::string, uintmax_t> now = FilesIn(folder);
    num_alike = now == before ? num_alike + 1 : 0;
    before = std::move(now);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// Moves region 0, whose rows take 3 MB, to server 1, whose files may have 1 MB. Space comes back
// before the cluster is closed, or only after that.
void MoveToFullDisk(uint64_t memory_bytes, bool is_closed_first) {
  CAPTURE(memory_bytes, is_closed_first);
  QuietCluster cluster;
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    cluster.Put(SmallRow("a-large-" + std::to_string(i), "color1", "size1", Noise(random)));
  }
  ClusterOptions options = QuietOptions();
  options.memory_bytes = memory_bytes;
  cluster.Reopen(options);
  const RegionTable table = cluster.Table();
  AwaitNoWrites(cluster.path() / "server-000");

  LimitFileSize(rlim_t{1} << 20);
  const Result<bool> is_moved = cluster->Move(0, 1);
  REQUIRE_FALSE(is_moved.ok());
  INFO(is_moved.error().message);
  CHECK(is_moved.error().code == ErrorCode::kIo);
  CHECK(is_moved.error().message.find("region 0 cannot move from server 0 to server 1") == 0);
  CHECK(is_moved.error().message.find((cluster.path() / "server-001").string()) !=
        std::string::npos);
  CHECK(cluster.Table() == table);
  CHECK(cluster->GetStats().num_moves == 0);
  CHECK(cluster.AreQueriesRight());
  CHECK(cluster.AreRowsRight());
  CHECK(cluster->Verify()->ok());
  cluster.Put(SmallRow("a-small", "color1", "size1"));  // the source is well

  if (is_closed_first) {
    static_cast<void>(cluster->Close());
    LimitFileSize(RLIM_INFINITY);
    cluster.Open(options);
  } else {
    LimitFileSize(RLIM_INFINITY);
    REQUIRE(cluster->StopServer(1).ok());
    REQUIRE(cluster->StartServer(1).ok());
  }
  CHECK(cluster.Table() == table);
  CHECK(cluster.AreRowsRight());
  CHECK(*cluster->FinishChanges());
  cluster.CheckWholeAndBuild();
  CHECK(*cluster->Move(0, 1));
  cluster.CheckWholeAndBuild();
  cluster.Reopen();
  CHECK(cluster.RegionOf("a").server == 1);
  cluster.CheckWhole();
}

TEST_CASE("child: a move to a disk that fills up", "[.]") {
  if (FolderOfChild().empty()) return;
  REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  for (const bool is_closed_first : {false, true}) {
    // With much memory the log fails first, with little memory maybe a table.
    MoveToFullDisk(uint64_t{256} << 20, is_closed_first);
    MoveToFullDisk(uint64_t{1} << 20, is_closed_first);
  }
}

TEST_CASE("a full disk at its destination ends a move, and the region is where it was") {
  CheckChild("child: a move to a disk that fills up");
}

}  // namespace
}  // namespace trommel::index
