// Plans: what mixes ask for gets the memory, and the numbers are those of what will be built.
#include "trommel/attribute_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/src/attributes/set_sizes.h"
#include "support/catch.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

// {0} {1} {2} {0,2} {1,2}, a hundred thousand tuples, 400 values of attribute 0.
AttributePlanRequest UsualPlan() {
  AttributePlanRequest request;
  request.sets = AttributeSets::Create(3, std::vector<AttributeMask>{0b011}).value();
  request.capacity = 100000;
  request.num_values = {400, 100000, 100000};
  return request;
}

AttributePlan PlanOf(const AttributePlanRequest& request) {
  Result<AttributePlan> plan = PlanAttributes(request);
  INFO((plan.ok() ? "" : plan.error().message));
  REQUIRE(plan.ok());
  return *std::move(plan);
}

std::string PlanRefusal(const AttributePlanRequest& request) {
  const Result<AttributePlan> plan = PlanAttributes(request);
  return plan.ok() ? "" : plan.error().message;
}

const PlannedSet& SetOf(const AttributePlan& plan, AttributeMask set) {
  const auto found = std::ranges::find(plan.sets, set, &PlannedSet::set);
  REQUIRE(found != plan.sets.end());
  return *found;
}

TEST_CASE("a plan for a rate keeps it in every set", "[engine][attributes][plan]") {
  AttributePlanRequest request = UsualPlan();
  request.target_fpr = 0.01;
  const AttributePlan plan = PlanOf(request);
  REQUIRE(plan.sets.size() == 5);
  uint64_t num_bytes = 0;
  double weights = 0;
  for (size_t i = 0; i < plan.sets.size(); ++i) {
    const PlannedSet& set = plan.sets[i];
    CHECK(set.set == request.sets.allowed()[i]);
    CHECK(set.target_fpr == 0.01);
    CHECK(set.predicted_fpr <= 0.01);
    CHECK(set.capacity == (set.set == 0b001 ? 400 : 100000));
    num_bytes += set.num_bytes;
    weights += set.weight;
    CHECK(plan.budgets()[i] == SetBudget{set.set, set.capacity, 0.01});
  }
  CHECK(plan.num_bytes == num_bytes);
  CHECK(weights == Approx(1));
}

