// Columns as snapshots of counting filters, both ways, and bytes that are refused.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/damage.h"
#include "support/digest_keys.h"
#include "support/random_keys.h"
#include "trommel/counting_filter.h"
#include "trommel/filter_columns.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::Bytes;

constexpr uint32_t kSavedColumns = 70;

ColumnsConfig SmallColumns(Encoding encoding = Encoding::kRuns) {
  return {.column_capacity = 200,
          .target_fpr = 0.01,
          .num_columns = kSavedColumns,
          .encoding = encoding};
}

CountingFilter FilterLike(const ColumnsConfig& config) {
  return CountingFilter::Create({.capacity = config.column_capacity,
                                 .target_fpr = config.target_fpr,
                                 .digest = config.digest,
                                 .num_slices = config.num_slices,
                                 .encoding = config.encoding})
      .value();
}

// Keys with copies: some blocks are promoted.
std::vector<uint64_t> KeysWithCopies(uint64_t seed) {
  std::vector<uint64_t> keys = tests::MemberKeys(200, seed);
  for (int copy = 0; copy < 100; ++copy) keys.push_back(keys[3]);
  return keys;
}

TEST_CASE("a column's bytes are those of a counting filter after the same operations",
          "[engine][columns]") {
  ColumnsConfig config = SmallColumns(GENERATE(Encoding::kRuns, Encoding::kPlanes));
  config.digest = GENERATE(DigestPolicy{}, DigestPolicy{.kind = DigestKind::kXxh64, .seed = 3},
                           tests::KeyedPolicy());
  FilterColumns columns = FilterColumns::Create(config).value();
  CountingFilter filter = FilterLike(config);
  REQUIRE(columns.OpenColumn(64).ok());
  CHECK((columns.SerializeColumn(64) == filter.Serialize()));
  const std::vector<uint64_t> keys = KeysWithCopies(1);
  columns.Insert(64, keys);
  filter.Insert(keys);
  REQUIRE(filter.GetStats().num_promoted > 0);
  CHECK((columns.SerializeColumn(64) == filter.Serialize()));
  const auto some = std::span(keys).first(50);
  columns.Erase(64, some);
  filter.Erase(some);
  const Bytes bytes = columns.SerializeColumn(64);
  CHECK((bytes == filter.Serialize()));

  // Into another column, and into another set.
  REQUIRE(columns.LoadColumn(2, filter.Serialize()).ok());
  CHECK((columns.SerializeColumn(2) == bytes));
  CHECK(columns.GetStats(2).num_keys == filter.num_keys());
  std::vector<uint64_t> queried = keys;
  for (const uint64_t key : tests::NonMemberKeys(1000, 2)) queried.push_back(key);
  for (const uint64_t key : queried) {
    REQUIRE(columns.MayContain(2, key) == filter.MayContain(key));
    REQUIRE(columns.MayContain(64, key) == filter.MayContain(key));
  }
  CHECK(columns.Erase(2, std::span(keys).subspan(50)) == EraseOutcome{keys.size() - 50, 0});
  CHECK(columns.MeasureFill(2).fill_ratio == 0);
  std::vector<uint64_t> answers(queried.size() * 2);
  columns.CloseColumn(64);
  columns.Query(queried, answers);
  CHECK(std::ranges::all_of(answers, [](uint64_t word) { return word == 0; }));
}

TEST_CASE("hostile bytes leave a column closed and the rows as they were", "[engine][columns]") {
  FilterColumns columns = FilterColumns::Create(SmallColumns()).value();
  REQUIRE(columns.OpenColumn(1).ok());
  columns.Insert(1, KeysWithCopies(1));
  const Bytes good = columns.SerializeColumn(1);
  columns.CloseColumn(1);
  const std::vector<uint64_t> queried = KeysWithCopies(1);
  std::vector<uint64_t> answers(queried.size() * 2);
  const auto load = [&](std::span<const std::byte> bytes) {
    const Status loaded = columns.LoadColumn(1, bytes);
    REQUIRE(columns.IsOpen(1) == loaded.ok());
    if (loaded.ok()) columns.CloseColumn(1);
    columns.Query(queried, answers);
    REQUIRE(std::ranges::all_of(answers, [](uint64_t word) { return word == 0; }));
    if (loaded.ok() || loaded.error().code != ErrorCode::kMismatch) return loaded;
    // A damaged type or geometry under a checksum that agrees is not made by accident.
    return Status(Error{ErrorCode::kCorrupt, loaded.error().message});
  };
  tests::CheckDamageIsRefused(good, load, {.step = 61});
}

TEST_CASE("snapshots of other geometries, policies and types are refused by name",
          "[engine][columns]") {
  const ColumnsConfig config = SmallColumns();
  FilterColumns columns = FilterColumns::Create(config).value();
  const auto message = [&](const Bytes& bytes) {
    const Status loaded = columns.LoadColumn(0, bytes);
    REQUIRE(!loaded.ok());
    CHECK(loaded.error().code == ErrorCode::kMismatch);
    CHECK(!columns.IsOpen(0));
    return loaded.error().message;
  };
  using Catch::Matchers::ContainsSubstring;
  ColumnsConfig other = config;
  other.column_capacity = 2000;
  CHECK_THAT(message(FilterLike(other).Serialize()), ContainsSubstring("num_blocks differs"));
  other = config;
  other.num_slices = 8;
  CHECK_THAT(message(FilterLike(other).Serialize()), ContainsSubstring("num_slices differs"));
  other = config;
  other.digest.seed = 1;
  CHECK_THAT(message(FilterLike(other).Serialize()), ContainsSubstring("seed differs"));
  other = config;
  other.digest.kind = DigestKind::kXxh64;
  CHECK_THAT(message(FilterLike(other).Serialize()), ContainsSubstring("digest kind differs"));
  const WindowFilter window =
      WindowFilter::Create({.window = 8, .capacity = 100'000, .target_fpr = 0.01}).value();
  CHECK(!message(window.Serialize()).empty());

  REQUIRE(columns.OpenColumn(3).ok());
  const Bytes good = FilterLike(config).Serialize();
  CHECK(columns.LoadColumn(3, good).error().message == "column 3 is open");
  CHECK(columns.LoadColumn(kSavedColumns, good).error().code == ErrorCode::kInvalidArgument);
  CHECK(columns.LoadColumn(0, good).ok());
}

TEST_CASE("loading a column counts its side table in the memory limit", "[engine][columns]") {
  ColumnsConfig config = SmallColumns();
  CountingFilter filter = FilterLike(config);
  filter.Insert(KeysWithCopies(1));
  const uint64_t filter_bytes = filter.GetStats().num_bytes;
  REQUIRE(filter_bytes > filter.geometry().num_bytes());
  const uint64_t row_bytes = FilterColumns::Create(config)->row_bytes();

  config.memory_limit_bytes = row_bytes + filter_bytes - 1;
  FilterColumns small = FilterColumns::Create(config).value();
  const Status refused = small.LoadColumn(0, filter.Serialize());
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK(!small.IsOpen(0));

  config.memory_limit_bytes = row_bytes + filter_bytes;
  FilterColumns large = FilterColumns::Create(config).value();
  REQUIRE(large.LoadColumn(0, filter.Serialize()).ok());
  CHECK(large.OpenColumn(1).error().code == ErrorCode::kOutOfMemory);
  large.CloseColumn(0);
  CHECK(large.OpenColumn(1).ok());
}

}  // namespace
}  // namespace trommel
