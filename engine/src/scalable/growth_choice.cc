// Which mode a config gets.
#include "engine/src/scalable/growth_choice.h"

#include <array>
#include <charconv>
#include <string>

#include "engine/src/base/out_of_range.h"
#include "engine/src/scalable/doubling_plan.h"

namespace trommel {
namespace {

// Returns "0.52 %", in every locale.
std::string RateText(double rate) {
  std::array<char, 32> text;
  char* const end = std::to_chars(text.data(), text.data() + text.size(), 100 * rate,
                                  std::chars_format::general, 2)
                        .ptr;
  return std::string(text.data(), end) + " %";
}

}  // namespace

std::string FieldOfGenerations(const ScalableConfig& config) {
  const ScalableConfig defaults;
  if (config.growth != defaults.growth) return "growth";
  if (config.tightening != defaults.tightening) return "tightening";
  if (config.num_slices != defaults.num_slices) return "num_slices";
  if (config.encoding != defaults.encoding && config.encoding != Encoding::kDense) {
    return "encoding";
  }
  return "";
}

Result<GrowthChoice> ChooseGrowth(const ScalableConfig& config) {
  switch (config.mode) {
    case GrowthMode::kGenerations:
    case GrowthMode::kDoubling:
      return GrowthChoice{.mode = config.mode, .reason = "it was asked for"};
    case GrowthMode::kAutomatic:
      break;
    default:
      return OutOfRange("mode", static_cast<unsigned>(config.mode),
                        "0 (generations), 2 (doubling) or 255 (automatic)");
  }
  if (const std::string field = FieldOfGenerations(config); !field.empty()) {
    return GrowthChoice{.mode = GrowthMode::kGenerations,
                        .reason = field + " was given, which only generations have"};
  }
  const Result<DoublingPlan> plan = DoublingPlan::Make(config);
  if (!plan.ok()) {
    return GrowthChoice{.mode = GrowthMode::kGenerations,
                        .reason = "doubling cannot: " + plan.error().message};
  }
  const uint64_t largest = plan->largest_capacity();
  return GrowthChoice{.mode = GrowthMode::kDoubling,
                      .reason = "at " + TextOf(largest) + " keys its rate is " +
                                RateText(plan->FprAt(largest)) + ", within the target of " +
                                RateText(config.target_fpr)};
}

}  // namespace trommel