TEST_CASE("a planned memory is kept to and used", "[engine][attributes][plan][long]") {
  AttributePlanRequest request = UsualPlan();
  double before = 1;
  for (const uint64_t memory_bytes : {900'000, 1'234'567, 2'500'000}) {
    request.memory_bytes = memory_bytes;
    const AttributePlan plan = PlanOf(request);
    CHECK(plan.num_bytes <= memory_bytes);
    CHECK(plan.num_bytes >= memory_bytes / 100 * 80);  // a bit per key is a step
    CHECK(plan.expected_fpr < before);
    before = plan.expected_fpr;
  }
  // There are lowest rates: beyond them memory is left.
  request.memory_bytes = uint64_t{1} << 40;
  const AttributePlan most = PlanOf(request);
  CHECK(most.num_bytes < 10'000'000);
  CHECK(most.expected_fpr < 2e-6);
}

TEST_CASE("a filter made for a plan's budgets is what was planned",
          "[engine][attributes][plan][long]") {
  AttributePlanRequest request = UsualPlan();
  request.memory_bytes = 1'100'000;
  request.mix = {{0b110, 5}, {0b001, 1}, {0b011, 1}};
  const AttributePlan plan = PlanOf(request);
  AttributeConfig config;
  config.sets = request.sets;
  config.capacity = request.capacity;
  config.budgets = plan.budgets();
  const Result<AttributeFilter> filter = AttributeFilter::Create(config);
  REQUIRE(filter.ok());
  const AttributeStats stats = filter->GetStats();
  REQUIRE(stats.sets.size() == plan.sets.size());
  for (size_t i = 0; i < stats.sets.size(); ++i) {
    const PlannedSet& planned = plan.sets[i];
    CHECK(stats.sets[i].set == planned.set);
    CHECK(stats.sets[i].capacity == planned.capacity);
    CHECK(stats.sets[i].target_fpr == planned.target_fpr);
    // Those of few values have digests, which come with the keys, and further copies.
    if (planned.capacity != request.capacity) continue;
    CHECK(stats.sets[i].stats.num_bytes == planned.num_bytes);
  }
}

TEST_CASE("a plan counts the copies of values that many tuples share",
          "[engine][attributes][plan]") {
  AttributePlanRequest request;
  request.sets = AttributeSets::Create(1).value();
  request.capacity = 50'000;
  request.num_values = {2000};
  request.target_fpr = 0.01;
  const AttributePlan plan = PlanOf(request);
  AttributeFilter filter = std::move(AttributeFilter::Create({.sets = request.sets,
                                                              .capacity = request.capacity,
                                                              .num_values = request.num_values}))
                               .value();
  std::vector<uint64_t> values(request.capacity);
  for (uint64_t i = 0; i < values.size(); ++i) values[i] = i % 2000;
  TupleDigests tuples(1);
  tuples.Set(0, values);
  filter.Insert(tuples.view());
  const auto built = static_cast<double>(filter.num_bytes());
  CHECK(static_cast<double>(plan.num_bytes) > built / 2);
  CHECK(static_cast<double>(plan.num_bytes) < built * 2);
}

TEST_CASE(
    "sets that are queried more often get lower rates, and sets that never are the least memory",
    "[engine][attributes][plan][long]") {
  AttributePlanRequest request = UsualPlan();
  request.memory_bytes = 1'000'000;
  request.mix = {{0b010, 1}, {0b100, 100}, {0b110, 10}};
  const AttributePlan plan = PlanOf(request);
  CHECK(SetOf(plan, 0b100).predicted_fpr < SetOf(plan, 0b110).predicted_fpr);
  CHECK(SetOf(plan, 0b110).predicted_fpr < SetOf(plan, 0b010).predicted_fpr);
  const auto sizes =
      SizesOfSet({.capacity = 100'000, .max_capacity = 1'600'000, .num_tuples = 100'000}).value();
  CHECK(SetOf(plan, 0b101).weight == 0);
  CHECK(SetOf(plan, 0b101).num_bytes == sizes.front().num_bytes);
}

TEST_CASE("a split question's share is its parts' in equal parts", "[engine][attributes][plan]") {
  AttributePlanRequest request = UsualPlan();
  request.target_fpr = 0.01;
  request.mix = {{0b111, 3}, {0b011, 1}};  // {0,2} {1,2}, and {0} {1}
  const AttributePlan plan = PlanOf(request);
  CHECK(SetOf(plan, 0b101).weight == Approx(3.0 / 8));
  CHECK(SetOf(plan, 0b110).weight == Approx(3.0 / 8));
  CHECK(SetOf(plan, 0b001).weight == Approx(1.0 / 8));
  CHECK(SetOf(plan, 0b010).weight == Approx(1.0 / 8));
  CHECK(SetOf(plan, 0b100).weight == 0);
  double expected = 0;
  for (const PlannedSet& set : plan.sets) expected += set.weight * set.predicted_fpr;
  CHECK(plan.expected_fpr == Approx(expected));
}

TEST_CASE("plans that cannot be are refused with the reason", "[engine][attributes][plan][long]") {
  AttributePlanRequest request = UsualPlan();
  CHECK_THAT(PlanRefusal(request), ContainsSubstring("give target_fpr or memory_bytes"));
  request.target_fpr = 0.01;
  request.memory_bytes = 1000;
  CHECK_THAT(PlanRefusal(request), ContainsSubstring("both given"));
  request.target_fpr = 0;
  CHECK_THAT(PlanRefusal(request), ContainsSubstring("memory_bytes is 1000; at the highest rates"));
  request.memory_bytes = 0;
  for (const double rate : {0.6, -1.0, 1e-7, std::numeric_limits<double>::quiet_NaN()}) {
    request.target_fpr = rate;
    CHECK_THAT(PlanRefusal(request), ContainsSubstring("target_fpr is "));
  }
  request.target_fpr = 0.01;
  request.mix = {{0b1000, 1}};
  CHECK_THAT(PlanRefusal(request), ContainsSubstring("asks for {3}; there are 3 attributes"));
  request.mix = {{0, 1}};
  CHECK_THAT(PlanRefusal(request), ContainsSubstring("asks for no attribute"));
  for (const double share : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    request.mix = {{0b001, share}};
    CHECK_THAT(PlanRefusal(request), ContainsSubstring("the share of {0} is "));
  }
  request.mix = {{0b001, 1e308}, {0b010, 1e308}};
  CHECK_THAT(PlanRefusal(request), ContainsSubstring("the shares of the mix add up to infinity"));
  request.mix.clear();
  request.num_values = {1, 2};
  CHECK_THAT(PlanRefusal(request), ContainsSubstring("num_values has 2 numbers"));
  request.num_values = {1, 0, 2};
  CHECK_THAT(PlanRefusal(request), ContainsSubstring("num_values of attribute 1 is 0"));
  request.num_values.clear();
  request.max_capacity = request.capacity - 1;
  CHECK_THAT(PlanRefusal(request), ContainsSubstring("max_capacity is "));
  request.max_capacity = 0;
  for (const uint64_t capacity : {uint64_t{0}, kMaxCapacity + 1}) {
    request.capacity = capacity;
    CHECK_THAT(PlanRefusal(request), ContainsSubstring("capacity is " + std::to_string(capacity)));
  }
}

TEST_CASE("what the smallest plan is said to take is enough", "[engine][attributes][plan][long]") {
  AttributePlanRequest request = UsualPlan();
  request.memory_bytes = 1;
  const std::string refusal = PlanRefusal(request);
  const uint64_t enough = std::stoull(refusal.substr(refusal.rfind(' ') + 1));
  request.memory_bytes = enough - 1;
  CHECK(PlanRefusal(request) != "");
  request.memory_bytes = enough;
  CHECK(PlanOf(request).num_bytes == enough);
}

TEST_CASE("a plan of a limit or a list shares memory among its sets",
          "[engine][attributes][attribute_plan]") {
  const std::vector<AttributeMask> list = {~AttributeMask{0} >> 34, 1};
  for (const AttributeSets& sets : {*AttributeSets::AtMost(18, 1), *AttributeSets::Keep(30, list),
                                    *AttributeSets::AtMost(3, 2)}) {
    const Result<AttributePlan> plan =
        PlanAttributes({.sets = sets, .capacity = 1000, .target_fpr = 0.01});
    REQUIRE(plan.ok());
    CHECK(plan->sets.size() == sets.allowed().size());
    double sum = 0;
    for (const PlannedSet& set : plan->sets) sum += set.weight;
    CHECK(sum == Approx(1));
    CHECK(plan->sets.front().weight == Approx(1.0 / static_cast<double>(plan->sets.size())));
    CHECK(plan->num_bytes > 0);
    CHECK(plan->expected_fpr <= 0.01);
  }
}

}  // namespace
}  // namespace trommel::tests
