// Identical generations in the terms of the published scheme: positions, and a limit on the rate.
#include "engine/src/scalable/identical_limits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/src/scalable/growth_slot.h"
#include "support/catch.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/statistics.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

ScalableConfig Identical() {
  return {.first_capacity = 1000,
          .target_fpr = 0.02,
          .mode = GrowthMode::kIdentical,
          .encoding = Encoding::kPlanes};
}

ScalableFilter Limited(double largest_fpr) {
  ScalableConfig config = Identical();
  config.largest_fpr = largest_fpr;
  return ScalableFilter::Create(config).value();
}

std::string RefusalToMake(const ScalableConfig& config) {
  const Result<ScalableFilter> filter = ScalableFilter::Create(config);
  return filter.ok() ? "" : filter.error().message;
}

// The chance that one of d generations shows a non-member, one generation after the other.
double AnyOf(double generation_fpr, uint64_t num_generations) {
  double fpr = 0;
  for (uint64_t i = 0; i < num_generations; ++i) fpr += (1 - fpr) * generation_fpr;
  return fpr;
}

// Inserts the keys; returns how many were refused for want of a further generation.
uint64_t NumRefused(ScalableFilter& filter, std::span<const uint64_t> keys) {
  const InsertOutcome outcome = filter.Insert(keys);
  if (outcome.num_refused > 0) CHECK(outcome.refusal == GrowthRefusal::kLargestCapacity);
  CHECK(outcome.num_inserted + outcome.num_refused == keys.size());
  return outcome.num_refused;
}

}  // namespace

TEST_CASE("the rate of d generations is that of any of d independent answers",
          "[engine][scalable][growth]") {
  for (const double generation_fpr : {3e-5, 0.006, 0.3}) {
    CHECK(FprOfGenerations(generation_fpr, 0) == 0);
    for (const uint64_t d : {1, 2, 7, 250}) {
      CHECK(FprOfGenerations(generation_fpr, d) == Approx(AnyOf(generation_fpr, d)).epsilon(1e-10));
    }
  }
}

TEST_CASE("a limit on the rate allows the most generations that stay below it",
          "[engine][scalable][growth]") {
  for (const double generation_fpr : {3e-5, 0.006, 0.3}) {
    for (const double largest_fpr : {1e-5, 0.004, 0.05, 0.5}) {
      uint64_t most = 0;
      double fpr = generation_fpr;  // of one more
      for (; fpr <= largest_fpr; ++most) fpr += (1 - fpr) * generation_fpr;
      CHECK(MostGenerations(generation_fpr, largest_fpr) == most);
    }
  }
  for (const double generation_fpr : {3e-5, 0.006, 0.02}) {
    for (uint64_t d = 1; d <= 250; ++d) {  // rounding costs no generation
      REQUIRE(MostGenerations(generation_fpr, FprOfGenerations(generation_fpr, d)) == d);
    }
  }
}

TEST_CASE("a rate next to nothing allows more generations than any filter has",
          "[engine][scalable][growth]") {
  CHECK(MostGenerations(1e-24, 0.5) > ScalableFilter::kMaxGenerations);
  CHECK(MostGenerations(0, 0.5) > ScalableFilter::kMaxGenerations);
}

