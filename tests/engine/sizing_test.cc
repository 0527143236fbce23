// Sizing: it keeps its target, wastes nothing, is inverted by CapacityFor, and refuses clearly.
// predicted_test.cc tests the predictions, sizing_runs_test.cc what is special to runs.
#include "trommel/sizing.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "engine/src/sizing/geometry_checks.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

SizingRequest Request(uint64_t capacity, double target_fpr, uint32_t num_slices) {
  return {.capacity = capacity,
          .target_fpr = target_fpr,
          .num_slices = num_slices,
          .encoding = Encoding::kPlanes};
}

// What SizeFor promises of every encoding, whatever queries run beside.
bool Holds(const Geometry& geometry, uint64_t num_keys, double target_fpr) {
  const bool may_promote_all = geometry.encoding == Encoding::kPlanes;
  return PredictedFpr(geometry, num_keys) + PredictedUndecidedShare(geometry, num_keys) <=
             target_fpr &&
         (may_promote_all ||
          PredictedPromotedShare(geometry, num_keys) <= MaxPromotedShare(geometry.encoding));
}

void CheckKept(const SizingRequest& request) {
  const auto [capacity, target_fpr, num_slices, encoding] =
      std::tuple(request.capacity, request.target_fpr, request.num_slices, request.encoding);
  CAPTURE(EncodingName(encoding), target_fpr, capacity, num_slices);
  const auto sizing = SizeFor(request);
  REQUIRE(sizing.ok());
  const Geometry& geometry = sizing->geometry;
  REQUIRE(Validate(geometry).ok());
  CHECK(geometry.encoding == encoding);
  CHECK(geometry.shard_bits == ShardBitsOf(encoding, geometry.num_blocks));
  if (!HasFingerprints(encoding)) {
    CHECK((num_slices == 0 || geometry.num_slices == num_slices));
  } else {
    CHECK(geometry.fingerprint_bits == MaxFingerprintBits(encoding, geometry.slots));
  }
  CHECK(sizing->capacity == capacity);
  CHECK(sizing->target_fpr == target_fpr);
  CHECK(Holds(geometry, capacity, target_fpr));
  CHECK(sizing->predicted_fpr == PredictedFpr(geometry, capacity));
  CHECK(sizing->predicted_undecided_share == PredictedUndecidedShare(geometry, capacity));
  CHECK(sizing->predicted_promoted_share == PredictedPromotedShare(geometry, capacity));
  CHECK(sizing->predicted_side_table_bytes == PredictedSideTableBytes(geometry, capacity));
  const auto keys = static_cast<double>(capacity);
  const auto bytes = static_cast<double>(geometry.num_bytes() + sizing->predicted_side_table_bytes);
  CHECK(sizing->bits_per_key == Approx(bytes * 8 / keys).margin(4 / keys));  // half a byte

  Geometry smaller = geometry;
  const bool has_lines = encoding == Encoding::kDense && geometry.shard_bits > 0;
  smaller.num_blocks -= BlockUnit(encoding, geometry.shard_bits) * (has_lines ? 16 : 1);
  if (smaller.num_blocks != 0) CHECK_FALSE(Holds(smaller, capacity, target_fpr));

  const auto way_back = CapacityFor(geometry, target_fpr);
  REQUIRE(way_back.ok());
  CHECK(*way_back >= capacity);
  CHECK(Holds(geometry, *way_back, target_fpr));
  CHECK_FALSE(Holds(geometry, *way_back + 1, target_fpr));
}

