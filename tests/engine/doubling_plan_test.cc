// The choice between doubling and generations, and the model of a filter that doubles. That its
// rates are those of filters: doubling_filter_test.cc.
#include "engine/src/scalable/doubling_plan.h"

#include <clocale>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engine/src/scalable/growth_choice.h"
#include "support/catch.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

GrowthChoice Choice(const ScalableConfig& config) { return ChooseGrowth(config).value(); }

std::string DoublingRefusal(ScalableConfig config) {
  config.mode = GrowthMode::kDoubling;
  const Result<ScalableFilter> filter = ScalableFilter::Create(config);
  return filter.ok() ? "" : filter.error().message;
}

}  // namespace

TEST_CASE("a config without wishes doubles, and says why", "[engine][scalable][doubling]") {
  const GrowthChoice choice = Choice({.first_capacity = 65'536});
  CHECK(choice.mode == GrowthMode::kDoubling);
  CHECK_THAT(choice.reason, ContainsSubstring("within the target of 1 %"));
  const ScalableFilter filter = ScalableFilter::Create({.first_capacity = 65'536}).value();
  CHECK(filter.mode() == GrowthMode::kDoubling);
  CHECK(filter.mode_reason() == choice.reason);
  CHECK(filter.first_capacity() >= 65'536);
  CHECK(filter.largest_capacity() >= 1'000'000'000);
  CHECK(filter.ForecastAt(filter.largest_capacity()).predicted_fpr <= 0.01);
  CHECK(filter.num_generations() == 1);
}

TEST_CASE("a reason is the same text in every locale", "[engine][scalable][doubling]") {
  const ScalableConfig config = {.target_fpr = 0.0125};
  const std::string reason = Choice(config).reason;
  CHECK_THAT(reason, ContainsSubstring("within the target of 1.2 %"));
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  // Where these are installed, they write a decimal comma.
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8", ""}) {
    if (std::setlocale(LC_NUMERIC, name) == nullptr) continue;
    INFO(name);
    CHECK(Choice(config).reason == reason);
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST_CASE("a filter that doubles needs no first size, others do", "[engine][scalable][doubling]") {
  const ScalableFilter filter = ScalableFilter::Create({}).value();
  CHECK(filter.mode() == GrowthMode::kDoubling);
  CHECK(filter.first_capacity() == ScalableFilter::Create({.first_capacity = 1})->first_capacity());
  CHECK_THAT(ScalableFilter::Create({.mode = GrowthMode::kGenerations}).error().message,
             ContainsSubstring("first_capacity is 0"));
}

TEST_CASE("a rate that 15 bits cannot keep chooses generations", "[engine][scalable][doubling]") {
  const GrowthChoice choice = Choice({.first_capacity = 65'536, .target_fpr = 1e-3});
  CHECK(choice.mode == GrowthMode::kGenerations);
  CHECK_THAT(choice.reason, ContainsSubstring("target_fpr is 0.001"));
  CHECK(ScalableFilter::Create({.first_capacity = 65'536, .target_fpr = 1e-3}).value().mode() ==
        GrowthMode::kGenerations);
  // Up to a largest size near the first, 15 bits do.
  const ScalableConfig near = {
      .first_capacity = 1'000'000, .target_fpr = 2e-3, .max_capacity = 4'000'000};
  CHECK(Choice(near).mode == GrowthMode::kDoubling);
  const ScalableFilter filter = ScalableFilter::Create(near).value();
  CHECK(filter.largest_capacity() >= 4'000'000);
  CHECK(filter.ForecastAt(filter.largest_capacity()).predicted_fpr <= 2e-3);
}

TEST_CASE("fields that only generations have choose them, and doubling refuses them by name",
          "[engine][scalable][doubling]") {
  struct Field {
    const char* name;
    std::function<void(ScalableConfig&)> set;
  };
  const std::vector<Field> fields = {
      {"encoding", [](ScalableConfig& c) { c.encoding = Encoding::kPlanes; }},
      {"encoding", [](ScalableConfig& c) { c.encoding = Encoding::kRuns; }},
      {"num_slices", [](ScalableConfig& c) { c.num_slices = 8; }},
      {"growth", [](ScalableConfig& c) { c.growth = 4; }},
      {"tightening", [](ScalableConfig& c) { c.tightening = 0.5; }},
  };
  for (const Field& field : fields) {
    INFO(field.name);
    ScalableConfig config{.first_capacity = 1000};
    field.set(config);
    CHECK(Choice(config).mode == GrowthMode::kGenerations);
    CHECK_THAT(Choice(config).reason, ContainsSubstring(field.name));
    CHECK_THAT(DoublingRefusal(config), ContainsSubstring(field.name));
  }
  CHECK(Choice({.first_capacity = 1000, .encoding = Encoding::kFingerprints16}).mode ==
        GrowthMode::kDoubling);
}

TEST_CASE("a filter that doubles refuses numbers out of range, naming them",
          "[engine][scalable][doubling]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(DoublingRefusal({.target_fpr = nan}), ContainsSubstring("target_fpr is nan"));
  CHECK_THAT(DoublingRefusal({.target_fpr = 0.7}), ContainsSubstring("target_fpr is 0.7"));
  CHECK_THAT(DoublingRefusal({.target_fpr = 1e-4}), ContainsSubstring("target_fpr is 1e-04"));
  CHECK_THAT(DoublingRefusal({.first_capacity = uint64_t{1} << 39}),
             ContainsSubstring("first_capacity is"));
  CHECK_THAT(DoublingRefusal({.max_capacity = uint64_t{1} << 41}),
             ContainsSubstring("max_capacity is"));
  CHECK_THAT(DoublingRefusal({.target_fpr = 1e-3, .max_capacity = 1'000'000'000}),
             ContainsSubstring("at 1000000000 keys"));
  CHECK_THAT(
      ChooseGrowth({.first_capacity = 5, .mode = static_cast<GrowthMode>(9)}).error().message,
      ContainsSubstring("mode is 9"));
  // Without a largest capacity it ends where its rate must.
  const ScalableFilter filter =
      ScalableFilter::Create({.target_fpr = 2e-3, .mode = GrowthMode::kDoubling}).value();
  CHECK(filter.ForecastAt(filter.largest_capacity()).predicted_fpr <= 2e-3);
  CHECK(filter.largest_capacity() > filter.first_capacity());
  CHECK(filter.largest_capacity() < 1'000'000'000);
}

TEST_CASE("the model's rate rises with the keys and by half a load per doubling",
          "[engine][scalable][doubling]") {
  const ScalableConfig config{.first_capacity = 176'000, .mode = GrowthMode::kDoubling};
  const DoublingPlan plan = DoublingPlan::Make(config).value();
  REQUIRE(plan.first_bits() == DoublingPlan::kLeastFirstBits);
  REQUIRE(plan.most_doublings() == 14);
  double before = 0;
  for (uint64_t num_keys = 100'000; num_keys < plan.largest_capacity(); num_keys += num_keys / 16) {
    const double fpr = DoublingPlan::FprOf(static_cast<double>(num_keys),
                                           static_cast<double>(plan.BlocksAt(num_keys)), 8192);
    CHECK(fpr >= before);
    CHECK(plan.FprAt(num_keys) >= fpr);  // what cannot be decided comes on top
    before = fpr;
  }
  // Entries alone, before doubling d: load (1 + d / 2) / 2^15; the same just after it.
  constexpr double kLoad = GrowingStore::kFullLoad;
  for (const uint32_t d : {0U, 1U, 6U, 14U}) {
    const double blocks = 8192 * std::exp2(d);
    const double full = DoublingPlan::FprOf(kLoad * blocks, blocks, 8192);
    CHECK(full == Approx(kLoad * (1 + d / 2.0) / 32'768).epsilon(0.01));
    CHECK(DoublingPlan::FprOf(kLoad * blocks, 2 * blocks, 8192) == Approx(full));
    CHECK(DoublingPlan::FprOf(kLoad * blocks, 1.5 * blocks, 8192) == Approx(full));
  }
  CHECK(plan.FprAt(1000) == 0);
  CHECK(plan.BytesAt(1000) <= 12'000);
  CHECK(plan.BytesAt(plan.CapacityAfter(6)) * 8 <= 25 * plan.CapacityAfter(6));
}

TEST_CASE("the first size holds first_capacity, and max_capacity decides how often it doubles",
          "[engine][scalable][doubling]") {
  for (const uint64_t first : {uint64_t{0}, uint64_t{1}, uint64_t{200'000}, uint64_t{50'000'000}}) {
    for (const uint64_t times : {uint64_t{0}, uint64_t{1}, uint64_t{5}, uint64_t{1000}}) {
      const DoublingPlan plan = DoublingPlan::Make({.first_capacity = first,
                                                    .mode = GrowthMode::kDoubling,
                                                    .max_capacity = first * times})
                                    .value();
      CHECK(plan.first_capacity() >= first);
      CHECK(plan.largest_capacity() >= first * times);
      if (first * times > plan.first_capacity()) {
        CHECK(plan.largest_capacity() < 2 * first * times);
      }
    }
  }
}

}  // namespace trommel::tests
