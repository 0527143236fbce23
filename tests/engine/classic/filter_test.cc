// Classic filters of every kind: creation, batches and single keys, beside the exact model and
// beside each other.
#include "trommel/classic/filter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/sample_filters.h"
#include "support/statistics.h"
#include "trommel/classic/formulas.h"
#include "trommel/classic/sizing.h"
#include "trommel/counting_filter.h"

namespace trommel::classic {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::ExactModel;
using tests::MemberKeys;
using tests::NonMemberKeys;

Filter Made(const Config& config) { return std::move(Filter::Create(config)).value(); }

Filter Made(Kind kind, Config config) {
  config.kind = kind;
  return Made(config);
}

std::vector<uint64_t> AnswersOf(const Filter& filter, Keys keys) {
  std::vector<uint64_t> bitmap(Filter::BitmapWords(keys.size()));
  filter.Query(keys, bitmap);
  return bitmap;
}

// Keys are inserted, inserted again and erased, each as often as it was inserted: no key that is in
// the filter is ever absent, and counts are never too low.
void CheckInvariants(Filter filter) {
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
      std::vector<uint64_t> inserted(Filter::BitmapWords(batch.size()));
      const size_t num_inserted = filter.InsertIfAbsent(batch, inserted);
      const uint64_t before = model.num_keys();
      model.FollowInsertIfAbsent(batch, inserted);
      CHECK(model.num_keys() - before == num_inserted);
    } else {
      // Only what is in, and no more often than it is.
      std::vector<uint64_t> gone;
      for (const uint64_t key : batch) {
        if (std::ranges::count(gone, key) < static_cast<int64_t>(model.Count(key))) {
          gone.push_back(key);
        }
      }
      std::vector<uint64_t> erased(Filter::BitmapWords(gone.size()));
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

TEST_CASE("while no counter sticks a classic filter keeps the invariants", "[engine][classic]") {
  // Counters of 8 bits: some keys are inserted a dozen times.
  const Config config{.capacity = 3000, .target_fpr = 0.01, .counter_bits = 8};
  CheckInvariants(Made(GENERATE(Kind::kSplitCounting, Kind::kCountingBloom), config));
}

TEST_CASE("a stuck counter keeps keys present that are gone, and never hides one",
          "[engine][classic]") {
  const Config config{.capacity = 1000, .target_fpr = 0.01, .counter_bits = 4};
  auto filter = Made(config);
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

  // Even erasures that no caller may make do not end it, and the number of keys stops at zero.
  for (int i = 0; i < 100; ++i) REQUIRE(filter.Erase("hot"));
  CHECK(filter.num_keys() == 0);
  CHECK(filter.MayContain("cold"));
  filter.Clear();
  CHECK_FALSE(filter.MayContain("hot"));
  CHECK(filter.GetStats().num_lost_increments == 0);
}

TEST_CASE("non-members are answered as the fills say, whatever the layout",
          "[engine][classic][long]") {
  const Hashing hashing = GENERATE(Hashing::kDouble, Hashing::kMixed);
  constexpr uint64_t kKeys = 20'000;
  constexpr uint64_t kQueries = 400'000;
  const Config config{.capacity = kKeys, .target_fpr = 0.01, .hashing = hashing};
  for (const Kind kind : tests::kClassicKinds) {
    Filter filter = Made(kind, config);
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
    const ArrayGeometry& geometry = filter.geometry();
    const double fill =
        Fill(geometry.num_positions,
             geometry.kind == Kind::kSplitCounting ? kKeys : kKeys * geometry.num_hashes);
    for (const double slice_fill : stats.slice_fills) {
      CHECK(tests::BinomialBound(fill, geometry.num_positions).Contains(slice_fill));
    }
  }
}

TEST_CASE("with mixed hashes even many small slices have the formula's rate", "[engine][classic]") {
  const ArrayGeometry geometry{.hashing = Hashing::kMixed, .num_hashes = 9, .num_positions = 300};
  auto filter = std::move(Filter::CreateWithGeometry(geometry)).value();
  filter.Insert(MemberKeys(208, Catch::rngSeed()));
  constexpr uint64_t kQueries = 400'000;
  std::vector<uint64_t> bitmap(Filter::BitmapWords(kQueries));
  const size_t num_present = filter.Query(NonMemberKeys(kQueries, Catch::rngSeed()), bitmap);
  CHECK(tests::BinomialBound(filter.GetStats().current_fpr, kQueries).ContainsHits(num_present));
}

TEST_CASE("classic batches are the same for any split, and one key is a batch of one",
          "[engine][classic]") {
  const Config config{.capacity = 5000, .target_fpr = 0.02};
  auto whole = Made(config);
  auto parts = Made(config);
  auto points = Made(config);
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
  for (const Kind kind : tests::kClassicKinds) {
    INFO(KindName(kind));
    Filter alone = Made(kind, config);
    Filter spread = Made(kind, spread_config);
    alone.Insert(keys);
    spread.Insert(keys);
    CHECK((alone.Serialize() == spread.Serialize()));
    CHECK(AnswersOf(alone, asked) == AnswersOf(spread, asked));
    CHECK(AnswersOf(alone, keys) == AnswersOf(spread, keys));
    if (kind != Kind::kBloom) {
      std::vector<uint64_t> want(asked.size());
      std::vector<uint64_t> got(asked.size());
      alone.CountEstimates(asked, want);
      spread.CountEstimates(asked, got);
      CHECK(got == want);
    }
    spread.UseExecutor(nullptr);
    CHECK(AnswersOf(alone, asked) == AnswersOf(spread, asked));
  }
}

TEST_CASE("keys of every type are hashed by the digest policy", "[engine][classic]") {
  const Config config{.capacity = 1000, .target_fpr = 1e-4, .digest = {.seed = 7}};
  auto filter = Made(config);
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
  auto filter = Made({.capacity = 1000});
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

TEST_CASE("a filter of plain bits has nothing to erase, count or subtract", "[engine][classic]") {
  auto filter = Made(Kind::kBloom, {.capacity = 1000});
  const auto keys = MemberKeys(65, 1);
  filter.Insert(keys);
  const auto message_of = [](const std::function<void()>& body) {
    return tests::AbortMessage(body);
  };
  std::vector<uint64_t> words(keys.size());
  const std::string want = "a filter of plain bits has no counters";
  CHECK_THAT(message_of([&] { filter.Erase(keys); }), ContainsSubstring(want));
  CHECK_THAT(message_of([&] { filter.Erase(keys, std::span(words).first(2)); }),
             ContainsSubstring(want));
  CHECK_THAT(message_of([&] { filter.Erase(Key(7)); }), ContainsSubstring(want));
  CHECK_THAT(message_of([&] { filter.CountEstimates(keys, words); }), ContainsSubstring(want));
  CHECK_THAT(message_of([&] { filter.CountEstimate(Key(7)); }), ContainsSubstring(want));
  const Status subtracted = filter.Subtract(filter);
  CHECK(subtracted.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(subtracted.error().message, ContainsSubstring("kind bloom have no counters"));
}

TEST_CASE("classic filters that cannot be are refused with the reason", "[engine][classic]") {
  CHECK(Filter::Create({}).error().message ==
        "capacity is 0; it must be between 1 and 1099511627776");
  CHECK_THAT(Filter::Create({.kind = Kind::kCountingBloom, .capacity = 10, .counter_bits = 12})
                 .error()
                 .message,
             ContainsSubstring("counter_bits is 12"));
  CHECK_THAT(
      Filter::Create(
          {.kind = Kind::kBloom, .capacity = 10, .digest = {.kind = static_cast<DigestKind>(4)}})
          .error()
          .message,
      ContainsSubstring("digest kind is 4; it must be between 0 and 3"));
  CHECK_THAT(Filter::Create({.kind = static_cast<Kind>(3), .capacity = 10}).error().message,
             ContainsSubstring("kind is 3"));
  CHECK(Filter::CreateWithGeometry({.num_positions = 10}).error().message ==
        "num_hashes is 0; it must be between 1 and 64");
  const Result<Filter> large =
      Filter::Create({.kind = Kind::kBloom, .capacity = 1'000'000, .memory_limit_bytes = 1000});
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().code == ErrorCode::kOutOfMemory);
}

// --- Fewer probes: never a false negative, and the rate that is left.

// 20 slices for 10,000 keys.
Filter TwentySlices() {
  const Config config{.capacity = 10'000, .target_fpr = 1e-6, .hashing = Hashing::kMixed};
  return std::move(Filter::Create(config)).value();
}

TEST_CASE("a filter far from full needs few probes, and a full one all", "[engine][classic]") {
  auto filter = TwentySlices();
  REQUIRE(filter.geometry().num_hashes == 20);
  CHECK(filter.ProbesFor(0.01) == 1);  // empty
  uint32_t least = 1;
  for (const size_t num_keys : {10, 100, 1000, 3000, 10'000}) {
    filter.Insert(MemberKeys(num_keys - filter.num_keys(), Catch::rngSeed(), filter.num_keys()));
    const uint32_t probes = filter.ProbesFor(1e-3);
    CHECK(probes >= least);
    // The model of these many keys is no further off than a slice.
    const uint32_t predicted = PredictedProbes(filter.geometry(), num_keys, 1e-3);
    CHECK(probes <= predicted + 1);
    CHECK(predicted <= probes + 1);
    double product = 1;
    const Stats stats = filter.GetStats();
    for (uint32_t i = 0; i + 1 < probes; ++i) product *= stats.slice_fills[i];
    CHECK((probes == 1 || product > 1e-3));  // one fewer would not do
    CHECK(product * stats.slice_fills[probes - 1] <= 1e-3);
    least = probes;
  }
  // 2^-10 is under a thousandth, but slices may be a little more than half full.
  CHECK(least >= 10);
  CHECK(least <= 11);
  CHECK(filter.ProbesFor(1e-9) == 20);  // not met: all
  CHECK(filter.ProbesFor(std::nan("")) == 20);
  CHECK(filter.ProbesFor(1) == 1);
}

TEST_CASE("the first slices answer at the product of their fills, and hide no key",
          "[engine][classic][long]") {
  auto filter = TwentySlices();
  const auto members = MemberKeys(8000, Catch::rngSeed());
  filter.Insert(members);
  constexpr uint64_t kQueries = 300'000;
  const auto non_members = NonMemberKeys(kQueries, Catch::rngSeed());
  std::vector<uint64_t> bitmap(Filter::BitmapWords(kQueries));
  std::vector<uint64_t> member_bitmap(Filter::BitmapWords(members.size()));
  const Stats stats = filter.GetStats();
  double product = 1;
  for (uint32_t probes = 1; probes <= 12; ++probes) {
    product *= stats.slice_fills[probes - 1];
    const size_t num_present = filter.QueryFirst(non_members, probes, bitmap);
    CHECK(tests::BinomialBound(product, kQueries).ContainsHits(num_present));
    CHECK(filter.QueryFirst(members, probes, member_bitmap) == members.size());
  }
}

TEST_CASE("a filter without slices can be asked by fewer hashes, too", "[engine][classic]") {
  const Kind kind = GENERATE(Kind::kBloom, Kind::kCountingBloom);
  auto filter = Made(kind, {.capacity = 10'000, .target_fpr = 1e-6, .hashing = Hashing::kMixed});
  const auto members = MemberKeys(10'000, Catch::rngSeed());
  filter.Insert(members);
  const double fill = filter.GetStats().fill_ratio;
  CHECK(filter.ProbesFor(fill * fill) == 2);
  constexpr uint64_t kQueries = 300'000;
  std::vector<uint64_t> bitmap(Filter::BitmapWords(kQueries));
  std::vector<uint64_t> member_bitmap(Filter::BitmapWords(members.size()));
  const size_t num_present =
      filter.QueryFirst(NonMemberKeys(kQueries, Catch::rngSeed()), 2, bitmap);
  CHECK(tests::BinomialBound(fill * fill, kQueries).ContainsHits(num_present));
  CHECK(filter.QueryFirst(members, 2, member_bitmap) == members.size());
}

TEST_CASE("probes out of range end the program with a message", "[engine][classic]") {
  auto filter = TwentySlices();
  std::vector<uint64_t> bitmap(1);
  const std::vector<uint64_t> keys = {1};
  for (const uint32_t probes : {0, 21}) {
    CHECK_THAT(tests::AbortMessage([&] { filter.QueryFirst(keys, probes, bitmap); }),
               ContainsSubstring("num_probes must be between 1 and num_hashes"));
  }
}

}  // namespace
}  // namespace trommel::classic
