// A disk that is full: writes fail with a reason, reads go on, and space makes all well again. The
// limit of file sizes stands for the disk's end.
#include <signal.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>

#include "index/support/child_program.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"

namespace trommel::index {
namespace {

using tests::FolderOfChild;
using tests::KeysWith;
using tests::PutSmallRows;
using tests::RunChild;
using tests::SmallConfig;
using tests::SmallOptions;
using tests::SmallRow;
using trommel::tests::ScratchFolder;

void LimitFiles(rlim_t num_bytes) {
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

  LimitFiles(rlim_t{1} << 20);
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

  LimitFiles(RLIM_INFINITY);
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
  const ScratchFolder folder;
  const int status = RunChild("child: a disk that fills up", folder.path());
  const auto log = trommel::tests::ReadFile(folder / "child.log");
  INFO(std::string(reinterpret_cast<const char*>(log.data()), log.size()));
  CHECK(status == 0);
}

}  // namespace
}  // namespace trommel::index
