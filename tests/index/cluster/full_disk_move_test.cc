// A region that moves to a server whose disk is full. The limit of file sizes stands for the disk's
// end: only the destination writes files that are large.
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "index/cluster/quiet_cluster.h"
#include "index/support/child_program.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

using tests::FolderOfChild;
using tests::QuietCluster;
using tests::QuietOptions;
using tests::RunChild;
using tests::SmallRow;

void LimitFileSize(rlim_t num_bytes) {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = num_bytes;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

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
    std::string noise(10'000, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    cluster.Put(SmallRow("a-large-" + std::to_string(i), "color1", "size1", noise));
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
  const trommel::tests::ScratchFolder folder;
  const int status = RunChild("child: a move to a disk that fills up", folder.path());
  const auto log = trommel::tests::ReadFile(folder / "child.log");
  INFO(std::string(reinterpret_cast<const char*>(log.data()), log.size()));
  CHECK(status == 0);
}

}  // namespace
}  // namespace trommel::index
