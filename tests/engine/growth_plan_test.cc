// What each generation will be, before there is one.
#include "engine/src/scalable/growth_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "engine/src/scalable/growth_slot.h"
#include "support/catch.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string Refusal(const ScalableConfig& config) {
  const Result<GrowthPlan> plan = GrowthPlan::Make(config);
  return plan.ok() ? "" : plan.error().message;
}

ScalableConfig Usual() {
  return {.first_capacity = 1000,
          .target_fpr = 0.01,
          .mode = GrowthMode::kGenerations,
          .encoding = Encoding::kRuns};
}

TEST_CASE("budgets shrink as they should and never exceed the target together",
          "[engine][scalable][growth][long]") {
  for (const double target : {0.5, 0.01, 1e-4}) {
    for (const double tightening : {0.1, 0.5, 0.8, 0.95}) {
      if (target * (1 - tightening) < kMinTargetFpr) continue;
      ScalableConfig config = Usual();
      config.target_fpr = target;
      config.tightening = tightening;
      const Result<GrowthPlan> plan = GrowthPlan::Make(config);
      REQUIRE(plan.ok());
      double sum = 0;
      uint64_t total = 0;
      for (size_t i = 0; i < plan->num_slots(); ++i) {
        const GrowthSlot& slot = plan->slot(i);
        CHECK(slot.capacity == uint64_t{1000} << i);
        CHECK(PredictedFpr(slot.geometry, slot.capacity) <= slot.budget_fpr);
        if (i > 0) {
          CHECK(slot.budget_fpr == Approx(plan->slot(i - 1).budget_fpr * tightening));
          CHECK(slot.geometry.num_slices == plan->slot(0).geometry.num_slices);
        }
        sum += slot.budget_fpr;
        total += slot.capacity;
      }
      CHECK(sum < target);
      CHECK(total == plan->largest_capacity());
    }
  }
}

