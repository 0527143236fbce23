// Scalable filters that double: rates over the whole life, growth and shrinking, refusals. What
// every type promises: tests/promises.
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/src/scalable/doubling_plan.h"
#include "support/catch.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "support/statistics.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

ScalableFilter Doubling(const ScalableConfig& config = {}) {
  ScalableConfig doubling = config;
  doubling.mode = GrowthMode::kDoubling;
  return ScalableFilter::Create(doubling).value();
}

// Digests of one part in 64: it grows as a filter of 64 times the keys does.
std::vector<uint64_t> InOnePart(std::vector<uint64_t> keys) {
  for (uint64_t& key : keys) key >>= 6;
  return keys;
}

uint64_t NumShown(const ScalableFilter& filter, const std::vector<uint64_t>& digests) {
  std::vector<uint64_t> bitmap(BitmapWords(digests.size()));
  return filter.Query(Keys::Digests(digests), bitmap);
}

}  // namespace

TEST_CASE("a filter that doubles keeps to its model over its whole life",
          "[engine][scalable][doubling][long]") {
  ScalableFilter filter = Doubling();
  const uint64_t first = filter.first_capacity() / 64;
  const uint64_t seed = Catch::rngSeed();
  const std::vector<uint64_t> non_members = InOnePart(NonMemberKeys(Scaled(1'000'000), seed));
  const auto num_non_members = static_cast<double>(non_members.size());
  uint64_t num_keys = 0;
  const auto grow_to = [&](uint64_t wanted) {
    REQUIRE(filter.Insert(Keys::Digests(InOnePart(MemberKeys(wanted - num_keys, seed, num_keys))))
                .num_refused == 0);
    num_keys = wanted;
  };
  for (const double size : {0.8, 0.97, 1.5, 1.94, 3.0, 3.88, 7.7, 15.5, 31.0, 62.0, 100.0}) {
    grow_to(static_cast<uint64_t>(size * static_cast<double>(first)));
    const uint64_t num_false = NumShown(filter, non_members);
    const ScalableStats stats = filter.GetStats();
    // The part that has keys, of 64: the others have none.
    const double of_part = 64 * filter.MeasureFill().current_fpr;
    const RateBound bound = BinomialBound(of_part, non_members.size());
    INFO(size << " times the first size: " << bound << ", measured " << num_false);
    CHECK(bound.ContainsHits(num_false));
    // The model, for a filter all parts of which are as this one, and by its own figures.
    const double model = filter.ForecastAt(64 * num_keys).predicted_fpr;
    CHECK(static_cast<double>(num_false) <=
          BinomialBound(model, non_members.size()).high() * num_non_members);
    CHECK(BinomialBound(64 * stats.predicted_fpr, non_members.size()).ContainsHits(num_false));
  }
  CHECK(filter.GetStats().doubling.num_blocks >= 64 * 128);

  // On the way back the rate stays below what the model allows at that number of blocks.
  for (const double size : {50.0, 20.0, 9.0, 3.0, 1.2, 0.4}) {
    const auto left = static_cast<uint64_t>(size * static_cast<double>(first));
    const auto going = InOnePart(MemberKeys(num_keys - left, seed, left));
    REQUIRE(filter.Erase(Keys::Digests(going)).num_refused == 0);
    num_keys = left;
    const ScalableStats stats = filter.GetStats();
    const double bound = DoublingPlan::FprOf(static_cast<double>(stats.doubling.num_entries),
                                             static_cast<double>(stats.doubling.num_blocks), 128) +
                         stats.doubling.undecided_share;
    INFO(size << " times the first size, on the way back");
    CHECK(static_cast<double>(NumShown(filter, non_members)) <=
          BinomialBound(bound, non_members.size()).high() * num_non_members);
    CHECK(NumShown(filter, InOnePart(MemberKeys(left, seed))) == left);
  }
  CHECK(filter.GetStats().doubling.num_blocks <= 256);
}

