// Generations of split counting filters, and where keys are erased.
#include "bench/paper/scbf_generations.h"

#include "bench/paper/random_stream.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

constexpr classic::ArrayGeometry kSmall{.kind = classic::Kind::kSplitCounting,
                                        .hashing = classic::Hashing::kMixed,
                                        .num_hashes = 4,
                                        .counter_bits = 8,
                                        .num_positions = 100};

TEST_CASE("generations grow when the newest is half full", "[paper]") {
  Generations generations(kSmall, EraseRule::kEverywhere);
  RandomStream random(Catch::rngSeed(), 1);
  for (int i = 0; i < 69; ++i) generations.Insert(random.Next());
  CHECK(generations.size() == 1);
  generations.Insert(random.Next());
  CHECK(generations.size() == 2);
}

TEST_CASE("the oldest rule loses no key and leaves none", "[paper]") {
  Generations generations(kSmall, EraseRule::kOldest);
  RandomStream random(Catch::rngSeed(), 2);
  const auto keys = random.Take(1'000);
  for (const uint64_t key : keys) generations.Insert(key);
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = i; j < keys.size(); j += 97) REQUIRE(generations.MayContain(keys[j]));
    generations.Erase(keys[i]);
  }
  for (const uint64_t key : keys) CHECK_FALSE(generations.MayContain(key));
}

TEST_CASE("rates of generations are modelled, and two ways of erasing lose keys", "[paper]") {
  const Report report{.tables = ScbfGenerations({.seed = Catch::rngSeed(), .quick = true})};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Scalable filter: P_d", "d = 16") == "agrees");
  CHECK(RowOf(report, "Scalable filter: live", "erased wherever").measured > 0);
  CHECK(RowOf(report, "Scalable filter: live", "erased from the newest").measured > 0);
  CHECK(RowOf(report, "Scalable filter: live", "oldest").measured == 0);
}

}  // namespace
}  // namespace trommel::paper