TEST_CASE("blocks of all generations are divided into the same parts",
          "[engine][scalable][growth][long]") {
  ScalableConfig config = Usual();
  config.first_capacity = GENERATE(uint64_t{1}, 100, 123'457);
  config.encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  config.target_fpr = 0.05;
  const Result<GrowthPlan> plan = GrowthPlan::Make(config);
  REQUIRE(plan.ok());
  for (size_t i = 0; i < plan->num_slots(); ++i) {
    const Geometry& geometry = plan->slot(i).geometry;
    CHECK(Validate(geometry).ok());
    CHECK(geometry.shard_bits >= GrowthPlan::kLockBits);
  }
}

TEST_CASE("a plan that chooses encodings takes no more bytes than runs, and keeps its budgets",
          "[engine][scalable][growth][long]") {
  ScalableConfig config = Usual();
  config.first_capacity = GENERATE(uint64_t{10}, 30'000, 1'000'000);
  config.target_fpr = GENERATE(0.5, 0.01);
  const Result<GrowthPlan> runs = GrowthPlan::Make(config);
  config.encoding = Encoding::kAutomatic;
  const Result<GrowthPlan> plan = GrowthPlan::Make(config);
  REQUIRE(plan.ok());
  CHECK(plan->num_slices() == runs->slot(0).geometry.num_slices);
  const size_t num_slots = std::min(size_t{14}, runs->num_slots());
  REQUIRE(plan->num_slots() >= num_slots);
  std::set<Encoding> encodings;
  for (size_t i = 0; i < num_slots; ++i) {
    const GrowthSlot& slot = plan->slot(i);
    CHECK(slot.capacity == runs->slot(i).capacity);
    CHECK(SlotFpr(slot.geometry, slot.capacity) <= slot.budget_fpr);
    CHECK(SlotBytes(slot.geometry, slot.capacity) <=
          SlotBytes(runs->slot(i).geometry, slot.capacity));
    CHECK(Validate(slot.geometry).ok());
    CHECK(slot.geometry.shard_bits >= GrowthPlan::kLockBits);
    encodings.insert(slot.geometry.encoding);
  }
  if (config.target_fpr == 0.01 && config.first_capacity > 10) {
    CHECK(encodings.contains(Encoding::kDense));
  }
}

TEST_CASE("a plan ends where max_capacity is reached", "[engine][scalable][growth]") {
  ScalableConfig config = Usual();
  config.max_capacity = 6999;
  Result<GrowthPlan> plan = GrowthPlan::Make(config);
  REQUIRE(plan.ok());
  CHECK(plan->num_slots() == 3);
  CHECK(plan->largest_capacity() == 7000);
  config.max_capacity = 7001;
  plan = GrowthPlan::Make(config);
  REQUIRE(plan.ok());
  CHECK(plan->num_slots() == 4);
}

TEST_CASE("a size that budgets cannot honour is refused, with what they can",
          "[engine][scalable][growth]") {
  ScalableConfig config = Usual();
  config.tightening = 0.1;
  const Result<GrowthPlan> most = GrowthPlan::Make(config);
  REQUIRE(most.ok());
  CHECK(most->num_slots() == 4);  // 9e-3, 9e-4, 9e-5, 9e-6; 9e-7 is too low for a filter
  config.max_capacity = most->largest_capacity() + 1;
  CHECK_THAT(Refusal(config), ContainsSubstring("max_capacity is 15001") &&
                                  ContainsSubstring("at most 15000 keys in 4 generations"));
}

TEST_CASE("a plan sizes the slots that are asked for, and no others",
          "[engine][scalable][growth]") {
  const Result<GrowthPlan> made = GrowthPlan::Make(Usual());
  REQUIRE(made.ok());
  CHECK(made->num_sized() == 1);
  const GrowthPlan copy = *made;
  CHECK(copy.slot(4).capacity == 16'000);
  CHECK(made->num_sized() == 5);  // copies share them

  ScalableConfig config = Usual();
  config.num_slices = 5;
  Result<GrowthPlan> plan = GrowthPlan::OfFilter(config);
  REQUIRE(plan.ok());
  CHECK(plan->BudgetOf(7)->capacity == 128'000);
  CHECK(plan->num_sized() == 0);
  config.max_capacity = 100'000;
  plan = GrowthPlan::OfFilter(config);
  REQUIRE(plan.ok());
  CHECK(plan->num_sized() == 0);
  CHECK(plan->num_slots() == 7);  // 1000 (2^7 - 1) is enough
  CHECK(plan->num_sized() == 7);
}

TEST_CASE("numbers out of range are refused by name", "[engine][scalable][growth]") {
  const auto with = [](auto edit) {
    ScalableConfig config = Usual();
    edit(config);
    return Refusal(config);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(with([](auto& c) { c.first_capacity = 0; }), ContainsSubstring("first_capacity is 0"));
  CHECK_THAT(with([](auto& c) { c.first_capacity = kMaxCapacity + 1; }),
             ContainsSubstring("first_capacity is 1099511627777"));
  CHECK_THAT(with([](auto& c) { c.max_capacity = kMaxCapacity + 1; }),
             ContainsSubstring("max_capacity is 1099511627777"));
  CHECK_THAT(with([](auto& c) { c.growth = 0; }), ContainsSubstring("growth is 0"));
  CHECK_THAT(with([](auto& c) { c.growth = 17; }), ContainsSubstring("growth is 17"));
  CHECK_THAT(with([&](auto& c) { c.tightening = nan; }), ContainsSubstring("tightening is nan"));
  CHECK_THAT(with([](auto& c) { c.tightening = 1; }), ContainsSubstring("tightening is 1"));
  CHECK_THAT(with([&](auto& c) { c.target_fpr = nan; }), ContainsSubstring("target_fpr is nan"));
  CHECK_THAT(with([](auto& c) { c.target_fpr = 1e-6; }), ContainsSubstring("first generation"));
  CHECK_THAT(with([](auto& c) { c.num_slices = 7; }), ContainsSubstring("num_slices is 7"));
}

TEST_CASE("the first slot alone is the plan's", "[engine][scalable][growth]") {
  const Encoding encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  const ScalableConfig config{.first_capacity = 1000,
                              .target_fpr = 0.05,
                              .mode = GrowthMode::kGenerations,
                              .encoding = encoding};
  const Result<GrowthSlot> first = FirstSlot(config);
  const Result<GrowthPlan> plan = GrowthPlan::Make(config);
  REQUIRE(first.ok());
  REQUIRE(plan.ok());
  CHECK(*first == plan->slot(0));
}

TEST_CASE("a slot keeps the budget that the formula gives it", "[engine][scalable][growth]") {
  const ScalableConfig config{.first_capacity = 1000,
                              .target_fpr = 0.01,
                              .mode = GrowthMode::kGenerations,
                              .num_slices = 8,
                              .encoding = Encoding::kRuns};
  for (size_t i = 0; i < 10; ++i) {
    const std::optional<SlotBudget> budget = TighteningBudget(config, i);
    REQUIRE(budget.has_value());
    CHECK(budget->capacity == uint64_t{1000} << i);
    const Result<GrowthSlot> slot = TighteningSlot(*budget, 8, Encoding::kPlanes);
    REQUIRE(slot.ok());
    CHECK(slot->capacity == budget->capacity);
    CHECK(PredictedFpr(slot->geometry, slot->capacity) <= budget->budget_fpr);
  }
  CHECK_FALSE(TighteningBudget(config, ScalableFilter::kMaxGenerations).has_value());
}

}  // namespace
}  // namespace trommel::tests
