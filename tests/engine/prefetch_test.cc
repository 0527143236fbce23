// Keys that are fetched ahead of their operation, of every type that has one key per call.
#include <cstdint>
#include <vector>

#include "support/catch.h"
#include "support/window_slots.h"
#include "trommel/column_map.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel {
namespace {

template <class Filter>
Key FetchedDigest(const Filter& filter) {
  const Key ahead = filter.Prefetch("a key");
  CHECK(ahead.kind() == KeyKind::kDigests);
  CHECK(ahead.integer() == filter.digest_policy()("a key"));
  CHECK(filter.Prefetch(Key::Digest(5)).integer() == 5);
  return ahead;
}

// Erase(filter, key).
template <class Filter, class Erase>
void CheckFetchedKey(Filter& filter, const Erase& erase) {
  FetchedDigest(filter);  // of an empty filter
  filter.Insert("a key");
  const Key ahead = FetchedDigest(filter);
  CHECK(filter.CountEstimate(ahead) == 1);  // it is no insertion
  CHECK(filter.MayContain(ahead));
  CHECK(erase(ahead));
  CHECK_FALSE(filter.MayContain("a key"));
}

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

TEST_CASE("a key is fetched ahead from a filter that grows, however large it is",
          "[engine][prefetch]") {
  ScalableFilter filter = ScalableFilter::Create({}).value();
  // All in the first of 64 parts, which goes from whole digests to blocks.
  const auto key = [](uint64_t i) { return Key::Digest(i * 0x9e3779b97f4a7c15U >> 6); };
  constexpr uint64_t kNumKeys = 6000;
  for (uint64_t i = 0; i < kNumKeys; ++i) filter.Insert(filter.Prefetch(key(i)));
  CHECK(filter.GetStats().num_blocks > 0);
  for (uint64_t i = 0; i < kNumKeys; ++i) CHECK(filter.Erase(filter.Prefetch(key(i))));
  CheckFetchedKey(filter, [&](Key erased) { return filter.Erase(erased); });
}

TEST_CASE("a key is fetched ahead from a window", "[engine][prefetch]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter filter =
      WindowFilter::Create({.window = 8, .num_buckets = 4, .capacity = 1000, .target_fpr = rate})
          .value();
  filter.Advance(20);
  CheckFetchedKey(filter, [&](Key key) { return filter.Erase(key, 20); });
}

TEST_CASE("a key is fetched ahead from columns", "[engine][prefetch]") {
  ColumnMap columns = ColumnMap::Create({.capacity = 1000, .num_columns = 600}).value();
  REQUIRE(columns.OpenColumn(577).ok());
  columns.Insert(577, "a key");
  const Key ahead = FetchedDigest(columns);
  CHECK(columns.MayContain(577, ahead));
  std::vector<uint64_t> answer(columns.row_words());
  columns.Query(ahead, answer);
  CHECK(answer[577 / 64] == uint64_t{1} << 577 % 64);
}

}  // namespace
}  // namespace trommel