TEST_CASE("sizing keeps rate and promoted share and wastes nothing", "[engine][sizing][long]") {
  const auto [encoding, num_slices] = GENERATE(table<Encoding, uint32_t>({
      {Encoding::kPlanes, 8},
      {Encoding::kPlanes, 0},
      {Encoding::kRuns, 4},
      {Encoding::kRuns, 5},
      {Encoding::kRuns, 8},
      {Encoding::kRuns, 10},
      {Encoding::kRuns, 0},
      {Encoding::kFingerprints16, 0},
      {Encoding::kDense, 0},
  }));
  const double target_fpr = GENERATE(0.5, 0.1, 1e-2, 0.003, 0.001, 0.0004, 1e-4, 1e-5, 1e-6);
  const uint64_t capacity =
      GENERATE(uint64_t{1}, 2, 10, 40, 100, 1000, 12345, 1'000'000, 30'000'000, 1'000'000'000);
  if (capacity > 30'000'000 && HasFingerprints(encoding)) return;
  CheckKept({.capacity = capacity,
             .target_fpr = target_fpr,
             .num_slices = num_slices,
             .encoding = encoding});
}

TEST_CASE("sizing keeps its target where the undecided keys decide", "[engine][sizing]") {
  const uint64_t capacity = GENERATE(uint64_t{100}, 12345, 1'000'000, 30'000'000);
  // Just above the rate of full blocks.
  const auto [encoding, target_fpr] = GENERATE(
      table<Encoding, double>({{Encoding::kFingerprints16, 0.00034}, {Encoding::kDense, 0.00215}}));
  CheckKept({.capacity = capacity, .target_fpr = target_fpr, .encoding = encoding});
}

TEST_CASE("shards are large, at most 1024, and cost at most a thousandth", "[engine][sizing]") {
  const uint64_t capacity = GENERATE(uint64_t{100}, 20'000, 100'000, 1'000'000, 30'000'000,
                                     77'777'777, 300'000'000, 10'000'000'000);
  const Geometry geometry = SizeFor(Request(capacity, 0.01, 8))->geometry;
  const uint64_t num_shards = uint64_t{1} << geometry.shard_bits;
  CHECK(num_shards <= 1024);
  CHECK(geometry.num_blocks % num_shards == 0);
  if (num_shards == 1) {
    CHECK(geometry.num_blocks < 2 * 1024);
  } else if (num_shards <= 256) {
    CHECK(geometry.num_blocks / num_shards >= 1024);
    CHECK((num_shards == 256 || geometry.num_blocks / num_shards <= 2 * 1024));
  } else {
    CHECK(geometry.num_blocks / num_shards >= 4096);
    CHECK((num_shards == 1024 || geometry.num_blocks / num_shards <= 2 * 4096));
  }
}

TEST_CASE("a power of two of blocks is the next one", "[engine][sizing]") {
  const uint64_t capacity = GENERATE(uint64_t{1}, 1000, 100'000, 3'000'000, 500'000'000);
  SizingRequest request = Request(capacity, 0.01, 8);
  const Geometry exact = SizeFor(request)->geometry;
  request.power_of_two_blocks = true;
  const auto sizing = SizeFor(request);
  REQUIRE(sizing.ok());
  REQUIRE(Validate(sizing->geometry).ok());
  CHECK(std::has_single_bit(sizing->geometry.num_blocks));
  CHECK(sizing->geometry.num_blocks >= exact.num_blocks);
  CHECK(sizing->geometry.num_blocks < 2 * exact.num_blocks);
  CHECK(sizing->predicted_fpr <= 0.01);
}

TEST_CASE("invalid rates are refused by name and value", "[engine][sizing]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto [rate, text] = GENERATE_COPY(table<double, std::string>({{kNan, "nan"},
                                                                      {-kNan, "nan"},
                                                                      {0, "0"},
                                                                      {1, "1"},
                                                                      {-0.01, "-0.01"},
                                                                      {kInfinity, "inf"},
                                                                      {-kInfinity, "-inf"},
                                                                      {0.51, "0.51"},
                                                                      {9e-7, "9e-07"}}));
  const std::string want = "target_fpr is " + text + "; it must be between 1e-06 and 0.5";
  const auto sizing = SizeFor(Request(1000, rate, 0));
  REQUIRE_FALSE(sizing.ok());
  CHECK(sizing.error().code == ErrorCode::kInvalidArgument);
  CHECK(sizing.error().message == want);
  const auto capacity = CapacityFor({.num_slices = 8, .num_blocks = 10}, rate);
  REQUIRE_FALSE(capacity.ok());
  CHECK(capacity.error().message == want);
}

TEST_CASE("capacities out of range are refused", "[engine][sizing]") {
  const uint64_t capacity = GENERATE(uint64_t{0}, kMaxCapacity + 1, UINT64_MAX);
  const Error error = SizeFor(Request(capacity, 0.01, 0)).error();
  CHECK(error.code == ErrorCode::kInvalidArgument);
  CHECK(error.message ==
        "capacity is " + std::to_string(capacity) + "; it must be between 1 and 1099511627776");
  CHECK(CountingFilter::Create({.capacity = capacity}).error().message == error.message);
}

