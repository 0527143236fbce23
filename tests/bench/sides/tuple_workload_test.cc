#include "bench/sides/tuple_workload.h"

#include <algorithm>
#include <set>

#include "support/catch.h"
#include "trommel/attribute_filter.h"

namespace trommel::bench {
namespace {

constexpr AttributeMask kAll = 0b111;

TEST_CASE("the share of values that non-members take from tuples is alpha, and none is in",
          "[bench][attributes]") {
  const TupleWorkload workload(3, 5, 7);  // so few that drawing again is common
  for (const double alpha : {0.0, 0.3, 1.0}) {
    const TupleQueries non_members = workload.NonMembers(kAll, alpha, 20'000, 1);
    REQUIRE(non_members.size() == 20'000);
    size_t num_taken = 0;
    for (size_t i = 0; i < non_members.size(); ++i) {
      CHECK_FALSE(workload.IsIn(non_members, kAll, i));
      for (const AttributeMask one : {1, 2, 4}) num_taken += workload.IsIn(non_members, one, i);
    }
    // One in 25 of those whose values are all of tuples is drawn again.
    CHECK(static_cast<double>(num_taken) / 60'000 == Catch::Approx(alpha).margin(0.02));
  }
}

TEST_CASE("answers to non-members are counted by whether all parts are in", "[bench][attributes]") {
  AttributeConfig config;
  const AttributeMask cuts[] = {0b011, 0b101};
  config.sets = AttributeSets::Create(3, cuts).value();
  config.capacity = 1000;
  AttributeFilter filter = AttributeFilter::Create(config).value();
  const TupleWorkload workload(3, 1000, 7);
  workload.InsertInto(filter);
  CHECK(filter.num_tuples() == 1000);
  const auto parts = config.sets.PartsOf(kAll);
  const NonMemberAnswers mixed =
      QueryNonMembers(filter, workload, workload.Mixtures(kAll, 0b110, 500, 4), parts);
  CHECK(mixed.num_queried == 500);
  CHECK(mixed.num_maybe == 500);
  CHECK(mixed.num_combination == 500);
  const TupleQueries non_members = workload.NonMembers(kAll, 0.9, 20'000, 5);
  const NonMemberAnswers some = QueryNonMembers(filter, workload, non_members, parts);
  uint64_t num_combination = 0;  // by brute force over the tuples
  for (size_t i = 0; i < non_members.size(); ++i) {
    bool has_pair = false;
    bool has_single = false;
    for (uint32_t t = 0; t < 1000; ++t) {
      has_single |= non_members.numbers[0][i] == t;
      has_pair |= non_members.numbers[1][i] == t && non_members.numbers[2][i] == t;
    }
    num_combination += has_pair && has_single;
  }
  CHECK(some.num_combination == num_combination);
  CHECK(num_combination > 0);
  CHECK(some.hash_rate() * static_cast<double>(some.num_queried - num_combination) ==
        Catch::Approx(static_cast<double>(some.num_maybe - num_combination)));
}

}  // namespace
}  // namespace trommel::bench
