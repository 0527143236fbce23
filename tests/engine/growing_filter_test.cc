// Scalable filters that grow: rates over the whole life, growth and shrinking, refusals. What
// every type promises: tests/promises.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/bit_at.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "support/statistics.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

ScalableFilter Doubling(const ScalableConfig& config = {}) {
  return ScalableFilter::Create(config).value();
}

uint64_t NumShown(const ScalableFilter& filter, const std::vector<uint64_t>& keys) {
  std::vector<uint64_t> bitmap(BitmapWords(keys.size()));
  return filter.Query(keys, bitmap);
}

}  // namespace

TEST_CASE("a filter that grows has the rate of its keys at any size, up and down",
          "[engine][scalable][long]") {
  const uint64_t seed = Catch::rngSeed();
  const std::vector<uint64_t> non_members = NonMemberKeys(Scaled(2'000'000), seed);
  for (const double target_fpr : {0.1, 0.01, 1e-3, 1e-4, 1e-5}) {
    constexpr uint64_t kLargest = 400'000;
    ScalableFilter filter = Doubling({.target_fpr = target_fpr, .max_capacity = kLargest});
    uint64_t num_keys = 0;
    for (const uint64_t size : {90'000U, 130'000U, 250'000U, 400'000U, 200'000U, 90'000U}) {
      if (size > num_keys) {
        REQUIRE(filter.Insert(MemberKeys(size - num_keys, seed, num_keys)).num_refused == 0);
      } else {
        REQUIRE(filter.Erase(MemberKeys(num_keys - size, seed, size)).num_refused == 0);
      }
      num_keys = size;
      const uint64_t num_false = NumShown(filter, non_members);
      const RateBound bound =
          BinomialBound(filter.ForecastAt(num_keys).predicted_fpr, non_members.size());
      INFO(target_fpr << ", " << size << " keys: " << bound << ", measured " << num_false);
      CHECK(bound.ContainsHits(num_false));
      // What it says of itself.
      const double measured = filter.MeasureFill().current_fpr;
      CHECK(BinomialBound(measured, non_members.size()).ContainsHits(num_false));
      CHECK(measured <= target_fpr);
      CHECK(filter.GetStats().predicted_fpr == Catch::Approx(measured).epsilon(0.01));
      CHECK(NumShown(filter, MemberKeys(size, seed)) == size);
    }
    CHECK(filter.GetStats().num_refused_inserts == 0);
  }
}

TEST_CASE("a filter takes the memory that its forecast says", "[engine][scalable][long]") {
  const uint64_t seed = Catch::rngSeed();
  for (const double target_fpr : {0.1, 0.01, 1e-4}) {
    ScalableFilter filter = Doubling({.target_fpr = target_fpr, .max_capacity = 100'000'000});
    uint64_t num_keys = 0;
    double least = 10;
    double most = 0;
    double sum = 0;
    int num_sizes = 0;
    for (uint64_t size = 80'000; size <= 2'000'000; size += size / 5) {
      filter.Insert(MemberKeys(size - num_keys, seed, num_keys));
      num_keys = size;
      const auto num_bytes = static_cast<double>(filter.GetStats().num_bytes);
      const double ratio = num_bytes / static_cast<double>(filter.ForecastAt(size).num_bytes);
      least = std::min(least, ratio);
      most = std::max(most, ratio);
      sum += ratio;
      num_sizes += 1;
    }
    INFO(target_fpr << ": " << least << " to " << most << ", mean " << sum / num_sizes);
    CHECK(least >= 0.7);
    CHECK(most <= 1.5);
    CHECK(sum / num_sizes == Catch::Approx(1).margin(0.1));
  }
}

