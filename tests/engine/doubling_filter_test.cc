// Scalable filters that double: rates over the whole life, exactness, growth and shrinking,
// refusals, merging. Snapshots: doubling_snapshot_test.cc. Threads: doubling_threads_test.cc.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/src/scalable/doubling_plan.h"
#include "support/catch.h"
#include "support/doubling_program.h"
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

TEST_CASE("a filter that doubles loses no key, and ends as it began",
          "[engine][scalable][doubling][long]") {
  const uint64_t seed = Catch::rngSeed();
  uint64_t num_grown = 0;
  for (uint64_t i = 0; i < Scaled(24); ++i) {
    INFO("seed " << seed + i);
    const auto difference = [&num_grown](const DoublingProgram& program) {
      return FirstFault(program, nullptr, num_grown);
    };
    if (!CheckInvariant(RandomDoublingProgram(seed + i), difference)) return;
  }
  CHECK(num_grown > 0);  // else nothing was tested
}

TEST_CASE("one caller leaves the same bytes whatever the threads and the split of its batches",
          "[engine][scalable][doubling][threads]") {
  const std::shared_ptr<Executor> executor = Executor::Create(3).value();
  const uint64_t seed = Catch::rngSeed();
  const std::vector<uint64_t> keys = MemberKeys(400'000, seed);
  const auto run = [&](size_t batch, std::shared_ptr<Executor> threads) {
    ScalableFilter filter = Doubling({.executor = std::move(threads)});
    std::vector<uint64_t> bits(BitmapWords(batch));
    const auto each = [&](size_t first, size_t count, const auto& update) {
      for (size_t at = first; at < first + count; at += batch) {
        update(std::span(keys).subspan(at, std::min(batch, first + count - at)));
      }
    };
    const auto bits_for = [&](std::span<const uint64_t> some) {
      return std::span(bits).first(BitmapWords(some.size()));
    };
    each(0, 400'000, [&](std::span<const uint64_t> some) { filter.Insert(some); });
    each(0, 100'000, [&](std::span<const uint64_t> some) { filter.Insert(some, bits_for(some)); });
    each(0, 250'000, [&](std::span<const uint64_t> some) { filter.Erase(some); });
    each(0, 50'000,
         [&](std::span<const uint64_t> some) { filter.InsertIfAbsent(some, bits_for(some)); });
    each(100'000, 280'000, [&](std::span<const uint64_t> some) { filter.Erase(some); });
    return filter.Serialize();
  };
  const std::vector<std::byte> whole = run(400'000, nullptr);
  CHECK(run(1000, nullptr) == whole);
  CHECK(run(2049, nullptr) == whole);
  CHECK(run(400'000, executor) == whole);
  CHECK(run(50'000, executor) == whole);
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

TEST_CASE("batches of every size and kind of key find their way in a filter that doubles",
          "[engine][scalable][doubling]") {
  ScalableFilter filter = Doubling();
  const size_t size = GENERATE(size_t{0}, 1, 63, 64, 65, 2047, 2048, 2049, 5000);
  const std::vector<std::string> keys = MemberStrings(size, Catch::rngSeed());
  std::vector<uint64_t> bitmap(BitmapWords(size), ~uint64_t{0});
  CHECK(filter.Insert(keys, bitmap).num_inserted == size);
  for (size_t i = 0; i < size; ++i) REQUIRE(BitAt(bitmap, i));
  CHECK(filter.InsertIfAbsent(keys, bitmap).num_inserted == 0);
  CHECK(filter.Query(keys, bitmap) == size);
  std::vector<uint32_t> selection(size);
  CHECK(filter.Select(keys, Answer::kMaybePresent, selection) == size);
  CHECK(filter.Select(keys, Answer::kAbsent, selection) == 0);
  for (const std::string& key : keys) REQUIRE(filter.MayContain(key));
  CHECK(filter.Erase(keys, bitmap) == EraseOutcome{.num_erased = size});
  CHECK(filter.Erase(keys, bitmap).num_refused == size);
  CHECK(filter.GetStats().num_refused_erases == size);
  CHECK(filter.num_keys() == 0);
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

TEST_CASE("filters that double merge, whatever their sizes, and part again exactly",
          "[engine][scalable][doubling][long]") {
  const uint64_t seed = Catch::rngSeed();
  const size_t num_here = GENERATE(size_t{0}, 1000, 150'000, 500'000);
  const size_t num_there = GENERATE(size_t{50}, 90'000, Scaled(600'000));
  ScalableFilter filter = Doubling();
  ScalableFilter other = Doubling();
  const std::vector<uint64_t> here = MemberKeys(num_here, seed);
  std::vector<uint64_t> there = MemberKeys(num_there, seed, num_here);
  // Some keys are in both, and some many times.
  for (size_t i = 0; i < std::min<size_t>(num_here, 40); ++i) there.push_back(here[i]);
  for (size_t i = 0; i < 200; ++i) there.push_back(there[i % 20]);
  filter.Insert(here);
  other.Insert(there);
  const std::vector<std::byte> other_before = other.Serialize();
  REQUIRE(filter.Merge(other).ok());
  CHECK(other.Serialize() == other_before);
  CHECK(filter.num_keys() == here.size() + there.size());
  std::vector<uint64_t> bitmap(BitmapWords(here.size()));
  CHECK(filter.Query(here, bitmap) == here.size());
  bitmap.resize(BitmapWords(there.size()));
  CHECK(filter.Query(there, bitmap) == there.size());
  CHECK(filter.CountEstimate(there[0]) >= 11);
  REQUIRE(filter.Erase(there).num_refused == 0);
  bitmap.resize(BitmapWords(here.size()));
  CHECK(filter.Query(here, bitmap) == here.size());
  REQUIRE(filter.Erase(here).num_refused == 0);
  CHECK(filter.Serialize() == Doubling().Serialize());
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

TEST_CASE("a filter that doubles is as new after Clear, and keeps its first size",
          "[engine][scalable][doubling][long]") {
  const uint64_t first = GENERATE(uint64_t{0}, uint64_t{500'000});
  ScalableFilter filter = Doubling({.first_capacity = first});
  const std::vector<std::byte> as_new = filter.Serialize();
  const uint64_t least_bytes = filter.GetStats().num_bytes;
  const std::vector<uint64_t> keys = MemberKeys(900'000, Catch::rngSeed());
  filter.Insert(keys);
  const uint64_t most_bytes = filter.GetStats().num_bytes;
  CHECK(most_bytes > least_bytes);
  filter.Clear();
  CHECK(filter.num_keys() == 0);
  CHECK(filter.Serialize() == as_new);
  filter.Insert(keys);
  REQUIRE(filter.Erase(keys).num_refused == 0);
  CHECK(filter.Serialize() == as_new);
  CHECK(filter.GetStats().doubling.num_entries == 0);
}

}  // namespace trommel::tests
