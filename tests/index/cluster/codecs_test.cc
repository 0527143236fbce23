// The bytes of rows, records and keys of entries: what is read is what was written, damaged bytes
// are an error, and the order of entries is that of (attribute, value, row key).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/meta_codec.h"
#include "engine/index/src/rocks/row_codec.h"
#include "engine/index/src/rocks/table_record_codec.h"
#include "engine/index/src/rows/row_store.h"
#include "index/support/clusters.h"
#include "support/catch.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"

namespace trommel::index {
namespace {

constexpr size_t kRowAttributes = 3;

const Versions& SampleRow() {
  static const Versions versions = {{{"a", std::string("b\0", 2)}, {}, {""}},
                                    {{}, {}, {}},
                                    {{std::string(200, 'x')}, {"", "y"}, {"z"}}};
  return versions;
}

// Bytes that are cut at any length, or longer, are an error; with any bit flipped they are one, or
// say another thing in the same form.
template <class Decode, class Encode>
void CheckDamaged(const std::string& bytes, const Decode& decode, const Encode& encode) {
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto read = decode(bytes.substr(0, length));
    REQUIRE_FALSE(read.ok());
    REQUIRE(read.error().code == ErrorCode::kCorrupt);
  }
  CHECK_FALSE(decode(bytes + 'x').ok());
  CHECK_FALSE(decode(bytes + '\0').ok());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const auto read = decode(damaged);
    if (read.ok()) REQUIRE(encode(*read) == damaged);
  }
}

TEST_CASE("a row's bytes give its versions back") {
  const Result<Versions> versions = DecodeRow(EncodeRow(SampleRow()), kRowAttributes);
  REQUIRE(versions.ok());
  CHECK(*versions == SampleRow());
}

TEST_CASE("a damaged row is an error, or another row in the same form") {
  const std::string bytes = EncodeRow(SampleRow());
  const auto decode = [](const std::string& row) { return DecodeRow(row, kRowAttributes); };
  CheckDamaged(bytes, decode, EncodeRow);
  CHECK_FALSE(DecodeRow(bytes, kRowAttributes + 1).ok());
}

TEST_CASE("rows with values out of order, or none, or too many versions are errors") {
  CHECK_FALSE(DecodeRow(EncodeRow({{{"b", "a"}}}), 1).ok());
  CHECK_FALSE(DecodeRow(EncodeRow({{{"a", "a"}}}), 1).ok());
  CHECK_FALSE(DecodeRow(EncodeRow({}), 1).ok());
  CHECK(DecodeRow(EncodeRow(Versions(kMaxVersions, {{"a"}})), 1).ok());
  CHECK_FALSE(DecodeRow(EncodeRow(Versions(kMaxVersions + 1, {{"a"}})), 1).ok());
  CHECK_FALSE(DecodeRow(EncodeRow({{{std::string(kMaxValueBytes + 1, 'v')}}}), 1).ok());
}

TEST_CASE("numbers have one form each") {
  for (const uint64_t number : {uint64_t{0}, uint64_t{127}, uint64_t{128}, UINT64_MAX}) {
    std::string bytes;
    AppendNumber(number, bytes);
    CHECK(ByteReader(bytes).Number(UINT64_MAX) == number);
    CHECK_FALSE(ByteReader(bytes.substr(0, bytes.size() - 1)).Number(UINT64_MAX));
    if (number > 0) CHECK_FALSE(ByteReader(bytes).Number(number - 1));
  }
  CHECK_FALSE(ByteReader(std::string("\x80\0", 2)).Number(UINT64_MAX));
  CHECK_FALSE(ByteReader(std::string(10, '\xff')).Number(UINT64_MAX));
  CHECK_FALSE(ByteReader(std::string(9, '\xff') + "\x02").Number(UINT64_MAX));
}

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
  const auto decode = [&](const std::string& bytes) {
    Result<TableRecord> read = DecodeTableRecord(bytes, config);
    if (!read) REQUIRE(read.error().code == ErrorCode::kCorrupt);
    return read;
  };
  CheckDamaged(EncodeTableRecord(SampleTable()), decode, EncodeTableRecord);
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

ClusterRecord SampleRecord() {
  ClusterRecord record{.cluster_id = "0123456789abcdef", .config = tests::SmallConfig()};
  record.config.structure = Structure::kServerFilters;
  record.config.schema.max_versions = 3;
  record.config.target_fpr = 0.0123;
  return record;
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
  CheckDamaged(bytes, DecodeCluster, EncodeCluster);
}

TEST_CASE("a cluster of a newer program is refused with both formats") {
  std::string bytes = EncodeCluster(SampleRecord());
  bytes[0] = 9;
  const Result<ClusterRecord> read = DecodeCluster(bytes);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == ErrorCode::kVersion);
  CHECK(read.error().message.find("format 9") != std::string::npos);
  CHECK(read.error().message.find("formats up to 3") != std::string::npos);
}

