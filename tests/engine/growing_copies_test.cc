// Filters that grow with keys that are in more than once: rate, size and capacity are those of
// the distinct keys. (What a store holds: growing_store_test.cc.)
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "support/statistics.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

ScalableFilter GrowingOfCopies(const ScalableConfig& config = {}) {
  return ScalableFilter::Create(config).value();
}

void InsertEach(ScalableFilter& filter, std::span<const uint64_t> keys, size_t num_copies) {
  for (size_t c = 0; c < num_copies; ++c) REQUIRE(filter.Insert(keys).num_refused == 0);
}

uint64_t NumFalse(const ScalableFilter& filter, std::span<const uint64_t> non_members) {
  std::vector<uint64_t> bits(BitmapWords(non_members.size()));
  return filter.Query(non_members, bits);
}

// The same values and rate, whatever the counts, but for keys whose bins have hidden ones.
void CheckSameRate(const ScalableFilter& filter, const ScalableFilter& once,
                   std::span<const uint64_t> non_members) {
  const double rate = filter.MeasureFill().current_fpr;
  const double undecided = filter.GetStats().undecided_share;
  CHECK(undecided < 0.001);
  const double of_values = rate - undecided;
  CHECK(of_values == Catch::Approx(once.MeasureFill().current_fpr).epsilon(0.001));
  CHECK(BinomialBound(rate, non_members.size()).ContainsHits(NumFalse(filter, non_members)));
  CHECK(rate <= filter.target_fpr());
}

// The first num_keys keys in so many events, the more often the earlier: as words in a text.
std::vector<uint64_t> EventsOf(std::span<const uint64_t> keys, size_t num_events, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, std::log(static_cast<double>(keys.size())));
  std::vector<uint64_t> events(num_events);
  for (uint64_t& event : events) event = keys[static_cast<size_t>(std::exp(uniform(random))) - 1];
  return events;
}

}  // namespace

TEST_CASE("the rate is that of the distinct keys, however often each is in",
          "[engine][scalable][copies][long]") {
  const uint64_t seed = Catch::rngSeed();
  const std::vector<uint64_t> keys = MemberKeys(100'000, seed);
  const std::vector<uint64_t> non_members = NonMemberKeys(Scaled(1'000'000), seed);
  const std::span<const uint64_t> all(keys);
  const ScalableConfig config{.max_capacity = 200'000};
  ScalableFilter once = GrowingOfCopies(config);
  InsertEach(once, all, 1);
  for (const size_t num_copies : {2, 20}) {
    INFO(num_copies << " copies");
    // One round after the other; and copies while it grows, at each of its sizes.
    ScalableFilter by_rounds = GrowingOfCopies(config);
    InsertEach(by_rounds, all, num_copies);
    ScalableFilter while_growing = GrowingOfCopies(config);
    size_t num_in = 0;
    for (size_t size = 1'000; num_in < keys.size(); size = std::min(2 * size, keys.size())) {
      InsertEach(while_growing, all.subspan(num_in, size - num_in), 1);
      InsertEach(while_growing, all.first(size), num_copies / 5 + 1);
      num_in = size;
    }
    CheckSameRate(by_rounds, once, non_members);
    CheckSameRate(while_growing, once, non_members);
    CHECK(by_rounds.num_keys() == num_copies * keys.size());
    // When the copies have gone it is the filter of each once.
    for (size_t c = 1; c < num_copies; ++c) REQUIRE(by_rounds.Erase(all).num_refused == 0);
    CHECK((by_rounds.Serialize() == once.Serialize()));
  }
}

TEST_CASE("events of which few keys have many take little more memory than the keys",
          "[engine][scalable][copies][long]") {
  const uint64_t seed = Catch::rngSeed();
  // More than a filter keeps whole digests of: a copy of a digest takes 64 bytes.
  const std::vector<uint64_t> keys = MemberKeys(100'000, seed);
  const std::vector<uint64_t> events = EventsOf(keys, 1'000'000, seed);
  ScalableFilter filter = GrowingOfCopies();
  InsertEach(filter, events, 1);
  ScalableFilter once = GrowingOfCopies();
  std::vector<uint64_t> inserted(BitmapWords(events.size()));
  CHECK(once.InsertIfAbsent(events, inserted).num_refused == 0);
  CheckSameRate(filter, once, NonMemberKeys(Scaled(1'000'000), seed));
  const auto num_bytes = static_cast<double>(once.GetStats().num_bytes);
  CHECK(static_cast<double>(filter.GetStats().num_bytes) <= 2.5 * num_bytes);
  REQUIRE(filter.Erase(events).num_refused == 0);
  CHECK((filter.Serialize() == GrowingOfCopies().Serialize()));
}

TEST_CASE("a filter takes as many distinct keys as max_capacity says, however often each is in",
          "[engine][scalable][copies][long]") {
  const uint64_t seed = Catch::rngSeed();
  // Few more than digests are kept of: second copies have slots of their own, until these are all
  // that a shard may have.
  const std::vector<uint64_t> keys = MemberKeys(50'000, seed);
  const std::vector<uint64_t> non_members = NonMemberKeys(Scaled(1'000'000), seed);
  for (const size_t num_copies : {2, 20}) {
    INFO(num_copies << " copies");
    ScalableFilter filter = GrowingOfCopies({.max_capacity = keys.size()});
    const auto most = std::span(keys).first(35'000);
    InsertEach(filter, most, num_copies);
    CHECK(filter.MeasureFill().current_fpr <= 0.01);
    InsertEach(filter, std::span(keys).subspan(most.size()), num_copies);
    const ScalableStats stats = filter.GetStats();
    CHECK(stats.num_refused_inserts == 0);
    CHECK(stats.num_keys == num_copies * keys.size());
    CHECK(BinomialBound(filter.target_fpr(), non_members.size()).high() *
              static_cast<double>(non_members.size()) >=
          static_cast<double>(NumFalse(filter, non_members)));
  }
}

}  // namespace trommel::tests
