// The rate after keys went in.
#include "tools/trommel/filters/rate_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <variant>

#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

// By the model, for its keys if all differ. One pass.
template <class Filter>
double PredictedOf(const Filter& filter) {
  return filter.GetStats().predicted_fpr;
}
double PredictedOf(const AttributeFilter&) { return 0; }  // each set has its own rates

// What it was sized for; 0: not sized.
template <class Filter>
double TargetOf(const Filter& filter) {
  return filter.target_fpr();
}
double TargetOf(const AttributeFilter&) { return 0; }

double PredictedFprOf(const FamilyFilter& filter) {
  return std::visit([](const auto& one) { return PredictedOf(one); }, filter.any());
}
double TargetFprOf(const FamilyFilter& filter) {
  return std::visit([](const auto& one) { return TargetOf(one); }, filter.any());
}

// Generations all alike, whose rates add up.
bool IsIdentical(const FamilyFilter& filter) {
  const auto* scalable = std::get_if<ScalableFilter>(&filter.any());
  return scalable != nullptr && scalable->mode() == GrowthMode::kIdentical;
}

}  // namespace

void DescribeRate(const FamilyFilter& filter, Report& report) {
  const double predicted = PredictedFprOf(filter);
  const double target = TargetFprOf(filter);
  report.Add(
      "predicted_fpr", predicted, "rate now",
      fmt::format("{} predicted for this many distinct keys{}", FormatRate(predicted, target),
                  target == 0 ? ""
                              : fmt::format(", {} asked for{}", FormatRate(target, predicted),
                                            IsIdentical(filter) ? " per generation" : "")));
  report.AddField("target_fpr", target);
  DescribeHighestRate(filter, report);
  if (const auto* window = std::get_if<WindowFilter>(&filter.any())) {
    report.AddField("num_excess_keys", window->GetStats().num_excess_keys);
  }
}

void DescribeHighestRate(const FamilyFilter& filter, Report& report) {
  const WindowRate* rate = filter.window_rate();
  if (rate == nullptr) return;
  // The present rate, where no key was inserted.
  const double highest = std::max(rate->highest_fpr(), PredictedFprOf(filter));
  report.Add("highest_predicted_fpr", highest, "highest rate",
             FormatRate(highest, TargetFprOf(filter)));
}

std::string WindowRateWarning(const FamilyFilter& filter) {
  const WindowRate* rate = filter.window_rate();
  const double target = TargetFprOf(filter);
  if (rate == nullptr || rate->highest_fpr() <= target) return "";
  const auto& window = std::get<WindowFilter>(filter.any());
  const std::string reached = fmt::format(
      "the false-positive rate, predicted for distinct keys, reached {} and is {} now; {} was "
      "asked for",
      FormatRate(rate->highest_fpr(), target), FormatRate(PredictedFprOf(filter), target),
      FormatRate(target, rate->highest_fpr()));
  const uint64_t most = rate->most_bucket_keys();
  if (most > window.capacity() || most <= window.bucket_capacity()) {
    return fmt::format(
        "{}: more keys came within the window and a bucket than it was sized for "
        "({}); size it with a larger -n",
        reached, FormatCount(window.capacity()));
  }
  return fmt::format(
      "{}: a bucket took {} and was sized for {}; size it with a larger --bucket-capacity, or "
      "without",
      reached, FormatCount(most, "key"), FormatCount(window.bucket_capacity()));
}

void WarnOfWindowRate(const FamilyFilter& filter) {
  const std::string warning = WindowRateWarning(filter);
  if (!warning.empty()) WriteToStderr(fmt::format("trommel: warning: {}\n", warning));
}

}  // namespace trommel::tool
