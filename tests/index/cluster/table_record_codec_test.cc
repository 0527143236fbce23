// The record of a table as bytes: read back, or refused.
#include "engine/index/src/rocks/table_record_codec.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rocks/byte_codec.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"

namespace trommel::index {
namespace {

// Of tests::SmallConfig: three servers, three attributes.
TableRecord SampleTable() {
  const Result<RegionTable> table =
      RegionTable::Create({{.id = UINT32_MAX - 1, .range = {"", "k"}, .server = 1},
                           {.id = 2, .range = {"k", std::string("m\0", 2)}, .server = 0},
                           {.id = 70'000, .range = {std::string("m\0", 2), ""}, .server = 2}});
  REQUIRE(table.ok());
  return {.table = *table,
          .next_region_id = UINT32_MAX,
          .attributes = {{.state = AttributeState::kBuilding, .backfilled = "kq"},
                         {.state = AttributeState::kDropping},
                         {.state = AttributeState::kBuilding}},
          .leftovers = {{.server = 0, .range = {"a", "k"}},
                        {.server = 0, .range = {"", "a"}},
                        {.server = 1, .range = {"m\x01", ""}}}};
}

TEST_CASE("a table's record gives back what was written") {
  const ClusterConfig config = tests::SmallConfig();
  TableRecord record = SampleTable();
  CHECK(DecodeTableRecord(EncodeTableRecord(record), config).value() == record);
  record.leftovers.clear();
  record.attributes[0] = {.state = AttributeState::kIndexed};
  record.attributes[1] = {};
  // The least key beyond the longest.
  record.attributes[2].backfilled = std::string(kMaxKeyBytes + 1, '\xff');
  CHECK(DecodeTableRecord(EncodeTableRecord(record), config).value() == record);
  record.attributes[2].backfilled = "";
  CHECK(DecodeTableRecord(EncodeTableRecord(record), config).value() == record);
}

TEST_CASE("a damaged record of a table is an error, or says another thing throughout") {
  const ClusterConfig config = tests::SmallConfig();
  const std::string bytes = EncodeTableRecord(SampleTable());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Result<TableRecord> read = DecodeTableRecord(bytes.substr(0, length), config);
    REQUIRE_FALSE(read.ok());
    REQUIRE(read.error().code == ErrorCode::kCorrupt);
  }
  CHECK_FALSE(DecodeTableRecord(bytes + '\0', config).ok());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const Result<TableRecord> read = DecodeTableRecord(damaged, config);
    if (read) {
      REQUIRE(EncodeTableRecord(*read) == damaged);
    } else {
      REQUIRE(read.error().code == ErrorCode::kCorrupt);
    }
  }
}

TEST_CASE("a record of a table that no cluster could have is refused") {
  const auto is_refused = [](const std::function<void(TableRecord&, ClusterConfig&)>& change) {
    TableRecord record = SampleTable();
    ClusterConfig config = tests::SmallConfig();
    change(record, config);
    const Result<TableRecord> read = DecodeTableRecord(EncodeTableRecord(record), config);
    return !read.ok() && read.error().code == ErrorCode::kCorrupt;
  };
  CHECK_FALSE(is_refused([](TableRecord&, ClusterConfig&) {}));
  CHECK(is_refused([](TableRecord& r, ClusterConfig&) { r.next_region_id = UINT32_MAX - 1; }));
  CHECK(is_refused([](TableRecord& r, ClusterConfig&) { r.next_region_id = 0; }));
  CHECK(is_refused([](TableRecord& r, ClusterConfig&) { r.attributes.pop_back(); }));
  CHECK(is_refused([](TableRecord& r, ClusterConfig&) { r.attributes.emplace_back(); }));
  CHECK(is_refused([](TableRecord& r, ClusterConfig&) { r.leftovers[0].server = 3; }));
  CHECK(is_refused([](TableRecord& r, ClusterConfig&) { r.leftovers[0].range = {"b", "b"}; }));
  // Server 1 has the first region itself.
  CHECK(is_refused([](TableRecord& r, ClusterConfig&) { r.leftovers[0].server = 1; }));
  CHECK(is_refused([](TableRecord&, ClusterConfig& c) { c.num_servers = 2; }));
}

TEST_CASE("numbers in a damaged record that are huge take no memory") {
  const ClusterConfig config = tests::SmallConfig();
  for (const uint64_t number :
       {uint64_t{60'000}, uint64_t{60'001}, uint64_t{UINT32_MAX}, UINT64_MAX}) {
    std::string regions;
    AppendNumber(1, regions);
    AppendNumber(number, regions);
    CHECK_FALSE(DecodeTableRecord(regions, config).ok());
    CHECK_FALSE(DecodeTableRecord1(regions, config).ok());
    std::string leftovers = EncodeTableRecord(
        FirstRecord(config.schema, *RegionTable::Split(config.splits, config.num_servers)));
    leftovers.pop_back();
    AppendNumber(number, leftovers);
    CHECK_FALSE(DecodeTableRecord(leftovers, config).ok());
  }
}

TEST_CASE("a table of format 1 has its regions, the schema's states, and nothing left over") {
  const ClusterConfig config = tests::SmallConfig();
  std::string bytes;
  for (const uint64_t number : {2, 7, 1, 0, 3, 0, 1}) AppendNumber(number, bytes);
  bytes += 'k';
  const Result<TableRecord> record = DecodeTableRecord1(bytes, config);
  REQUIRE(record.ok());
  CHECK(record->table == RegionTable::Create({{.id = 7, .range = {"", "k"}, .server = 1},
                                              {.id = 3, .range = {"k", ""}, .server = 0}})
                             .value());
  CHECK(record->next_region_id == 8);
  CHECK(record->attributes == std::vector<AttributeRecord>{{.state = AttributeState::kIndexed},
                                                           {.state = AttributeState::kIndexed},
                                                           {.state = AttributeState::kNone}});
  CHECK(record->leftovers.empty());
  CHECK(DecodeTableRecord(EncodeTableRecord(*record), config).value() == *record);
  for (size_t length = 0; length < bytes.size(); ++length) {
    REQUIRE_FALSE(DecodeTableRecord1(bytes.substr(0, length), config).ok());
  }
  CHECK_FALSE(DecodeTableRecord1(bytes + 'x', config).ok());
}

}  // namespace
}  // namespace trommel::index
