// Cluster: its folder over restarts, clean and not, and folders that are not as they should be.
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/index/src/rocks/meta_store.h"
#include "index/support/child_program.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/cluster.h"

namespace trommel::index {
namespace {

using tests::CreateBuilt;
using tests::Created;
using tests::FolderOfChild;
using tests::KeysWith;
using tests::Opened;
using tests::RunChild;
using tests::SmallConfig;
using tests::SmallOptions;
using tests::SmallRow;
using trommel::tests::ScratchFolder;

constexpr size_t kColumns = 12;

void RequireRefused(const std::filesystem::path& path, ErrorCode code, std::string_view reason) {
  const Result<Cluster> cluster = Cluster::Open(path, SmallOptions());
  REQUIRE_FALSE(cluster.ok());
  INFO(cluster.error().message);
  CHECK(cluster.error().code == code);
  CHECK(cluster.error().message.find(path.string()) == 0);
  CHECK(cluster.error().message.find(reason) != std::string::npos);
}

TEST_CASE("a cluster that was closed opens with all its columns and its configuration") {
  for (const Structure structure : {Structure::kMap, Structure::kServerFilters}) {
    const ScratchFolder folder;
    CreateBuilt(folder / "c", structure);
    for (int round = 0; round < 3; ++round) {
      Result<Cluster> cluster = Opened(folder / "c");
      CHECK(cluster->config().structure == structure);
      CHECK(cluster->config().schema == SmallConfig().schema);
      CHECK(cluster->config().splits == SmallConfig().splits);
      CHECK(cluster->GetStats().num_columns_loaded == kColumns);
      CHECK(KeysWith(*cluster, {{0, "color1"}}).size() == 43 + static_cast<size_t>(round));
      const Result<VerifyReport> report = cluster->Verify();
      REQUIRE(report.ok());
      CHECK(report->ok());
      CHECK(report->num_unbuilt_columns == 0);
      REQUIRE(cluster->Put(SmallRow("new" + std::to_string(round), "color1", "s")).ok());
      REQUIRE(cluster->Close().ok());
    }
  }
}

TEST_CASE("child: a process that ends without closing", "[.]") {
  if (FolderOfChild().empty()) return;
  Result<Cluster> cluster = Cluster::Open(FolderOfChild() / "c", SmallOptions());
  if (!cluster || cluster->GetStats().num_columns_loaded != kColumns) _exit(1);
  // Of one server's regions alone.
  if (!cluster->Put(SmallRow("a", "late", "late")).ok()) _exit(2);
  _exit(42);
}

TEST_CASE("after a process that ended without closing, changed servers' columns are built again") {
  const ScratchFolder folder;
  CreateBuilt(folder / "c");
  REQUIRE(RunChild("child: a process that ends without closing", folder.path()) == 42);
  Result<Cluster> cluster = Opened(folder / "c");
  CHECK(cluster->GetStats().num_columns_loaded == kColumns - 4);
  CHECK(KeysWith(*cluster, {{0, "late"}}) == std::set<std::string>{"a"});
  Result<VerifyReport> report = cluster->Verify();
  REQUIRE(report.ok());
  CHECK(report->ok());
  CHECK(report->num_unbuilt_columns == 4);
  REQUIRE(cluster->BuildColumns().ok());
  report = cluster->Verify();
  REQUIRE(report.ok());
  CHECK(report->ok());
  CHECK(report->num_unbuilt_columns == 0);
  CHECK(KeysWith(*cluster, {{0, "late"}}) == std::set<std::string>{"a"});
  REQUIRE(cluster->Close().ok());
  CHECK(Cluster::Open(folder / "c", SmallOptions())->GetStats().num_columns_loaded == kColumns);
}

TEST_CASE("a directory file that is damaged or gone costs its columns and nothing else") {
  const ScratchFolder folder;
  CreateBuilt(folder / "c");
  const std::filesystem::path file = folder / "c" / "directory";
  REQUIRE(std::filesystem::exists(file));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  {
    Result<Cluster> cluster = Opened(folder / "c");
    CHECK(cluster->GetStats().num_columns_loaded == 0);
    CHECK(KeysWith(*cluster, {{0, "color1"}}).size() == 43);
  }
  const Result<Cluster> cluster = Opened(folder / "c");
  CHECK(KeysWith(*cluster, {{0, "color1"}}).size() == 43);
}

TEST_CASE("columns that a repair has marked are not loaded after a crash") {
  const ScratchFolder folder;
  CreateBuilt(folder / "c");
  Result<Cluster> cluster = Opened(folder / "c");
  REQUIRE(cluster->Put(SmallRow("a", "only", "s")).ok());
  cluster->directory().LosePair({.region_id = 0, .attribute = 0}, "only");
  REQUIRE(cluster->Close().ok());
  cluster = Opened(folder / "c");
  CHECK(cluster->Verify(nullptr, Repair::kAll)->num_missing_pairs == 1);
  REQUIRE(cluster->BuildColumns().ok());
  CHECK(cluster->Verify()->ok());
  cluster = Error{};  // without Close
  cluster = Opened(folder / "c");
  CHECK(cluster->Verify()->ok());
  CHECK(KeysWith(*cluster, {{0, "only"}}) == std::set<std::string>{"a"});
}

TEST_CASE("a folder in use, or with other things in it, is refused") {
  const ScratchFolder folder;
  RequireRefused(folder / "c", ErrorCode::kIo, "there is no cluster here");
  const Result<Cluster> cluster = Created(folder / "c");
  RequireRefused(folder / "c", ErrorCode::kIo, "another process has it open");
  const Result<Cluster> second = Cluster::Create(folder / "c", SmallConfig(), SmallOptions());
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code == ErrorCode::kExists);
}

TEST_CASE("a damaged database is not taken for one in use, whatever its folder is called") {
  const ScratchFolder folder;
  CreateBuilt(folder / "blocks");
  for (const auto& file : std::filesystem::directory_iterator(folder / "blocks" / "server-001")) {
    if (file.path().filename().string().starts_with("MANIFEST")) {
      std::filesystem::remove(file.path());
    }
  }
  RequireRefused(folder / "blocks", ErrorCode::kCorrupt, "No such file");
}

TEST_CASE("servers' folders that are missing or of another cluster are refused") {
  const ScratchFolder folder;
  CreateBuilt(folder / "c");
  CreateBuilt(folder / "d");
  const auto server = [&](const char* cluster, size_t i) {
    return ServerFolder(folder / cluster, i);
  };
  std::filesystem::rename(server("c", 1), folder / "kept");
  RequireRefused(folder / "c", ErrorCode::kCorrupt, "missing");
  std::filesystem::rename(server("d", 1), server("c", 1));
  RequireRefused(folder / "c", ErrorCode::kCorrupt, "belongs to another cluster");
  std::filesystem::remove_all(server("c", 1));
  std::filesystem::copy(server("c", 2), server("c", 1), std::filesystem::copy_options::recursive);
  RequireRefused(folder / "c", ErrorCode::kCorrupt, "server 2, not of server 1");
  std::filesystem::remove_all(server("c", 1));
  std::filesystem::rename(folder / "kept", server("c", 1));
  CHECK(Cluster::Open(folder / "c", SmallOptions()).ok());

  std::filesystem::remove_all(folder / "c" / "meta");
  RequireRefused(folder / "c", ErrorCode::kCorrupt, "meta is missing");
}

TEST_CASE("options out of range are refused before anything is made") {
  const ScratchFolder folder;
  ClusterOptions options = SmallOptions();
  options.threads_per_server = 65;
  CHECK_FALSE(Cluster::Create(folder / "c", SmallConfig(), options).ok());
  options = SmallOptions();
  options.num_builders = 65;
  CHECK_FALSE(Cluster::Create(folder / "c", SmallConfig(), options).ok());
  options = SmallOptions();
  options.memory_bytes = 0;
  CHECK_FALSE(Cluster::Create(folder / "c", SmallConfig(), options).ok());
  using std::chrono::milliseconds;
  for (const milliseconds time :
       {milliseconds(-1), milliseconds(0), milliseconds(31'536'000'001), milliseconds::max()}) {
    for (const bool is_of_get : {false, true}) {
      options = SmallOptions();
      (is_of_get ? options.get_timeout : options.rules.interval) = time;
      const Result<Cluster> refused = Cluster::Create(folder / "c", SmallConfig(), options);
      REQUIRE_FALSE(refused.ok());
      CHECK(refused.error().code == ErrorCode::kInvalidArgument);
      CHECK(refused.error().message == std::string(is_of_get ? "get_timeout" : "rules.interval") +
                                           " must be between 1 and 31536000000 ms (a year); got " +
                                           std::to_string(time.count()));
    }
  }
  CHECK(folder.num_files() == 0);
}

}  // namespace
}  // namespace trommel::index
