// The geometries of layers: nested, within their rates and bytes, and errors that say why not.
#include "engine/src/layered/layered_sizing.h"

#include <cstdint>
#include <string>

#include "kernels/layout.h"
#include "support/catch.h"
#include "support/random_keys.h"

namespace trommel {
namespace {

TEST_CASE("layers nest and keep their rates, and the large one is as large as it must be",
          "[engine][layered][long]") {
  const uint64_t capacity = GENERATE(uint64_t{1}, 100, 12'345, 1'000'000, 77'777'777);
  const auto [num_slices, encoding] =
      GENERATE(table<uint32_t, Encoding>({{0, Encoding::kRuns},
                                          {4, Encoding::kRuns},
                                          {5, Encoding::kRuns},
                                          {10, Encoding::kRuns},
                                          {0, Encoding::kPlanes},
                                          {8, Encoding::kPlanes},
                                          {16, Encoding::kPlanes}}));
  const double first_fpr = GENERATE(0.05, 0.2, 0.5);
  const LayeredConfig config{.capacity = capacity,
                             .target_fpr = 0.001,
                             .first_fpr = first_fpr,
                             .num_slices = num_slices,
                             .encoding = encoding};
  const auto layers = SizeLayers(config);
  REQUIRE(layers.ok());
  const auto& [first, large] = *layers;
  INFO(first.num_blocks << " and " << large.num_blocks << " blocks");
  CHECK(Validate(first).ok());
  CHECK(Validate(large).ok());
  CHECK(NestingFault(first, large) == "");
  CHECK(PredictedFpr(large, capacity) <= 0.001);
  CHECK(PredictedFpr(first, capacity) <= first_fpr);
  const uint32_t shape = encoding == Encoding::kRuns && num_slices == 0 ? 8 : num_slices;
  const auto alone = SizeFor(
      {.capacity = capacity, .target_fpr = 0.001, .num_slices = shape, .encoding = encoding});
  CHECK(large.num_slices == alone->geometry.num_slices);
  CHECK(large.shard_bits == alone->geometry.shard_bits);
  CHECK(large.num_blocks >= alone->geometry.num_blocks);
  if (alone->geometry.num_blocks > 10'000) {
    CHECK(large.num_blocks < alone->geometry.num_blocks * 101 / 100);
  }
}

TEST_CASE("a first layer keeps within its bytes and uses most of them", "[engine][layered]") {
  LayeredConfig config{.capacity = 2'000'000};
  config.encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes);
  config.first_query_bytes = GENERATE(uint64_t{1} << 20, 1'500'000, 1 << 21, 3'000'000);
  const auto layers = SizeLayers(config);
  REQUIRE(layers.ok());
  CHECK(NestingFault(layers->first, layers->large) == "");
  CHECK(QueryBytes(layers->first) <= config.first_query_bytes);
  CHECK(QueryBytes(layers->first) > config.first_query_bytes / 2);
  CHECK(PredictedFpr(layers->large, config.capacity) <= config.target_fpr);
}

TEST_CASE("queries spread over presence bits, of runs over whole blocks", "[engine][layered]") {
  CHECK(QueryBytes({.num_slices = 8, .num_blocks = 100}) == 3200);
  CHECK(QueryBytes({.num_slices = 4, .encoding = Encoding::kRuns, .num_blocks = 100}) == 6400);
}

TEST_CASE("too few bytes for a first layer are refused, with how many are enough",
          "[engine][layered]") {
  LayeredConfig config{.capacity = 1'000'000,
                       .first_query_bytes = GENERATE(1U, 31U, 1000U, 200'000U)};
  const auto refused = SizeLayers(config);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  const std::string& message = refused.error().message;
  CHECK_THAT(message,
             Catch::StartsWith("first_query_bytes is " + std::to_string(config.first_query_bytes)));
  const size_t number = message.rfind("; ") + 2;
  config.first_query_bytes = std::stoull(message.substr(number));
  CHECK(SizeLayers(config).ok());
}

TEST_CASE("impossible layers are refused", "[engine][layered]") {
  const auto message = [](const LayeredConfig& config) {
    const auto layers = SizeLayers(config);
    REQUIRE_FALSE(layers.ok());
    CHECK(layers.error().code == ErrorCode::kInvalidArgument);
    return layers.error().message;
  };
  CHECK_THAT(message({}), Catch::Contains("capacity is 0"));
  CHECK_THAT(message({.capacity = 10, .first_fpr = 0.001}), Catch::Contains("below target_fpr"));
  CHECK_THAT(message({.capacity = 10, .first_fpr = 0.7}),
             Catch::Contains("first layer: target_fpr"));
  CHECK_THAT(message({.capacity = 1'000'000,
                      .first_fpr = 0.01,
                      .num_slices = 16,
                      .encoding = Encoding::kPlanes}),
             Catch::Contains("more than the large one's"));
  CHECK_THAT(message({.capacity = 10, .num_slices = 7}), Catch::Contains("num_slices is 7"));
}

TEST_CASE("geometries that do not nest are told why", "[engine][layered]") {
  const Geometry first{.num_slices = 8, .num_blocks = 10};
  CHECK(NestingFault(first, {.num_slices = 16, .num_blocks = 30}) == "");
  CHECK(NestingFault(first, {.num_slices = 8, .num_blocks = 10}) == "");
  CHECK_THAT(NestingFault(first, {.num_slices = 8, .num_blocks = 35}),
             Catch::Contains("num_blocks is 35"));
  CHECK_THAT(NestingFault(first, {.num_slices = 5, .num_blocks = 30}),
             Catch::Contains("positions"));
  CHECK_THAT(NestingFault({.num_slices = 16, .num_blocks = 10}, first),
             Catch::Contains("num_slices is 16"));
}

TEST_CASE("what the large layer marks lies within what the first one marks", "[engine][layered]") {
  const auto [few, many] =
      GENERATE(table<uint32_t, uint32_t>({{8, 8}, {8, 16}, {4, 4}, {4, 5}, {4, 10}}));
  const uint64_t num_blocks = GENERATE(uint64_t{1}, 3, 1000, 123'457);
  const uint64_t parts = GENERATE(uint64_t{1}, 2, 7);
  for (uint64_t i = 0; i < 200; ++i) {
    const uint64_t digest = tests::RandomKey(tests::KeySpace::kMembers, Catch::rngSeed(), i);
    REQUIRE(kernels::BlockIndex(digest, num_blocks * parts) / parts ==
            kernels::BlockIndex(digest, num_blocks));
    for (size_t s = 0; s < few; ++s) {
      REQUIRE(kernels::Position(digest, s, few) == kernels::Position(digest, s, many));
    }
  }
}

}  // namespace
}  // namespace trommel
