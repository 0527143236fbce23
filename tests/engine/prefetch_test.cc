// Keys that are fetched ahead of their operation, of every type that has one key per call.
#include <cstdint>
#include <vector>

#include "support/catch.h"
#include "support/fetched_key.h"
#include "trommel/column_map.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel {
namespace {

using tests::CheckFetchedKey;

TEST_CASE("a key that is fetched ahead is its digest, and nothing has changed",
          "[engine][prefetch]") {
  const auto encoding =
      GENERATE(Encoding::kPlanes, Encoding::kRuns, Encoding::kDense, Encoding::kFingerprints16);
  const CountingConfig config{.capacity = 1000, .encoding = encoding};
  SECTION("counting") {
    CountingFilter filter = CountingFilter::Create(config).value();
    CheckFetchedKey(filter, [&](Key key) { return filter.Erase(key); });
  }
  SECTION("concurrent") {
    ConcurrentFilter filter = ConcurrentFilter::Create(config).value();
    CheckFetchedKey(filter, [&](Key key) { return filter.Erase(key); });
  }
}

TEST_CASE("a key is fetched ahead from a filter that doubles, however large it is",
          "[engine][prefetch]") {
  ScalableFilter filter = ScalableFilter::Create({}).value();
  // All in the first of 64 parts, which goes from whole digests to blocks.
  const auto key = [](uint64_t i) { return Key::Digest(i * 0x9e3779b97f4a7c15U >> 6); };
  constexpr uint64_t kNumKeys = 6000;
  for (uint64_t i = 0; i < kNumKeys; ++i) filter.Insert(filter.Prefetch(key(i)));
  CHECK(filter.GetStats().doubling.num_blocks > 0);
  for (uint64_t i = 0; i < kNumKeys; ++i) CHECK(filter.Erase(filter.Prefetch(key(i))));
  CheckFetchedKey(filter, [&](Key erased) { return filter.Erase(erased); });
}

TEST_CASE("a key is fetched ahead from columns", "[engine][prefetch]") {
  ColumnMap columns = ColumnMap::Create({.capacity = 1000, .num_columns = 600}).value();
  REQUIRE(columns.OpenColumn(577).ok());
  columns.Insert(577, "a key");
  const Key ahead = tests::FetchedDigest(columns);
  CHECK(columns.MayContain(577, ahead));
  std::vector<uint64_t> answer(columns.row_words());
  columns.Query(ahead, answer);
  CHECK(answer[577 / 64] == uint64_t{1} << 577 % 64);
}

}  // namespace
}  // namespace trommel