TEST_CASE("the rate at capacity allows for keys that looked present when they came",
          "[engine][scalable][growth][long]") {
  ScalableConfig config = Identical();
  config.first_capacity = GENERATE(uint64_t{1}, 20'000);
  const GrowthSlot slot = IdenticalSlot(config).value();
  // Key by key: so many keys come for each that takes room.
  double num_keys = 0;
  for (uint64_t i = 0; i < slot.capacity; ++i) {
    num_keys += 1 / (1 - PredictedFpr(slot.geometry, static_cast<uint64_t>(num_keys)));
  }
  const double fpr = FprAtCapacity(slot);
  CHECK(fpr == Approx(PredictedFpr(slot.geometry, static_cast<uint64_t>(std::llround(num_keys))))
                   .epsilon(0.01));
  CHECK(fpr > PredictedFpr(slot.geometry, slot.capacity));
}

TEST_CASE("a filter that is as full as its limit allows has the rate of the limit",
          "[engine][scalable][long]") {
  ScalableConfig config = Identical();
  config.first_capacity = 300'000;
  config.encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  const double each = FprAtCapacity(IdenticalSlot(config).value());
  config.largest_fpr = FprOfGenerations(each, 4);
  ScalableFilter filter = ScalableFilter::Create(config).value();
  REQUIRE(filter.max_generations() == 4);
  CHECK(filter.largest_fpr() == config.largest_fpr);
  const uint64_t seed = Catch::rngSeed();
  REQUIRE(NumRefused(filter, MemberKeys(5 * filter.largest_capacity() / 4, seed)) > 0);
  const std::vector<uint64_t> non_members = NonMemberKeys(1'000'000, seed);
  std::vector<uint64_t> bitmap(BitmapWords(non_members.size()));
  CHECK(BinomialBound(config.largest_fpr, non_members.size())
            .ContainsHits(filter.Query(non_members, bitmap)));
}

TEST_CASE("a filter refuses the generation that would exceed its largest rate",
          "[engine][scalable]") {
  ScalableFilter filter = Limited(0.03);
  const double generation_fpr = filter.generation_fpr();
  const auto num_generations =
      static_cast<uint64_t>(std::log(1 - 0.03) / std::log(1 - generation_fpr));
  REQUIRE(num_generations > 2);
  CHECK(filter.max_generations() == num_generations);
  CHECK(filter.largest_fpr() <= 0.03);
  CHECK(filter.largest_fpr() == Approx(AnyOf(generation_fpr, num_generations)));
  CHECK(AnyOf(generation_fpr, num_generations + 1) > 0.03);
  const GenerationStats first = filter.GetStats().generations.front();
  CHECK(filter.largest_capacity() == num_generations * first.capacity);

  // One generation after the other; no rate that is measured exceeds the limit.
  const uint64_t seed = Catch::rngSeed();
  const std::vector<uint64_t> keys = MemberKeys(filter.largest_capacity() * 2, seed);
  const std::vector<uint64_t> non_members = NonMemberKeys(400'000, seed);
  const double mean = 0.03 * static_cast<double>(non_members.size());
  const double highest = mean + 6 * std::sqrt(mean * (1 - 0.03));
  std::vector<uint64_t> bitmap(BitmapWords(non_members.size()));
  uint64_t num_refused = 0;
  for (size_t first_key = 0; first_key < keys.size(); first_key += first.capacity) {
    const size_t num_keys = std::min<size_t>(first.capacity, keys.size() - first_key);
    num_refused += NumRefused(filter, std::span(keys).subspan(first_key, num_keys));
    CHECK(filter.num_generations() <= num_generations);
    CHECK(static_cast<double>(filter.Query(non_members, bitmap)) <= highest);
  }
  CHECK(num_refused > 0);
  CHECK(filter.num_generations() == num_generations);
  CHECK(filter.NextGenerationBytes() == 0);
  // All of them are full: the rate is the formula's.
  CHECK(BinomialBound(filter.MeasureFill().current_fpr, non_members.size())
            .ContainsHits(filter.Query(non_members, bitmap)));
  CHECK(filter.MeasureFill().current_fpr == Approx(filter.largest_fpr()).epsilon(0.1));
}

TEST_CASE("a generation that was emptied makes room for another below the same rate",
          "[engine][scalable]") {
  ScalableFilter filter = Limited(0.02);
  const size_t most = filter.max_generations();
  REQUIRE(most > 1);
  const uint64_t capacity = filter.GetStats().generations.front().capacity;
  const std::vector<uint64_t> keys = MemberKeys(capacity * (most + 2), Catch::rngSeed());
  std::vector<uint64_t> inserted(BitmapWords(keys.size()));
  REQUIRE(filter.Insert(keys, inserted).num_refused > 0);
  REQUIRE(filter.num_generations() == most);
  // Oldest first: a generation is empty when the last key that it showed has gone.
  for (size_t i = 0; i < keys.size() && filter.num_generations() == most; ++i) {
    if (BitAt(inserted, i)) REQUIRE(filter.Erase(keys[i]));
  }
  CHECK(filter.num_generations() < most);
  CHECK(filter.NextGenerationBytes() > 0);
  const std::vector<uint64_t> news = NonMemberKeys(capacity * most, Catch::rngSeed());
  CHECK(NumRefused(filter, news) > 0);
  CHECK(filter.num_generations() == most);
}

TEST_CASE("a filter that was saved keeps the limit on its rate",
          "[engine][scalable][snapshot][long]") {
  const double largest_fpr = GENERATE(0.007, 0.03, 0.5);
  ScalableFilter filter = Limited(largest_fpr);
  filter.Insert(MemberKeys(100, 1));
  const std::vector<std::byte> bytes = filter.Serialize();
  ScalableFilter loaded = ScalableFilter::Deserialize(bytes).value();
  CHECK(loaded.max_generations() == filter.max_generations());
  CHECK(loaded.generation_fpr() == filter.generation_fpr());
  CHECK(loaded.largest_fpr() == filter.largest_fpr());
  CHECK(loaded.Serialize() == bytes);
  const std::vector<uint64_t> keys = MemberKeys(2 * filter.largest_capacity() + 5000, 1);
  CHECK(NumRefused(loaded, keys) == NumRefused(filter, keys));
  CHECK(loaded.num_generations() == filter.max_generations());
  // A limit that is asked for again is the same.
  CHECK(Limited(filter.largest_fpr()).max_generations() == filter.max_generations());
}

TEST_CASE("a generation has the positions asked for, in as many slices as its rate needs",
          "[engine][scalable]") {
  const uint64_t num_positions = GENERATE(uint64_t{1}, 368'640, 50'000'000);
  const auto [encoding, target_fpr, num_slices] =
      GENERATE(std::tuple(Encoding::kPlanes, 0.02, 8), std::tuple(Encoding::kPlanes, 1e-3, 16),
               std::tuple(Encoding::kRuns, 0.02, 8));
  ScalableConfig config = Identical();
  config.first_capacity = 0;
  config.num_positions = num_positions;
  config.target_fpr = target_fpr;
  config.encoding = encoding;
  const ScalableFilter filter = ScalableFilter::Create(config).value();
  const GenerationStats first = filter.GetStats().generations.front();
  CHECK(first.geometry.num_slices == static_cast<uint32_t>(num_slices));
  CHECK(first.geometry.num_positions() >= num_positions);
  // Rounded up to blocks in 64 parts, or as many as there are shards.
  const uint64_t unit = uint64_t{1} << first.geometry.shard_bits;
  CHECK(first.geometry.num_blocks < num_positions / (32 * num_slices) + 1 + unit);
  // n = M ln 2 / k.
  const double most_keys =
      static_cast<double>(first.geometry.num_positions()) * std::log(2) / num_slices;
  CHECK(first.capacity == Approx(most_keys).epsilon(1e-3));
  CHECK(filter.first_capacity() == first.capacity);
  CHECK(filter.generation_fpr() <= target_fpr);
  // The capacity that was found makes the same generations.
  config.num_positions = 0;
  config.first_capacity = filter.first_capacity();
  CHECK(ScalableFilter::Create(config).value().GetStats().generations.front().geometry ==
        first.geometry);
  const ScalableFilter loaded = ScalableFilter::Deserialize(filter.Serialize()).value();
  CHECK(loaded.first_capacity() == filter.first_capacity());
  CHECK(loaded.largest_capacity() == filter.largest_capacity());
}

TEST_CASE("a limit beyond what any filter has ends where any filter ends", "[engine][scalable]") {
  CHECK(Limited(0.999).max_generations() == ScalableFilter::kMaxGenerations);
  ScalableConfig config = Identical();
  config.first_capacity = uint64_t{1} << 35;
  config.largest_fpr = 0.5;
  const ScalableConfig resolved = Resolved(config).value();
  CHECK(resolved.max_capacity == kMaxCapacity);
  CHECK(resolved.largest_fpr == 0);
}

TEST_CASE("numbers of identical generations that contradict each other are refused by name",
          "[engine][scalable]") {
  const auto with = [](auto edit) {
    ScalableConfig config = Identical();
    edit(config);
    return RefusalToMake(config);
  };
  CHECK_THAT(with([](auto& c) { c.num_positions = 7; }),
             ContainsSubstring("first_capacity is 1000 and num_positions 7; exactly one"));
  CHECK_THAT(with([](auto& c) { c.first_capacity = 0; }),
             ContainsSubstring("first_capacity is 0 and num_positions 0; exactly one"));
  const auto with_positions = [&](uint64_t num_positions, auto edit) {
    return with([&](auto& c) {
      c.first_capacity = 0;
      c.num_positions = num_positions;
      edit(c);
    });
  };
  CHECK_THAT(with_positions(~uint64_t{0}, [](auto&) {}), ContainsSubstring("num_positions is 184"));
  CHECK_THAT(with_positions(5000, [](auto& c) { c.num_slices = 5; }),
             ContainsSubstring("num_slices is 5"));
  CHECK_THAT(with_positions(5000, [](auto& c) { c.target_fpr = 2e-6; }),
             ContainsSubstring("target_fpr is 2e-06") && ContainsSubstring("at best"));
  CHECK_THAT(with_positions(5000, [](auto& c) { c.mode = GrowthMode::kGenerations; }),
             ContainsSubstring("num_positions is 5000"));

  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(with([&](auto& c) { c.largest_fpr = nan; }), ContainsSubstring("largest_fpr is nan"));
  CHECK_THAT(with([](auto& c) { c.largest_fpr = -0.1; }), ContainsSubstring("largest_fpr is -0.1"));
  CHECK_THAT(with([](auto& c) { c.largest_fpr = 1; }), ContainsSubstring("largest_fpr is 1"));
  const Result<GrowthSlot> slot = FirstSlot(Identical());
  REQUIRE(slot.ok());
  const double generation_fpr = FprAtCapacity(*slot);
  const std::string refusal = with([](auto& c) { c.largest_fpr = 0.001; });
  CHECK_THAT(refusal, ContainsSubstring("largest_fpr is 0.001"));
  const double named = std::stod(refusal.substr(refusal.find("at least ") + 9));
  CHECK(named == generation_fpr);
  CHECK(with([&](auto& c) { c.largest_fpr = generation_fpr; }).empty());
  CHECK_THAT(with([&](auto& c) { c.largest_fpr = generation_fpr * (1 - 1e-9); }),
             ContainsSubstring("at least"));
  CHECK_THAT(with([](auto& c) {
               c.largest_fpr = 0.02;
               c.max_capacity = 1'000'000;
             }),
             ContainsSubstring("max_capacity is 1000000") && ContainsSubstring("largest_fpr 0.02"));
  CHECK_THAT(with([](auto& c) {
               c.mode = GrowthMode::kGenerations;
               c.largest_fpr = 0.5;
             }),
             ContainsSubstring("largest_fpr is 0.5"));
}

TEST_CASE("both limits hold, the lower one first", "[engine][scalable]") {
  ScalableConfig config = Identical();
  config.largest_fpr = 0.05;
  config.max_capacity = 2000;
  const ScalableFilter filter = ScalableFilter::Create(config).value();
  CHECK(filter.max_generations() == 2);
  CHECK(filter.largest_fpr() == Approx(AnyOf(filter.generation_fpr(), 2)));
}

TEST_CASE("a tightening filter's largest rate is its target", "[engine][scalable]") {
  const ScalableFilter filter =
      ScalableFilter::Create(
          {.first_capacity = 1000, .mode = GrowthMode::kGenerations, .max_capacity = 7000})
          .value();
  CHECK(filter.largest_fpr() == 0.01);
  CHECK(filter.generation_fpr() == Approx(0.002));
  CHECK(filter.max_generations() == 3);
}

}  // namespace trommel::tests
