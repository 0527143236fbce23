// Whole window filters: statistics that are true, merge, files.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::MemberKeys;

const WindowConfig kBase{
    .window = 80, .num_buckets = 4, .capacity = 20'000, .digest = {DigestKind::kXxh64, 1}};

WindowFilter FilterAt(uint64_t now, const WindowConfig& config = kBase) {
  WindowFilter filter = std::move(WindowFilter::Create(config)).value();
  REQUIRE(filter.Advance(now));
  return filter;
}

TEST_CASE("statistics tell of each live bucket and of all", "[engine][window]") {
  WindowFilter filter = FilterAt(5);
  filter.Insert(MemberKeys(1000, 1));
  filter.Advance(45);  // passes one bucket over
  filter.Insert(MemberKeys(3000, 2));
  filter.Advance(61);
  const WindowStats stats = filter.GetStats();
  CHECK(stats.now == 61);
  REQUIRE(stats.buckets.size() == 3);
  CHECK(stats.buckets[0].first_tick == 0);
  CHECK(stats.buckets[0].last_tick == 19);
  CHECK(stats.buckets[0].num_keys == 1000);
  CHECK(stats.buckets[0].predicted_fpr == filter.PredictedFpr(1000));
  CHECK(stats.buckets[1].first_tick == 40);
  CHECK(stats.buckets[1].num_keys == 3000);
  CHECK(stats.buckets[2].first_tick == 60);
  CHECK(stats.buckets[2].num_keys == 0);
  CHECK(stats.num_keys == 4000);
  CHECK(filter.num_keys() == 4000);
  CHECK(stats.predicted_fpr == filter.PredictedFpr(4000));
  CHECK_THAT(filter.MeasureFill().current_fpr,
             Catch::Matchers::WithinRel(stats.predicted_fpr, 0.05));
  CHECK(stats.num_bytes == FilterAt(5).GetStats().num_bytes + stats.slots.side_table_bytes);

  filter.Advance(1000);
  const WindowStats later = filter.GetStats();
  CHECK(later.buckets.size() == 1);
  CHECK(later.num_keys == 0);
  const BlockFill later_fill = filter.MeasureFill();
  CHECK(later_fill.fill_ratio == 0);
  CHECK(later_fill.current_fpr == 0);
  CHECK_FALSE(std::signbit(later_fill.current_fpr));
  CHECK_FALSE(std::signbit(later.predicted_fpr));
}

TEST_CASE("keys beyond the capacity show in the rates and are counted until they expire",
          "[engine][window]") {
  WindowFilter filter = FilterAt(0);
  filter.Insert(MemberKeys(filter.capacity(), 1));
  CHECK(filter.GetStats().num_excess_keys == 0);
  filter.Insert(MemberKeys(filter.capacity() * 2, 2));
  const WindowStats stats = filter.GetStats();
  CHECK(stats.num_excess_keys == 2 * filter.capacity());
  CHECK(stats.predicted_fpr > filter.target_fpr());
  CHECK(filter.MeasureFill().current_fpr > filter.target_fpr());
  filter.Advance(100 * filter.window());
  CHECK(filter.GetStats().num_excess_keys == 0);
  CHECK(filter.GetStats().predicted_fpr == 0);
}

TEST_CASE("merging unlike windows names the field and changes nothing", "[engine][window]") {
  WindowFilter filter = FilterAt(25);
  filter.Insert(MemberKeys(500, 1));
  const std::vector<std::byte> before = filter.Serialize();
  const auto check = [&](const WindowFilter& other, const std::string& field) {
    const Status refused = filter.Merge(other);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kMismatch);
    CHECK_THAT(refused.error().message, ContainsSubstring(field));
    CHECK((filter.Serialize() == before));
  };
  const auto with = [](auto field, auto value) {
    WindowConfig config = kBase;
    config.*field = value;
    return config;
  };
  check(FilterAt(25, with(&WindowConfig::window, 81)), "window differs: 80 here, 81 there");
  check(FilterAt(25, with(&WindowConfig::num_buckets, 5)), "num_buckets differs: 4 here, 5 there");
  check(FilterAt(25, with(&WindowConfig::capacity, 50'000)), "num_blocks differs");
  check(FilterAt(25, with(&WindowConfig::is_erasable, false)),
        "is_erasable differs: true here, false there");
  check(FilterAt(25, with(&WindowConfig::digest, DigestPolicy{DigestKind::kXxh64, 2})),
        "digest seed differs");
  check(FilterAt(40), "first tick of the current bucket differs: 20 here, 40 there");
  check(FilterAt(19), "first tick of the current bucket differs: 20 here, 0 there");
}

TEST_CASE("a window with a limit of side memory refuses to merge until it is lifted",
          "[engine][window][side_limit]") {
  WindowConfig config = kBase;
  config.side_memory_limit_bytes = 10'000'000;
  WindowFilter filter = FilterAt(0, config);
  CHECK(filter.Merge(FilterAt(0)).error().code == ErrorCode::kInvalidArgument);
  CHECK(filter.LimitSideMemory(0).ok());
  CHECK(filter.Merge(FilterAt(0)).ok());
  config.memory_limit_bytes = 5'000'000;  // below that of side memory
  CHECK(WindowFilter::Create(config).error().code == ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace trommel