TEST_CASE("a filter of too many blocks is refused", "[engine][sizing]") {
  const auto sizing = SizeFor(Request(kMaxCapacity, 0.01, 0));
  REQUIRE_FALSE(sizing.ok());
  CHECK_THAT(sizing.error().message, ContainsSubstring("more than 2147483647 blocks"));
  CHECK_THAT(sizing.error().message, ContainsSubstring("capacity is 1099511627776"));
}

TEST_CASE("giant filters keep their target too", "[engine][sizing]") {
  const uint64_t capacity = GENERATE(uint64_t{10'000'000'000}, 20'000'000'000, 30'000'000'000);
  const auto sizing = SizeFor(Request(capacity, 0.01, 8));
  REQUIRE(sizing.ok());
  CHECK(sizing->predicted_fpr <= 0.01);
  CHECK(sizing->predicted_fpr > 0.0099);
}

TEST_CASE("other slice counts and encodings are refused", "[engine][sizing]") {
  SizingRequest request = Request(1000, 0.01, 12);
  CHECK(SizeFor(request).error().message == "num_slices is 12; planes have 8");
  request.encoding = Encoding::kRuns;
  for (const uint32_t num_slices : {1, 6, 9, 16, 64}) {
    request.num_slices = num_slices;
    const std::string want =
        "num_slices is " + std::to_string(num_slices) + "; runs have 4, 5, 8 or 10";
    const auto sizing = SizeFor(request);
    REQUIRE_FALSE(sizing.ok());
    CHECK(sizing.error().code == ErrorCode::kInvalidArgument);
    CHECK(sizing.error().message == want);
    const Geometry geometry{
        .num_slices = num_slices, .encoding = Encoding::kRuns, .num_blocks = 10};
    CHECK(Validate(geometry).error().message == want);
  }
  request.encoding = static_cast<Encoding>(7);
  const auto encoding = SizeFor(request);
  REQUIRE_FALSE(encoding.ok());
  CHECK(encoding.error().message ==
        "encoding is 7; it must be 0 (planes), 1 (runs), 2 (fingerprints16), 3 (dense) or "
        "255 (automatic)");
}

TEST_CASE("an invalid geometry is refused by field", "[engine][sizing]") {
  const Geometry valid{.num_slices = 8, .shard_bits = 3, .num_blocks = 64};
  CHECK(Validate(valid).ok());
  const auto message = [&](auto change) {
    Geometry geometry = valid;
    change(geometry);
    const Status status = Validate(geometry);
    CHECK_FALSE(CapacityFor(geometry, 0.01).ok());
    return status.ok() ? std::string("valid") : status.error().message;
  };
  CHECK(message([](Geometry& g) { g.num_slices = 9; }) == "num_slices is 9; planes have 8");
  CHECK(message([](Geometry& g) { g.num_slices = 0; }) == "num_slices is 0; planes have 8");
  CHECK(message([](Geometry& g) { g.num_blocks = 0; }) ==
        "num_blocks is 0; it must be between 1 and 2147483647");
  CHECK(message([](Geometry& g) { g.num_blocks = uint64_t{1} << 31; }) ==
        "num_blocks is 2147483648; it must be between 1 and 2147483647");
  CHECK(message([](Geometry& g) { g.num_blocks = 65; }) ==
        "num_blocks is 65; with shard_bits 3 it must be a multiple of 8");
  CHECK(message([](Geometry& g) { g.shard_bits = 31; }) ==
        "shard_bits is 31; it must be between 0 and 30");
  CHECK(message([](Geometry& g) { g.shard_bits = 4000000000; }) ==
        "shard_bits is 4000000000; it must be between 0 and 30");
  CHECK(message([](Geometry& g) { g.encoding = static_cast<Encoding>(9); }) ==
        "encoding is 9; it must be 0 (planes), 1 (runs), 2 (fingerprints16) or 3 "
        "(dense)");
}

}  // namespace
}  // namespace trommel