TEST_CASE("a filter's forecast holds while some shards keep digests and others blocks",
          "[engine][scalable]") {
  const uint64_t seed = Catch::rngSeed();
  ScalableFilter filter = Doubling({.max_capacity = 60'000});
  uint64_t num_keys = 0;
  for (uint64_t size = 46'000; size <= 58'000; size += 3'000) {
    filter.Insert(MemberKeys(size - num_keys, seed, num_keys));
    num_keys = size;
    CAPTURE(size);
    const GrowthForecast forecast = filter.ForecastAt(size);
    CHECK(filter.MeasureFill().current_fpr == Catch::Approx(forecast.predicted_fpr).margin(0.0015));
    CHECK(static_cast<double>(filter.GetStats().num_bytes) ==
          Catch::Approx(static_cast<double>(forecast.num_bytes)).epsilon(0.15));
  }
}

TEST_CASE("where a limit refuses larger tables of digests, shards have blocks, which take less",
          "[engine][scalable]") {
  ScalableFilter filter = Doubling({.memory_limit_bytes = 300'000});
  const std::vector<uint64_t> keys = MemberKeys(80'000, Catch::rngSeed());
  for (const auto some : {std::span(keys).first(40'000), std::span(keys).last(40'000)}) {
    CHECK(filter.Insert(some).num_refused < 1'000);  // until they are tried again
  }
  CHECK(filter.GetStats().num_small_parts == 0);
  CHECK(filter.GetStats().num_refused_steps > 0);
  CHECK(filter.GetStats().num_bytes <= 300'000);
}

TEST_CASE("a filter that may not grow further fills up, refuses keys by name, and loses none",
          "[engine][scalable][long]") {
  const bool is_by_memory = GENERATE(false, true);
  ScalableFilter filter = is_by_memory ? Doubling({.memory_limit_bytes = 1'000'000})
                                       : Doubling({.max_capacity = 100'000});
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
  CHECK((filter.GetStats().num_refused_steps > 0) == is_by_memory);
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

TEST_CASE("filters that cannot be merged say why, and stay as they are", "[engine][scalable]") {
  const auto refusal = [](ScalableFilter filter, const ScalableFilter& other) {
    filter.Insert(MemberKeys(100, 1));
    const std::vector<std::byte> before = filter.Serialize();
    const Status merged = filter.Merge(other);
    if (!merged.ok()) CHECK(filter.Serialize() == before);
    return merged.ok() ? std::string() : merged.error().message;
  };
  const ScalableFilter usual = Doubling();
  CHECK_THAT(refusal(Doubling({.target_fpr = 0.001}), usual),
             ContainsSubstring("keep 40 and 37 bits of a key's digest"));
  CHECK(refusal(Doubling({.first_capacity = 1'000'000}), usual).empty());
  CHECK_THAT(refusal(Doubling({.digest = {.seed = 7}}), usual),
             ContainsSubstring("digest seed differs"));
  ScalableFilter full = Doubling();
  full.Insert(MemberKeys(250'000, 2));
  CHECK_THAT(refusal(Doubling({.max_capacity = 1}), full), ContainsSubstring("max_capacity"));
}

TEST_CASE("a filter that could not have its blocks is cleared of the digests that it has",
          "[engine][scalable]") {
  const std::vector<std::byte> empty =
      ScalableFilter::Create({.first_capacity = 1'000'000})->Serialize();
  Result<ScalableFilter> filter = ScalableFilter::Deserialize(empty, 100'000);
  REQUIRE(filter.ok());
  REQUIRE(filter->Insert(uint64_t{42}));
  filter->Clear();
  CHECK(filter->num_keys() == 0);
  CHECK_FALSE(filter->MayContain(uint64_t{42}));
  CHECK_FALSE(filter->Erase(uint64_t{42}));
  CHECK(filter->Insert(uint64_t{42}));
}

TEST_CASE("a growing filter lets go of its executor", "[engine][scalable][threads]") {
  std::shared_ptr<Executor> executor = Executor::Create(2).value();
  const std::weak_ptr<Executor> watched = executor;
  ScalableFilter filter = Doubling({.executor = std::move(executor)});
  filter.Insert(MemberKeys(100'000, 5));
  filter.UseExecutor(nullptr);
  CHECK(watched.expired());
}

}  // namespace trommel::tests
