// Scalable filters: rates, growth, refusals, statistics, snapshots. Programs of operations:
// scalable_filter_invariants_test.cc. Threads: beside_writers_test.cc.
#include "trommel/scalable_filter.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/statistics.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

uint64_t NumShown(const ScalableFilter& filter, const std::vector<uint64_t>& keys) {
  std::vector<uint64_t> bitmap(BitmapWords(keys.size()));
  return filter.Query(keys, bitmap);
}

}  // namespace

TEST_CASE("a filter grown a thousandfold stays under its target", "[engine][scalable][long]") {
  const Encoding encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  const double target = GENERATE(0.02, 0.001);
  ScalableFilter filter = ScalableFilter::Create({.first_capacity = 300,
                                                  .target_fpr = target,
                                                  .mode = GrowthMode::kGenerations,
                                                  .encoding = encoding})
                              .value();
  const uint64_t seed = Catch::rngSeed();
  const std::vector<uint64_t> keys = MemberKeys(300'000, seed);
  const InsertOutcome outcome = filter.Insert(keys);
  CHECK(outcome == InsertOutcome{.num_inserted = keys.size()});
  CHECK(filter.num_generations() == 10);
  CHECK(NumShown(filter, keys) == keys.size());

  const std::vector<uint64_t> non_members = NonMemberKeys(500'000, seed);
  const uint64_t num_false = NumShown(filter, non_members);
  const ScalableStats stats = filter.GetStats();
  CHECK(stats.predicted_fpr < target);
  const double current_fpr = filter.MeasureFill().current_fpr;
  CHECK(current_fpr < target);
  const RateBound bound = BinomialBound(current_fpr, non_members.size());
  INFO(bound << ", measured " << num_false);
  CHECK(bound.ContainsHits(num_false));
  CHECK(stats.num_keys == keys.size());
  uint64_t num_keys = 0;
  for (const GenerationStats& generation : stats.generations) {
    // Full, or the newest: with keys on top that it showed when they came.
    CHECK(generation.stats.predicted_fpr <= generation.budget_fpr);
    CHECK(generation.stats.num_keys >= generation.load);
    CHECK(generation.load <= generation.capacity);
    num_keys += generation.stats.num_keys;
  }
  CHECK(num_keys == keys.size());
}

TEST_CASE("a generation of fingerprints keeps its budget, however often keys are in",
          "[engine][scalable][long]") {
  constexpr size_t kKeys = 70'000;
  constexpr size_t kQueries = 400'000;
  const Encoding encoding = GENERATE(Encoding::kDense, Encoding::kFingerprints16);
  const uint64_t num_copies = GENERATE(uint64_t{1}, 2, 4);
  Result<ScalableFilter> filter = ScalableFilter::Create({.first_capacity = kKeys,
                                                          .target_fpr = 0.01,
                                                          .mode = GrowthMode::kGenerations,
                                                          .encoding = encoding});
  REQUIRE(filter.ok());
  const std::vector<uint64_t> keys = MemberKeys(kKeys, 1);
  for (uint64_t copy = 0; copy < num_copies; ++copy) {
    // Each key once or twice in turn: blocks of mixed counts.
    const size_t num_keys = copy % 2 == 0 ? kKeys : kKeys / 2;
    REQUIRE(filter->Insert(std::span(keys).first(num_keys)).num_refused == 0);
  }
  REQUIRE(filter->num_generations() == 1);
  const GenerationStats stats = filter->GetStats().generations[0];
  std::vector<uint64_t> bitmap(BitmapWords(kQueries));
  const size_t num_present = filter->Query(NonMemberKeys(kQueries, 2), bitmap);
  INFO(EncodingName(encoding) << ", " << num_copies << " copies, undecided "
                              << stats.stats.undecided_share);
  CHECK(num_present <= static_cast<size_t>(BinomialBound(stats.budget_fpr, kQueries).high() *
                                           static_cast<double>(kQueries)));
}

TEST_CASE("growth ends at the largest capacity, and says so", "[engine][scalable]") {
  ScalableFilter filter =
      ScalableFilter::Create(
          {.first_capacity = 1000, .mode = GrowthMode::kGenerations, .max_capacity = 3000})
          .value();
  CHECK(filter.largest_capacity() == 3000);
  const std::vector<uint64_t> keys = MemberKeys(10'000, Catch::rngSeed());
  std::vector<uint64_t> inserted(BitmapWords(keys.size()));
  const InsertOutcome outcome = filter.Insert(keys, inserted);
  CHECK(outcome.refusal == GrowthRefusal::kLargestCapacity);
  CHECK(outcome.num_inserted + outcome.num_refused == keys.size());
  CHECK(outcome.num_refused > 6900);  // some keys look present and need no room
  for (size_t i = 0; i < 3000; ++i) REQUIRE(BitAt(inserted, i));
  CHECK(filter.num_keys() == outcome.num_inserted);
  CHECK(filter.GetStats().num_refused_inserts == outcome.num_refused);
  CHECK_THAT(std::string(GrowthRefusalText(outcome.refusal)), ContainsSubstring("largest"));

  // There is room again when keys have gone from the newest generation.
  const std::vector<uint64_t> non_members = NonMemberKeys(200, Catch::rngSeed());
  std::vector<uint64_t> news(BitmapWords(non_members.size()));
  const InsertOutcome full = filter.InsertIfAbsent(non_members, news);
  CHECK(full.num_inserted == 0);
  CHECK(full.num_refused > 150);
  REQUIRE(filter.Erase(std::span(keys).subspan(2000, 1000)).num_refused == 0);
  const InsertOutcome second = filter.InsertIfAbsent(non_members, news);
  CHECK(second.num_inserted > 150);
  CHECK(second.num_refused == 0);
}

TEST_CASE("a memory limit refuses growth and keeps what is in", "[engine][scalable]") {
  constexpr uint64_t kLimit = 200'000;
  ScalableFilter filter =
      ScalableFilter::Create(
          {.first_capacity = 1000, .mode = GrowthMode::kGenerations, .memory_limit_bytes = kLimit})
          .value();
  const std::vector<uint64_t> keys = MemberKeys(500'000, Catch::rngSeed());
  std::vector<uint64_t> inserted(BitmapWords(keys.size()));
  const InsertOutcome outcome = filter.Insert(keys, inserted);
  CHECK(outcome.refusal == GrowthRefusal::kMemoryLimit);
  CHECK(filter.GetStats().num_bytes <= kLimit);
  std::vector<uint64_t> shown(BitmapWords(keys.size()));
  filter.Query(keys, shown);
  for (size_t w = 0; w < shown.size(); ++w) REQUIRE((inserted[w] & ~shown[w]) == 0);
  CHECK(outcome.num_inserted > 30'000);
}

TEST_CASE("duplicates take no room", "[engine][scalable]") {
  ScalableFilter filter =
      ScalableFilter::Create({.first_capacity = 100, .mode = GrowthMode::kGenerations}).value();
  for (int i = 0; i < 50; ++i) filter.Insert(MemberKeys(90, 1));
  CHECK(filter.num_generations() == 1);
  CHECK(filter.num_keys() == 4500);
  CHECK(filter.CountEstimate(MemberKeys(1, 1)[0]) == 50);
}

TEST_CASE("churn at a constant size needs no new budgets", "[engine][scalable]") {
  ScalableFilter filter =
      ScalableFilter::Create(
          {.first_capacity = 1000, .mode = GrowthMode::kGenerations, .max_capacity = 20'000})
          .value();
  const uint64_t seed = Catch::rngSeed();
  constexpr size_t kLive = 3000;
  filter.Insert(MemberKeys(kLive, seed));
  for (uint64_t i = 0; i < 60; ++i) {  // sixty times its size comes and goes, first in first out
    REQUIRE(filter.Insert(MemberKeys(kLive, seed, (i + 1) * kLive)).num_refused == 0);
    REQUIRE(filter.Erase(MemberKeys(kLive, seed, i * kLive)).num_refused == 0);
    REQUIRE(filter.num_keys() == kLive);
  }
  CHECK(filter.GetStats().predicted_fpr < 0.01);
}

TEST_CASE("a new generation reserves in proportion to its blocks, or does not begin",
          "[engine][scalable][side_limit]") {
  ScalableConfig config{.first_capacity = 3000,
                        .mode = GrowthMode::kGenerations,
                        .encoding = Encoding::kRuns,
                        .side_memory_limit_bytes = 200'000};
  ScalableFilter filter = ScalableFilter::Create(config).value();
  const uint64_t first_bytes = filter.GetStats().generations[0].stats.side_table_bytes;
  CHECK(first_bytes <= 200'000);
  CHECK(first_bytes > 150'000);
  const std::vector<uint64_t> keys = MemberKeys(8000, Catch::rngSeed());
  filter.Insert(keys);
  const ScalableStats stats = filter.GetStats();
  REQUIRE(stats.generations.size() == 2);
  const double ratio = static_cast<double>(stats.generations[1].geometry.num_bytes()) /
                       static_cast<double>(stats.generations[0].geometry.num_bytes());
  CHECK(static_cast<double>(stats.generations[1].stats.side_table_bytes) <= 200'000 * ratio);
  CHECK(static_cast<double>(stats.generations[1].stats.side_table_bytes) >= 150'000 * ratio);

  // A limit on all bytes that has space for the second generation's blocks, and not for what it
  // reserves: keys are refused, and no memory is taken for each of them.
  config.memory_limit_bytes = stats.num_bytes - 100'000;
  ScalableFilter scarce = ScalableFilter::Create(config).value();
  const InsertOutcome outcome = scarce.Insert(keys);
  CHECK(scarce.num_generations() == 1);
  CHECK(outcome.num_inserted >= 3000);
  CHECK(outcome.refusal == GrowthRefusal::kMemoryLimit);
  uint64_t num_bytes = 0;
  {
    const AllocationPeak peak;
    scarce.Insert(std::span(keys).last(10));
    num_bytes = peak.num_bytes();
  }
  CHECK(num_bytes < 20'000);
}

TEST_CASE("a growing filter lets go of its executor", "[engine][scalable][threads]") {
  std::shared_ptr<Executor> executor = Executor::Create(2).value();
  const std::weak_ptr<Executor> watched = executor;
  ScalableFilter filter = ScalableFilter::Create({.first_capacity = 100,
                                                  .mode = GrowthMode::kGenerations,
                                                  .executor = std::move(executor)})
                              .value();
  filter.Insert(MemberKeys(1000, 5));
  filter.UseExecutor(nullptr);
  CHECK(watched.expired());
}

}  // namespace trommel::tests
