// MetaStore: what a cluster is, read back or refused with a reason.
#include "engine/index/src/rocks/meta_store.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/rocks/meta_codec.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel::index {
namespace {

using trommel::tests::ScratchFolder;

ClusterRecord SampleRecord() {
  ClusterRecord record{.cluster_id = "0123456789abcdef", .config = tests::SmallConfig()};
  record.config.structure = Structure::kServerFilters;
  record.config.schema.max_versions = 3;
  record.config.target_fpr = 0.0123;
  return record;
}

bool SaysPart(const Error& error, std::string_view part) {
  return error.message.find(part) != std::string::npos;
}

TEST_CASE("a cluster's record gives back what was written") {
  const ClusterRecord record = SampleRecord();
  const Result<ClusterRecord> read = DecodeCluster(EncodeCluster(record));
  REQUIRE(read.ok());
  CHECK(read->cluster_id == record.cluster_id);
  CHECK(read->config.schema == record.config.schema);
  CHECK(read->config.num_servers == record.config.num_servers);
  CHECK(read->config.splits == record.config.splits);
  CHECK(read->config.structure == record.config.structure);
  CHECK(read->config.target_fpr == record.config.target_fpr);
}

TEST_CASE("a cluster's key columns are kept, and its format says so") {
  ClusterRecord record = SampleRecord();
  CHECK(EncodeCluster(record)[0] == 2);
  record.config.schema.key_columns = {"shop", "sku"};
  const std::string bytes = EncodeCluster(record);
  CHECK(bytes[0] == 3);
  const Result<ClusterRecord> read = DecodeCluster(bytes);
  REQUIRE(read.ok());
  CHECK(read->config.schema == record.config.schema);
  std::string of_format_2 = bytes;
  of_format_2[0] = 2;
  CHECK_FALSE(DecodeCluster(of_format_2).ok());
  record.config.schema.key_columns = {"shop", "shop"};
  CHECK_FALSE(ValidateConfig(record.config).ok());
  record.config.schema.key_columns = {"shop", ""};
  CHECK_FALSE(ValidateConfig(record.config).ok());
}

TEST_CASE("damaged records of a cluster are errors") {
  const size_t num_key_columns = GENERATE(0, 2);
  ClusterRecord record = SampleRecord();
  for (size_t i = 0; i < num_key_columns; ++i) {
    record.config.schema.key_columns.push_back("k" + std::to_string(i));
  }
  const std::string bytes = EncodeCluster(record);
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Result<ClusterRecord> read = DecodeCluster(bytes.substr(0, length));
    REQUIRE_FALSE(read.ok());
    REQUIRE(read.error().code == ErrorCode::kCorrupt);
  }
  CHECK_FALSE(DecodeCluster(bytes + "x").ok());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const Result<ClusterRecord> read = DecodeCluster(damaged);
    if (read) REQUIRE(EncodeCluster(*read) == damaged);
  }
}

TEST_CASE("a cluster of a newer program is refused with both formats") {
  std::string bytes = EncodeCluster(SampleRecord());
  bytes[0] = 9;
  const Result<ClusterRecord> read = DecodeCluster(bytes);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == ErrorCode::kVersion);
  CHECK(SaysPart(read.error(), "format 9"));
  CHECK(SaysPart(read.error(), "formats up to 3"));
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

}  // namespace
}  // namespace trommel::index