TEST_CASE("memory follows the keys up and down, and churn takes none",
          "[engine][scalable][doubling][long]") {
  const uint64_t seed = Catch::rngSeed();
  ScalableFilter filter = Doubling();
  constexpr size_t kLive = 50'000;
  filter.Insert(MemberKeys(kLive, seed));
  const uint64_t fresh = filter.GetStats().num_bytes;
  CHECK(fresh <= 12 * kLive);
  for (uint64_t i = 0; i < 40; ++i) {  // first in first out
    REQUIRE(filter.Insert(MemberKeys(kLive / 10, seed, kLive + i * kLive / 10)).num_refused == 0);
    REQUIRE(filter.Erase(MemberKeys(kLive / 10, seed, i * kLive / 10)).num_refused == 0);
  }
  const uint64_t num_rounds = Scaled(36);
  for (uint64_t i = 0; i < num_rounds; ++i) {  // all at once
    const uint64_t at = 4 * kLive + i * kLive;
    REQUIRE(filter.Erase(MemberKeys(kLive, seed, at)).num_refused == 0);
    REQUIRE(filter.Insert(MemberKeys(kLive, seed, at + kLive)).num_refused == 0);
  }
  CHECK(filter.num_keys() == kLive);
  CHECK(filter.GetStats().num_bytes <= fresh + fresh / 4);
  filter.Erase(MemberKeys(kLive, seed, (4 + num_rounds) * kLive));
  CHECK(filter.Serialize() == Doubling().Serialize());

  // Beside filters that were sized in advance.
  ScalableFilter large = Doubling();
  uint64_t num_keys = 0;
  for (const uint64_t wanted : {1'000'000, 1'380'000, 1'450'000, 2'700'000}) {
    large.Insert(MemberKeys(wanted - num_keys, seed, num_keys));
    num_keys = wanted;
    const uint64_t sized =
        CountingFilter::Create({.capacity = wanted, .encoding = Encoding::kFingerprints16})
            .value()
            .geometry()
            .num_bytes();
    INFO(wanted << " keys");
    CHECK(static_cast<double>(large.GetStats().num_bytes) <= 2.1 * static_cast<double>(sized));
  }
}

TEST_CASE("copies of a key take no room beyond its first", "[engine][scalable][doubling]") {
  ScalableFilter filter = Doubling();
  const std::vector<uint64_t> keys = MemberKeys(90, 1);
  for (int i = 0; i < 50; ++i) filter.Insert(keys);
  CHECK(filter.GetStats().doubling.num_entries == keys.size());
  CHECK(filter.GetStats().doubling.side_table_bytes == 64 * keys.size());
  CHECK(filter.num_keys() == 4500);
  CHECK(filter.CountEstimate(keys[0]) == 50);
  for (int i = 0; i < 50; ++i) REQUIRE(filter.Erase(keys).num_refused == 0);
  CHECK(filter.Serialize() == Doubling().Serialize());
}

