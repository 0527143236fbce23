// Columns of a ColumnMap as bytes: one form, and bytes that are refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/catch.h"
#include "support/digest_keys.h"
#include "support/file_forge.h"
#include "support/random_keys.h"
#include "trommel/column_map.h"

namespace trommel {
namespace {

using tests::Bytes;

ColumnMapConfig SmallMap() { return {.capacity = 2000, .num_columns = 500}; }

ColumnMap OpenMap(const ColumnMapConfig& config) {
  ColumnMap map = ColumnMap::Create(config).value();
  for (uint32_t c = 0; c < 20; ++c) REQUIRE(map.OpenColumn(c).ok());
  return map;
}

TEST_CASE("a column's bytes depend on its pairs alone, and bring them back",
          "[engine][column_map]") {
  ColumnMapConfig config = SmallMap();
  config.digest = GENERATE(DigestPolicy{}, DigestPolicy{.kind = DigestKind::kXxh64, .seed = 3},
                           tests::KeyedPolicy());
  ColumnMap map = OpenMap(config);
  const std::vector<uint64_t> keys = tests::MemberKeys(300, 1);
  for (uint32_t c = 0; c < 20; ++c) map.Insert(c, keys);  // lists
  map.Insert(3, std::span(keys).first(40));               // copies
  const Bytes bytes = map.SerializeColumn(3);

  // The same pairs, by another way: alone, in another order, with others before.
  ColumnMap other = OpenMap(config);
  const std::vector<uint64_t> others = tests::MemberKeys(2000, 7);
  other.Insert(3, others);
  std::vector<uint64_t> shuffled = keys;
  std::ranges::shuffle(shuffled, std::mt19937_64(Catch::rngSeed()));
  other.Insert(3, std::span(keys).first(40));
  other.Insert(3, shuffled);
  other.Erase(3, others);
  CHECK((other.SerializeColumn(3) == bytes));
  const std::vector<uint32_t> two = {5, 3};
  CHECK((map.SerializeColumns(two) == std::vector<Bytes>{map.SerializeColumn(5), bytes}));

  other.CloseColumn(3);
  other.CloseColumn(4);
  REQUIRE(other.LoadColumn(4, bytes).ok());
  CHECK((other.SerializeColumn(4) == bytes));
  CHECK(other.num_keys(4) == 340);
  for (const uint64_t key : keys) REQUIRE(other.MayContain(4, key));
  CHECK(other.Erase(4, keys).num_refused == 0);
  CHECK(other.Erase(4, std::span(keys).first(40)).num_refused == 0);
  CHECK(other.GetStats().num_pairs == 0);
  CHECK(other.LoadColumn(4, bytes).error().code == ErrorCode::kInvalidArgument);  // it is open
  CHECK(other.LoadColumn(500, bytes).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("the example of FORMAT.md has the bytes that it says", "[engine][column_map]") {
  ColumnMap map =
      ColumnMap::Create({.capacity = 1, .num_columns = 1, .num_blocks = 64, .fingerprint_bits = 6})
          .value();
  REQUIRE(map.OpenColumn(0).ok());
  const uint64_t digest = uint64_t{1} << 63;
  map.Insert(0, Keys::Digests(std::span(&digest, 1)));
  const Bytes bytes = map.SerializeColumn(0);
  CHECK((tests::FileForge(bytes).At("places").bytes == Bytes{std::byte{0x82}, std::byte{0x20}}));
}

TEST_CASE("numbers out of range are refused by name when a map is created",
          "[engine][column_map]") {
  const auto message = [](const auto& change) {
    ColumnMapConfig config = SmallMap();
    change(config);
    const Result<ColumnMap> map = ColumnMap::Create(config);
    REQUIRE_FALSE(map.ok());
    return map.error().message;
  };
  using Catch::Contains;
  using Config = ColumnMapConfig;
  CHECK_THAT(message([](Config& c) { c.capacity = 0; }), Contains("capacity is 0"));
  CHECK_THAT(message([](Config& c) { c.num_columns = 0; }), Contains("num_columns is 0"));
  CHECK_THAT(message([](Config& c) { c.num_columns = 65'536; }), Contains("num_columns is 65536"));
  CHECK_THAT(message([](Config& c) { c.target_fpr = 0; }), Contains("target_fpr is 0"));
  CHECK_THAT(message([](Config& c) { c.num_blocks = 65; }), Contains("num_blocks"));
  CHECK_THAT(message([](Config& c) { c.num_blocks = 64; }), Contains("fingerprint_bits is 0"));
  CHECK_THAT(message([](Config& c) { c.memory_limit_bytes = 1000; }), Contains("1,000 bytes"));
  ColumnMap map = OpenMap(SmallMap());
  CHECK(map.OpenColumn(3).error().message == "column 3 is open");
  CHECK_THAT(map.OpenColumn(500).error().message, Contains("column is 500; it must be between 0"));
}

TEST_CASE("maps are equal if they have the same shape, open columns and contents",
          "[engine][column_map]") {
  ColumnMap one = ColumnMap::Create(SmallMap()).value();
  ColumnMap other = ColumnMap::Create(SmallMap()).value();
  for (const uint32_t column : {3U, 69U}) {
    REQUIRE(one.OpenColumn(column).ok());
    CHECK(one != other);  // an open column is not a closed one
    REQUIRE(other.OpenColumn(column).ok());
  }
  const std::vector<uint64_t> keys = tests::MemberKeys(3000, 1);
  one.Insert(3, keys);
  CHECK(one != other);
  other.Insert(3, std::vector<uint64_t>(keys.rbegin(), keys.rend()));
  CHECK(one == other);
  other.Insert(3, keys[0]);
  CHECK(one != other);
  CHECK(other.Erase(3, keys[0]));
  CHECK(one == other);
  ColumnMapConfig larger = SmallMap();
  larger.capacity += 1;
  CHECK(ColumnMap::Create(SmallMap()).value() != ColumnMap::Create(larger).value());
}

}  // namespace
}  // namespace trommel
