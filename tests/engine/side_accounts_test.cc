// Side memory: what is reserved, counted and given back.
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "engine/src/fingerprints/make_store.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel {
namespace {

constexpr uint64_t kMostBytes = std::numeric_limits<uint64_t>::max();

CountingFilter FilterOf(Encoding encoding) {
  return CountingFilter::Create({.capacity = 2000, .target_fpr = 0.002, .encoding = encoding})
      .value();
}

Encoding AnyEncoding() {
  return GENERATE(Encoding::kPlanes, Encoding::kRuns, Encoding::kDense, Encoding::kFingerprints16);
}

// More than fit, among them keys with many copies.
std::vector<uint64_t> CrowdingKeys() {
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(4000);
  for (uint64_t& digest : digests) digest = random();
  for (size_t i = 0; i < 2000; ++i) digests.push_back(digests[i % 20]);
  for (size_t i = 0; i < 300; ++i) digests.push_back(digests[0] ^ i << 50);  // in one block
  return digests;
}

TEST_CASE("a limit that is lifted gives back what no block needs", "[engine][side_limit]") {
  CountingFilter filter = FilterOf(AnyEncoding());
  REQUIRE(filter.LimitSideMemory(1'000'000).ok());
  CHECK(filter.GetStats().side_table_bytes > 3'000);
  REQUIRE(filter.LimitSideMemory(0).ok());
  CHECK(filter.GetStats().side_table_bytes == 0);

  REQUIRE(filter.LimitSideMemory(1'000'000).ok());
  const std::vector<uint64_t> digests = CrowdingKeys();
  std::vector<uint64_t> inserted(BitmapWords(digests.size()));
  filter.Insert(Keys::Digests(digests), inserted);
  REQUIRE(filter.LimitSideMemory(0).ok());
  CHECK(filter.GetStats().num_promoted > 0);
  for (size_t i = 0; i < digests.size(); ++i) {
    if ((inserted[i / 64] >> (i % 64) & 1) != 0) REQUIRE(filter.Erase(Key::Digest(digests[i])));
  }
  CHECK(filter.num_keys() == 0);
  CHECK(filter.GetStats().side_table_bytes == 0);
}

TEST_CASE("a copy counts the side memory that it takes itself", "[engine][side_limit][clone]") {
  CountingFilter filter = FilterOf(AnyEncoding());
  const std::vector<uint64_t> digests = CrowdingKeys();
  filter.Insert(Keys::Digests(digests));
  CountingFilter copy = filter.Clone().value();
  CHECK(copy.GetStats().side_table_bytes > 0);
  CHECK(copy.GetStats().side_table_bytes <= filter.GetStats().side_table_bytes);
  CHECK(copy.Erase(Keys::Digests(digests)).num_refused == 0);
  CHECK(copy.GetStats().side_table_bytes == 0);
  CHECK(filter.Erase(Keys::Digests(digests)).num_refused == 0);
  CHECK(filter.GetStats().side_table_bytes == 0);
}

TEST_CASE("a copy has refused no key yet", "[engine][side_limit][clone]") {
  CountingFilter filter = FilterOf(AnyEncoding());
  REQUIRE(filter.LimitSideMemory(4000).ok());
  CHECK(filter.Insert(Keys::Digests(CrowdingKeys())).num_refused > 0);
  CHECK(filter.GetStats().num_refused_inserts > 0);
  CHECK(filter.Clone().value().GetStats().num_refused_inserts == 0);
}

TEST_CASE("side memory beyond all memory is refused before any is taken", "[engine][side_limit]") {
  const uint64_t limit_bytes =
      GENERATE(as<uint64_t>(), kMostBytes, kMostBytes - 100'000, kMostBytes / 1024);
  const auto code_of = [](const Status& status) {
    return status.ok() ? ErrorCode::kIo : status.error().code;
  };
  CountingFilter filter = FilterOf(AnyEncoding());
  CHECK(code_of(filter.LimitSideMemory(limit_bytes)) == ErrorCode::kOutOfMemory);
  CHECK(filter.GetStats().side_table_bytes == 0);
  const ScalableConfig config{.side_memory_limit_bytes = limit_bytes};
  CHECK(ScalableFilter::Create(config).error().code == ErrorCode::kOutOfMemory);
  ScalableFilter doubling = ScalableFilter::Create({}).value();
  CHECK(code_of(doubling.LimitSideMemory(limit_bytes)) == ErrorCode::kOutOfMemory);
}

TEST_CASE("side memory of any size may be reserved where the memory limit allows it",
          "[engine][side_limit]") {
  const Encoding encoding = AnyEncoding();
  const CountingConfig config{.capacity = 100,
                              .encoding = encoding,
                              .memory_limit_bytes = kMostBytes,
                              .side_memory_limit_bytes = kMostBytes};
  const CountingFilter filter = CountingFilter::Create(config).value();
  // Each block has space, and no more is taken.
  CHECK(filter.GetStats().side_table_bytes < 100 * filter.geometry().num_bytes());
}

TEST_CASE("a limit that is too low for twice the blocks leaves a filter as large as it is",
          "[engine][side_limit]") {
  CountingFilter filter =
      CountingFilter::Create(
          {.capacity = 80'000, .target_fpr = 0.003, .encoding = Encoding::kDense})
          .value();
  REQUIRE(filter.LimitSideMemory(LeastSideBytes(filter.geometry())).ok());
  const Geometry geometry = filter.geometry();
  const Status grown = filter.Grow();
  REQUIRE_FALSE(grown.ok());
  CHECK(grown.error().code == ErrorCode::kOutOfMemory);
  CHECK(filter.geometry() == geometry);
}

TEST_CASE("blocks that double leave the memory limit room for the side memory",
          "[engine][side_limit][growing]") {
  const uint64_t side_bytes = GENERATE(0, 1'000'000, 3'000'000);
  const bool is_merged = GENERATE(false, true);
  constexpr uint64_t kLimit = 5'000'000;
  ScalableFilter filter =
      ScalableFilter::Create({.memory_limit_bytes = kLimit, .side_memory_limit_bytes = side_bytes})
          .value();
  if (is_merged) REQUIRE(filter.Merge(filter).ok());
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(20'000);
  InsertOutcome outcome;
  while (outcome.num_refused == 0) {
    for (uint64_t& digest : digests) digest = random();
    outcome = filter.Insert(Keys::Digests(digests));
    const ScalableStats stats = filter.GetStats();
    // Without a limit side tables take what they need.
    const uint64_t beside = side_bytes == 0 ? stats.side_table_bytes : 0;
    REQUIRE(stats.num_bytes - beside <= kLimit);
  }
}

}  // namespace
}  // namespace trommel
