// Batches and single keys of the classic filters, beside the exact model and beside each other.
#include "trommel/classic/filter.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/statistics.h"
#include "trommel/classic/bloom_filter.h"
#include "trommel/classic/counting_bloom_filter.h"
#include "trommel/classic/formulas.h"
#include "trommel/classic/split_counting_filter.h"
#include "trommel/counting_filter.h"

namespace trommel::classic {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::ExactModel;
using tests::MemberKeys;
using tests::NonMemberKeys;

template <class F>
F Made(const Config& config) {
  return std::move(F::Create(config)).value();
}

template <class F>
std::vector<uint64_t> AnswersOf(const F& filter, Keys keys) {
  std::vector<uint64_t> bitmap(F::BitmapWords(keys.size()));
  filter.Query(keys, bitmap);
  return bitmap;
}

// An honest caller's life: keys come, come again and go; nothing in is ever absent, and counts are
// never too low.
template <class F>
void LiveHonestly(F& filter) {
  std::mt19937_64 random(Catch::rngSeed());
  ExactModel<uint64_t> model;
  const auto pool = MemberKeys(1500, Catch::rngSeed());
  for (int round = 0; round < 15; ++round) {
    std::vector<uint64_t> batch(random() % 700);
    for (uint64_t& key : batch) key = pool[random() % pool.size()];
    if (round % 3 == 0) {
      filter.Insert(batch);
      model.Insert(batch);
    } else if (round % 3 == 1) {
      std::vector<uint64_t> inserted(F::BitmapWords(batch.size()));
      const size_t num_inserted = filter.InsertIfAbsent(batch, inserted);
      const uint64_t before = model.num_keys();
      model.FollowInsertIfAbsent(batch, inserted);
      CHECK(model.num_keys() - before == num_inserted);
    } else {
      // Only what is in, and no oftener than it is.
      std::vector<uint64_t> gone;
      for (const uint64_t key : batch) {
        if (std::ranges::count(gone, key) < static_cast<int64_t>(model.Count(key))) {
          gone.push_back(key);
        }
      }
      std::vector<uint64_t> erased(F::BitmapWords(gone.size()));
      CHECK(filter.Erase(gone, erased) == EraseOutcome{gone.size(), 0});
      CHECK(model.FollowErase(gone, erased) == 0);
    }
    CHECK(model.NumFalseNegatives(pool, AnswersOf(filter, pool)) == 0);
    std::vector<uint64_t> counts(pool.size());
    filter.CountEstimates(pool, counts);
    CHECK(model.NumUnderestimated(pool, counts) == 0);
    CHECK(filter.num_keys() == model.num_keys());
  }
  REQUIRE(filter.GetStats().num_stuck == 0);
  for (const uint64_t key : model.DistinctKeys()) {
    for (uint64_t copies = model.Count(key); copies > 0; --copies) REQUIRE(filter.Erase(key));
  }
  CHECK(filter.num_keys() == 0);
  CHECK(filter.GetStats().fill_ratio == 0);  // erasing undoes inserting
}

TEST_CASE("while no counter sticks a classic filter keeps the laws", "[engine][classic]") {
  // Counters of 8 bits: some keys come in a dozen times.
  const Config config{.capacity = 3000, .target_fpr = 0.01, .counter_bits = 8};
  SECTION("split") {
    auto filter = Made<SplitCountingFilter>(config);
    LiveHonestly(filter);
  }
  SECTION("whole") {
    auto filter = Made<CountingBloomFilter>(config);
    LiveHonestly(filter);
  }
}

TEST_CASE("a stuck counter keeps keys present that are gone, and never hides one",
          "[engine][classic]") {
  const Config config{.capacity = 1000, .target_fpr = 0.01, .counter_bits = 4};
  auto filter = Made<SplitCountingFilter>(config);
  const uint32_t num_hashes = filter.geometry().num_hashes;
  for (int i = 0; i < 100; ++i) filter.Insert("hot");
  filter.Insert("cold");
  CHECK(filter.CountEstimate("hot") == 15);  // "15 or more, or less"
  Stats stats = filter.GetStats();
  CHECK(stats.num_stuck == num_hashes);
  CHECK(stats.num_lost_increments == 85 * num_hashes);

  // All copies are taken away, and the key is there as before: what CountingFilter does not do.
  for (int i = 0; i < 100; ++i) REQUIRE(filter.Erase("hot"));
  CHECK(filter.MayContain("hot"));
  CHECK(filter.CountEstimate("hot") == 15);
  CHECK(filter.GetStats().num_stuck == num_hashes);
  auto blocked = std::move(CountingFilter::Create({.capacity = 1000})).value();
  for (int i = 0; i < 100; ++i) blocked.Insert("hot");
  CHECK(blocked.CountEstimate("hot") == 100);
  for (int i = 0; i < 100; ++i) REQUIRE(blocked.Erase("hot"));
  CHECK_FALSE(blocked.MayContain("hot"));

  // Even erasures that nobody may make do not end it, and the number of keys stops at zero.
  for (int i = 0; i < 100; ++i) REQUIRE(filter.Erase("hot"));
  CHECK(filter.num_keys() == 0);
  CHECK(filter.MayContain("cold"));
  filter.Clear();
  CHECK_FALSE(filter.MayContain("hot"));
  CHECK(filter.GetStats().num_lost_increments == 0);
}

TEST_CASE("non-members are answered as the fills say, whatever the layout", "[engine][classic]") {
  const Hashing hashing = GENERATE(Hashing::kDouble, Hashing::kMixed);
  constexpr uint64_t kKeys = 20'000;
  constexpr uint64_t kQueries = 400'000;
  const Config config{.capacity = kKeys, .target_fpr = 0.01, .hashing = hashing};
  const auto check = [&](auto filter) {
    filter.Insert(MemberKeys(kKeys, Catch::rngSeed()));
    const auto non_members = NonMemberKeys(kQueries, Catch::rngSeed());
    std::vector<uint64_t> bitmap(Filter::BitmapWords(kQueries));
    const size_t num_present = filter.Query(non_members, bitmap);
    const Stats stats = filter.GetStats();
    INFO(KindName(filter.geometry().kind));
    // One filter's own rate; and what all such filters' fills are near.
    const auto bound = tests::BinomialBound(stats.current_fpr, kQueries);
    INFO(bound);
    CHECK(bound.ContainsHits(num_present));
    CHECK(stats.predicted_fpr <= 0.01);
    const Geometry& geometry = filter.geometry();
    const double fill =
        Fill(geometry.num_positions,
             geometry.kind == Kind::kSplitCounting ? kKeys : kKeys * geometry.num_hashes);
    for (const double slice_fill : stats.slice_fills) {
      CHECK(tests::BinomialBound(fill, geometry.num_positions).Contains(slice_fill));
    }
  };
  check(Made<BloomFilter>(config));
  check(Made<CountingBloomFilter>(config));
  check(Made<SplitCountingFilter>(config));
}

TEST_CASE("with mixed hashes even many small slices have the formula's rate", "[engine][classic]") {
  const Geometry geometry{.hashing = Hashing::kMixed, .num_hashes = 9, .num_positions = 300};
  auto filter = std::move(SplitCountingFilter::CreateWithGeometry(geometry)).value();
  filter.Insert(MemberKeys(208, Catch::rngSeed()));
  constexpr uint64_t kQueries = 400'000;
  std::vector<uint64_t> bitmap(Filter::BitmapWords(kQueries));
  const size_t num_present = filter.Query(NonMemberKeys(kQueries, Catch::rngSeed()), bitmap);
  CHECK(tests::BinomialBound(filter.GetStats().current_fpr, kQueries).ContainsHits(num_present));
}

TEST_CASE("classic batches are the same for any split, and one key is a batch of one",
          "[engine][classic]") {
  const Config config{.capacity = 5000, .target_fpr = 0.02};
  auto whole = Made<SplitCountingFilter>(config);
  auto parts = Made<SplitCountingFilter>(config);
  auto points = Made<SplitCountingFilter>(config);
  const auto strings = tests::MemberStrings(5000, Catch::rngSeed());
  whole.Insert(strings);
  for (size_t first = 0; first < strings.size(); first += 777) {
    parts.Insert(std::span(strings).subspan(first, std::min<size_t>(777, strings.size() - first)));
  }
  for (const std::string& key : strings) points.Insert(key);
  CHECK((whole.Serialize() == parts.Serialize()));
  CHECK((whole.Serialize() == points.Serialize()));

  std::vector<uint64_t> erased(Filter::BitmapWords(strings.size()));
  const EraseOutcome outcome = whole.Erase(strings, erased);
  CHECK(outcome == parts.Erase(strings));
  for (size_t i = 0; i < strings.size(); ++i) {
    REQUIRE(points.Erase(strings[i]) == tests::BitAt(erased, i));
  }
  CHECK((whole.Serialize() == points.Serialize()));

  std::vector<uint64_t> inserted(Filter::BitmapWords(strings.size()));
  whole.InsertIfAbsent(strings, inserted);
  for (size_t i = 0; i < strings.size(); ++i) {
    REQUIRE(points.InsertIfAbsent(strings[i]) == tests::BitAt(inserted, i));
    REQUIRE(points.MayContain(strings[i]));
  }
  CHECK(whole.num_keys() == points.num_keys());
  std::vector<uint64_t> counts(strings.size());
  whole.CountEstimates(strings, counts);
  for (size_t i = 0; i < strings.size(); ++i) {
    REQUIRE(points.CountEstimate(strings[i]) == counts[i]);
  }
}

TEST_CASE("classic filters give the same with threads as without", "[engine][classic][threads]") {
  const Config config{.capacity = 100'000, .target_fpr = 0.05};
  Config spread_config = config;
  spread_config.executor = std::move(Executor::Create(4)).value();
  const auto keys = MemberKeys(50'000, Catch::rngSeed());
  const auto asked = NonMemberKeys(50'001, Catch::rngSeed());
  const auto check = [&](auto alone, auto spread) {
    alone.Insert(keys);
    spread.Insert(keys);
    CHECK((alone.Serialize() == spread.Serialize()));
    CHECK(AnswersOf(alone, asked) == AnswersOf(spread, asked));
    CHECK(AnswersOf(alone, keys) == AnswersOf(spread, keys));
    spread.UseExecutor(nullptr);
    CHECK(AnswersOf(alone, asked) == AnswersOf(spread, asked));
  };
  check(Made<SplitCountingFilter>(config), Made<SplitCountingFilter>(spread_config));
  check(Made<BloomFilter>(config), Made<BloomFilter>(spread_config));
  auto alone = Made<CountingBloomFilter>(config);
  auto spread = Made<CountingBloomFilter>(spread_config);
  alone.Insert(keys);
  spread.Insert(keys);
  std::vector<uint64_t> want(asked.size());
  std::vector<uint64_t> got(asked.size());
  alone.CountEstimates(asked, want);
  spread.CountEstimates(asked, got);
  CHECK(got == want);
}

TEST_CASE("keys of every kind reach the classic filters by the door of all filters",
          "[engine][classic]") {
  const Config config{.capacity = 1000, .target_fpr = 1e-4, .digest = {.seed = 7}};
  auto filter = Made<SplitCountingFilter>(config);
  filter.Insert(42);
  CHECK(filter.MayContain(42));
  CHECK(filter.MayContain(Key::Digest(config.digest(42))));
  CHECK_FALSE(filter.MayContain(Key::Int32(42)));
  const std::vector<uint64_t> digests = {config.digest("a"), config.digest("b")};
  filter.Insert(Keys::Digests(digests));
  CHECK(filter.MayContain("a"));
  CHECK(filter.Erase("b"));
  CHECK_FALSE(filter.Erase("b"));
  CHECK(filter.GetStats().num_refused_erases == 1);
}

TEST_CASE("bitmaps of another size end the program with a message", "[engine][classic]") {
  auto filter = Made<SplitCountingFilter>({.capacity = 1000});
  const auto keys = MemberKeys(65, 1);
  std::vector<uint64_t> word(1);
  const auto message_of = [&](const std::function<void()>& body) {
    return tests::AbortMessage(body);
  };
  CHECK_THAT(message_of([&] { filter.Query(keys, word); }), ContainsSubstring("another size"));
  CHECK_THAT(message_of([&] { filter.Erase(keys, word); }), ContainsSubstring("another size"));
  CHECK_THAT(message_of([&] { filter.InsertIfAbsent(keys, word); }),
             ContainsSubstring("another size"));
  CHECK_THAT(message_of([&] { filter.CountEstimates(keys, word); }),
             ContainsSubstring("another size"));
}

}  // namespace
}  // namespace trommel::classic
