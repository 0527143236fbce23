// The rate after keys went in.
#include "tools/trommel/filters/rate_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <variant>

#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

// What it was sized for; 0: not sized.
template <class Filter>
double TargetOf(const Filter& filter) {
  return filter.target_fpr();
}
double TargetOf(const AttributeFilter&) { return 0; }

double TargetFprOf(const FamilyFilter& filter) {
  return std::visit([](const auto& one) { return TargetOf(one); }, filter.any());
}

double HighestFprOf(const WindowRate& rate, const KeyFigures& figures) {
  return std::max(rate.highest_fpr(), figures.least_fpr);
}

}  // namespace

void DescribeRate(const FamilyFilter& filter, const KeyFigures& figures, Report& report) {
  const double predicted = figures.predicted_fpr;
  const double target = TargetFprOf(filter);
  report.Add(
      "predicted_fpr", predicted, "rate now",
      fmt::format("{} predicted for this many distinct keys{}", FormatRate(predicted, target),
                  target == 0 ? "" : fmt::format(", {} asked for", FormatRate(target, predicted))));
  report.AddField("target_fpr", target);
  DescribeHighestRate(filter, figures, report);
  if (const auto* window = std::get_if<WindowFilter>(&filter.any())) {
    report.AddField("num_excess_keys", window->GetStats().num_excess_keys);
  }
}

void DescribeHighestRate(const FamilyFilter& filter, const KeyFigures& figures, Report& report) {
  const WindowRate* rate = filter.window_rate();
  if (rate == nullptr) return;
  const double target = TargetFprOf(filter);
  const double highest = std::max(rate->highest_fpr(), figures.predicted_fpr);
  // Up to the requested rate, all insertions count as distinct keys.
  report.Add("highest_predicted_fpr", highest, "highest rate",
             (highest <= target ? "at most " : "") + FormatRate(highest, target));
}

std::string CapacityWarning(const FamilyFilter& filter, const KeyFigures& figures) {
  const uint64_t capacity = filter.capacity();
  if (capacity == 0 || figures.distinct.at_least <= capacity) return "";
  return fmt::format("The filter holds more distinct keys than it was sized for ({})",
                     FormatCount(capacity));
}

std::string WindowRateWarning(const FamilyFilter& filter, const KeyFigures& figures) {
  const WindowRate* rate = filter.window_rate();
  if (rate == nullptr) return "";
  const double target = TargetFprOf(filter);
  const double highest = HighestFprOf(*rate, figures);
  if (highest <= target) return "";
  return fmt::format(
      "the false-positive rate, predicted for distinct keys, reached {} and is {} now; {} was "
      "asked for: more keys came within the window and a bucket than it was sized for ({}); size "
      "it with a larger -n",
      FormatRate(highest, target), FormatRate(figures.predicted_fpr, target),
      FormatRate(target, highest), FormatCount(filter.capacity()));
}

void WarnOfWindowRate(const FamilyFilter& filter, const KeyFigures& figures) {
  const std::string warning = WindowRateWarning(filter, figures);
  if (!warning.empty()) WriteToStderr(fmt::format("trommel: warning: {}\n", warning));
}

}  // namespace trommel::tool