TEST_CASE("a filter that may not double further fills up, refuses keys by name, and loses none",
          "[engine][scalable][doubling][long]") {
  const bool is_by_memory = GENERATE(false, true);
  ScalableFilter filter =
      is_by_memory ? Doubling({.memory_limit_bytes = 1'500'000}) : Doubling({.max_capacity = 1});
  const uint64_t seed = Catch::rngSeed();
  const std::vector<uint64_t> keys = MemberKeys(700'000, seed);
  std::vector<uint64_t> inserted(BitmapWords(keys.size()));
  const InsertOutcome outcome = filter.Insert(keys, inserted);
  CHECK(outcome.num_inserted + outcome.num_refused == keys.size());
  CHECK(outcome.num_inserted >= filter.first_capacity());
  CHECK(outcome.num_refused > 0);
  CHECK(outcome.refusal ==
        (is_by_memory ? GrowthRefusal::kMemoryLimit : GrowthRefusal::kLargestCapacity));
  CHECK(filter.num_keys() == outcome.num_inserted);
  CHECK(filter.GetStats().num_refused_inserts == outcome.num_refused);
  CHECK(filter.GetStats().doubling.num_refused_steps > 0);
  uint64_t num_marked = 0;
  std::vector<uint64_t> taken;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!BitAt(inserted, i)) continue;
    ++num_marked;
    taken.push_back(keys[i]);
  }
  CHECK(num_marked == outcome.num_inserted);
  std::vector<uint64_t> bitmap(BitmapWords(taken.size()));
  CHECK(filter.Query(taken, bitmap) == taken.size());

  // Keys that look present are no refusals; absent ones are.
  const InsertOutcome absent = filter.InsertIfAbsent(keys, inserted);
  CHECK(absent.num_inserted == 0);
  CHECK(absent.num_refused <= outcome.num_refused);
  CHECK(absent.num_refused > outcome.num_refused * 9 / 10);

  // There is room again when keys have gone.
  REQUIRE(filter.Erase(std::span(taken).first(taken.size() / 2)).num_refused == 0);
  CHECK(filter.Insert(NonMemberKeys(1000, seed)).num_refused == 0);
  REQUIRE(filter.Erase(NonMemberKeys(1000, seed)).num_refused == 0);
  REQUIRE(filter.Erase(std::span(taken).subspan(taken.size() / 2)).num_refused == 0);
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("filters that cannot be merged say why, and stay as they are",
          "[engine][scalable][doubling]") {
  const auto refusal = [](ScalableFilter filter, const ScalableFilter& other) {
    filter.Insert(MemberKeys(100, 1));
    const std::vector<std::byte> before = filter.Serialize();
    const Status merged = filter.Merge(other);
    CHECK(filter.Serialize() == before);
    return merged.ok() ? std::string() : merged.error().message;
  };
  const ScalableFilter usual = Doubling();
  CHECK_THAT(
      refusal(
          ScalableFilter::Create({.first_capacity = 100, .mode = GrowthMode::kGenerations}).value(),
          usual),
      ContainsSubstring("generations cannot be merged"));
  CHECK_THAT(refusal(Doubling(), ScalableFilter::Create(
                                     {.first_capacity = 100, .mode = GrowthMode::kGenerations})
                                     .value()),
             ContainsSubstring("generations cannot be merged"));
  CHECK_THAT(refusal(Doubling({.first_capacity = 1'000'000}), usual),
             ContainsSubstring("first sizes differ"));
  CHECK_THAT(refusal(Doubling({.digest = {.seed = 7}}), usual),
             ContainsSubstring("digest seed differs"));
  ScalableFilter full = Doubling();
  full.Insert(MemberKeys(250'000, 2));
  CHECK_THAT(refusal(Doubling({.max_capacity = 1}), full), ContainsSubstring("max_capacity"));
}

TEST_CASE("the bytes of a filter that doubles do not depend on how its keys came",
          "[engine][scalable][doubling][files]") {
  const std::vector<uint64_t> keys = MemberKeys(3000, 5);
  ScalableFilter one = Doubling();
  one.Insert(keys);
  one.Insert(keys);
  ScalableFilter other = Doubling();
  for (const size_t idx : RandomOrder(keys.size(), 9)) {
    other.Insert(Key(keys[idx]));
    other.Insert(Key(keys[idx]));
  }
  other.Insert(MemberKeys(400, 6));
  other.Erase(MemberKeys(400, 6));
  CHECK(one.Serialize() == other.Serialize());
}

// A fold that adds two strings up needs an entry of the side table. Of parts that are read from a
// file, folds are tried at any number of entries, 0 among them.
TEST_CASE("a part that could not fold for lack of side memory is as new when it is emptied",
          "[engine][doubling][files]") {
  constexpr uint64_t kLimit = 16'384;  // two entries per part, one of them for steps
  auto filter = ScalableFilter::Create({.mode = GrowthMode::kDoubling,
                                        .digest = {.kind = DigestKind::kCaller},
                                        .side_memory_limit_bytes = kLimit})
                    .value();
  std::mt19937_64 random(1);
  const auto fresh = [&random] { return random() >> 6; };  // all of part 0
  const std::vector<uint64_t> twice = {fresh(), fresh()};
  for (int i = 0; i < 2; ++i) REQUIRE(filter.Insert(Keys::Digests(twice)).num_refused == 0);
  std::vector<uint64_t> others(2'800);
  for (uint64_t& digest : others) digest = fresh();
  REQUIRE(filter.Insert(Keys::Digests(others)).num_refused == 0);
  REQUIRE(filter.GetStats().doubling.num_blocks == 256);
  // These differ in the last bit that is known of them, at 256 blocks.
  const uint64_t first = fresh();
  const std::vector<uint64_t> pair = {first, first ^ (uint64_t{1} << (57 - 22))};
  REQUIRE(filter.Insert(Keys::Digests(pair)).num_refused == 0);
  const auto erase = [&](std::span<const uint64_t> digests) {
    REQUIRE(filter.Erase(Keys::Digests(digests)).num_refused == 0);
  };
  erase(std::span(others).first(800));
  filter = ScalableFilter::Deserialize(filter.Serialize()).value();
  REQUIRE(filter.LimitSideMemory(kLimit).ok());
  erase(std::span(others).subspan(800));
  REQUIRE(filter.GetStats().doubling.num_blocks == 256);  // it could not fold
  erase(twice);
  erase(twice);
  erase(pair);
  CHECK(filter.GetStats().doubling.num_blocks == 0);
  CHECK(ScalableFilter::Deserialize(filter.Serialize()).ok());
  CHECK(filter.Clone().ok());
}

}  // namespace trommel::tests