TEST_CASE("a cluster whose directory has transposed columns is refused by name") {
  std::string bytes = EncodeCluster({.cluster_id = "c1", .config = tests::SmallConfig()});
  constexpr size_t kStructureAt = 5;  // format, "c1" with its length, servers
  REQUIRE(bytes[kStructureAt] == static_cast<char>(Structure::kMap));
  bytes[kStructureAt] = 0;
  const Result<ClusterRecord> refused = DecodeCluster(bytes);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kVersion);
  CHECK(refused.error().message.find("transposed columns") != std::string::npos);
}

using Parts = std::tuple<uint32_t, std::string, std::string>;

std::string KeyOf(const Parts& parts) {
  return ValuePrefix(std::get<0>(parts), std::get<1>(parts)) + std::get<2>(parts);
}

// Strings of a few bytes that matter to the escape, so that prefixes of one another are common.
std::string RandomBytes(std::mt19937_64& random, size_t least, size_t most) {
  constexpr char kBytes[] = {'\0', '\x01', '\x02', 'a', '\xfe', '\xff'};
  std::string bytes(least + random() % (most - least + 1), '\0');
  for (char& byte : bytes) byte = kBytes[random() % std::size(kBytes)];
  return bytes;
}

TEST_CASE("keys of entries are in the order of attribute, value and row key") {
  std::mt19937_64 random(1);
  std::vector<Parts> all;
  for (int i = 0; i < 500; ++i) {
    all.emplace_back(random() % 3 * 255, RandomBytes(random, 0, 4), RandomBytes(random, 1, 3));
  }
  for (const Parts& a : all) {
    for (const Parts& b : all) REQUIRE((a < b) == (KeyOf(a) < KeyOf(b)));
  }
}

TEST_CASE("an entry's key says what it was made of") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5'000; ++i) {
    const Parts parts{random() % 1024, RandomBytes(random, 0, 9), RandomBytes(random, 1, 9)};
    const std::string key = KeyOf(parts);
    const Result<EntryKey> entry = DecodeEntryKey(key);
    REQUIRE(entry.ok());
    REQUIRE(entry->attribute == std::get<0>(parts));
    REQUIRE(entry->value == std::get<1>(parts));
    REQUIRE(entry->row_key == std::get<2>(parts));
    REQUIRE(key.substr(0, entry->prefix_bytes) ==
            ValuePrefix(std::get<0>(parts), std::get<1>(parts)));
  }
}

TEST_CASE("the range of a value has its entries with row keys of the range, and no others") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const uint32_t attribute = random() % 2;
    const std::string value = RandomBytes(random, 0, 3);
    const KeyRange range{.begin = RandomBytes(random, 0, 2), .end = RandomBytes(random, 0, 2)};
    if (range.empty()) continue;
    const Parts other{random() % 2, RandomBytes(random, 0, 3), RandomBytes(random, 1, 3)};
    const EntryRange entries = EntriesOf(ValuePrefix(attribute, value), range);
    const std::string key = KeyOf(other);
    const bool is_of_range = std::get<0>(other) == attribute && std::get<1>(other) == value &&
                             range.Contains(std::get<2>(other));
    REQUIRE((key >= entries.begin && key < entries.end) == is_of_range);
  }
}

TEST_CASE("nothing lies between the entries of a value and what is beyond its prefix") {
  const std::string prefix = ValuePrefix(7, "v");
  CHECK(BeyondPrefix(prefix) > prefix + "\xff\xff\xff");
  CHECK(BeyondPrefix(prefix) < ValuePrefix(7, std::string("v\0", 2)));
  CHECK(BeyondPrefix(AttributePrefix(255)) > AttributePrefix(255) + "\xff\xff\xff");
  CHECK(BeyondPrefix(AttributePrefix(255)) <= AttributePrefix(256));
}

TEST_CASE("bytes that are no entry are an error, at whatever length they are cut") {
  const std::string prefix = ValuePrefix(258, std::string("a\0b", 3));
  for (size_t length = 0; length <= prefix.size(); ++length) {
    const Result<EntryKey> entry = DecodeEntryKey(prefix.substr(0, length));
    REQUIRE_FALSE(entry.ok());
    REQUIRE(entry.error().code == ErrorCode::kCorrupt);
  }
  CHECK(DecodeEntryKey(prefix + "k").ok());
  CHECK_FALSE(DecodeEntryKey(ValuePrefix(1024, "a") + "k").ok());
  CHECK_FALSE(DecodeEntryKey(ValuePrefix(1, std::string(kMaxValueBytes + 1, 'v')) + "k").ok());
  CHECK_FALSE(DecodeEntryKey(ValuePrefix(1, "v") + std::string(kMaxKeyBytes + 1, 'k')).ok());

  std::mt19937_64 random(4);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = RandomBytes(random, 0, 12);
    if (i % 2 == 0) bytes = AttributePrefix(random() % 4) + bytes;
    const Result<EntryKey> entry = DecodeEntryKey(bytes);
    if (!entry) continue;
    REQUIRE(ValuePrefix(entry->attribute, entry->value) + std::string(entry->row_key) == bytes);
  }
}

}  // namespace
}  // namespace trommel::index
