// The filters' side of plans.
#include "engine/src/attributes/plan_filters.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "engine/src/attributes/set_sizes.h"
#include "support/catch.h"

namespace trommel::tests {
namespace {

std::vector<PlannedSet> SetsOf(std::initializer_list<uint64_t> capacities) {
  std::vector<PlannedSet> sets;
  for (const uint64_t capacity : capacities) {
    sets.push_back({.weight = 1.0 / static_cast<double>(capacities.size()), .capacity = capacity});
  }
  return sets;
}

uint64_t BytesOfAll(const std::vector<PlannedSet>& sets) {
  uint64_t num_bytes = 0;
  for (const PlannedSet& set : sets) num_bytes += set.num_bytes;
  return num_bytes;
}

}  // namespace

TEST_CASE("filters of a rate are as sizing has them", "[engine][attributes][plan_filters]") {
  std::vector<PlannedSet> sets = SetsOf({100, 20'000, 100});
  const TupleNumbers tuples{.capacity = 20'000, .max_capacity = 0};
  REQUIRE(PlanFiltersOfRate(0.02, tuples, sets).ok());
  const SetSize want =
      SizeOfSet({.capacity = 20'000, .max_capacity = uint64_t{1} << 20, .num_tuples = 20'000}, 0.02)
          .value();
  CHECK(sets[1].target_fpr == 0.02);
  CHECK(sets[1].predicted_fpr == want.predicted_fpr);
  CHECK(sets[1].num_bytes == want.num_bytes);
  CHECK(sets[0].num_bytes == sets[2].num_bytes);
  CHECK_FALSE(PlanFiltersOfRate(0.9, tuples, sets).ok());
}

TEST_CASE("filters in memory are those that will be built, however many capacities there are",
          "[engine][attributes][plan_filters]") {
  std::vector<PlannedSet> sets = SetsOf({9000, 10'000, 11'000, 12'000, 13'000, 14'000, 15'000});
  REQUIRE(PlanFiltersInMemory(300'000, {.capacity = 15'000}, sets).ok());
  CHECK(BytesOfAll(sets) <= 300'000);
  CHECK(BytesOfAll(sets) >= 280'000);  // a filter's steps are of 4,096 bytes
  for (const PlannedSet& set : sets) {
    const SetSize size = SizeOfSet({.capacity = set.capacity,
                                    .max_capacity = LargestOfSet(set.capacity, 15'000, 0, 0.5),
                                    .num_tuples = 15'000},
                                   set.target_fpr)
                             .value();
    CHECK(size.num_bytes == set.num_bytes);
    CHECK(size.predicted_fpr == set.predicted_fpr);
  }
}

TEST_CASE("no other split of the memory that was tried has a lower rate",
          "[engine][attributes][plan_filters][long]") {
  constexpr uint64_t kMemoryBytes = 1'000'000;
  std::vector<PlannedSet> sets = SetsOf({400, 100'000, 100'000, 100'000});
  sets[0].weight = 0.5;
  sets[1].weight = 0.1;
  sets[3].weight = 0;
  REQUIRE(PlanFiltersInMemory(kMemoryBytes, {.capacity = 100'000}, sets).ok());
  double planned = 0;
  for (const PlannedSet& set : sets) planned += set.weight * set.predicted_fpr;
  std::vector<std::vector<SetSize>> sizes;
  for (const uint64_t capacity : {uint64_t{400}, uint64_t{100'000}}) {
    sizes.push_back(
        SizesOfSet({.capacity = capacity, .max_capacity = 16 * capacity, .num_tuples = 100'000})
            .value());
  }
  sizes.insert(sizes.end(), 2, sizes.back());
  std::mt19937_64 random(11);
  int num_tried = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<size_t> chosen;
    uint64_t num_bytes = 0;
    for (const std::vector<SetSize>& of_set : sizes) {
      chosen.push_back(random() % (1 + random() % of_set.size()));
      num_bytes += of_set[chosen.back()].num_bytes;
    }
    // As much more as fits, one set after the other in a random order.
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) {
      const std::vector<SetSize>& of_set = sizes[i];
      while (chosen[i] + 1 < of_set.size() &&
             num_bytes + of_set[chosen[i] + 1].num_bytes - of_set[chosen[i]].num_bytes <=
                 kMemoryBytes) {
        num_bytes += of_set[chosen[i] + 1].num_bytes - of_set[chosen[i]].num_bytes;
        ++chosen[i];
      }
    }
    if (num_bytes > kMemoryBytes) continue;
    ++num_tried;
    double expected = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      expected += sets[i].weight * sizes[i][chosen[i]].predicted_fpr;
    }
    REQUIRE(planned <= expected);
  }
  CHECK(num_tried > 300);
}

}  // namespace trommel::tests
