// The rate after keys went in.
#include "tools/trommel/filters/rate_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {

void DescribeRate(const Figures& figures, const WindowRate* rate, Report& report) {
  const double predicted = RateIn(figures, "predicted_fpr");
  const double target = RateIn(figures, "target_fpr");
  report.Add(
      "predicted_fpr", predicted, "rate now",
      fmt::format("{} predicted for this many distinct keys{}", FormatRate(predicted, target),
                  target == 0 ? "" : fmt::format(", {} asked for", FormatRate(target, predicted))));
  report.AddField("target_fpr", target);
  DescribeHighestRate(figures, rate, report);
  DescribeFigures(figures, {"num_excess_keys"}, report);
}

void DescribeHighestRate(const Figures& figures, const WindowRate* rate, Report& report) {
  if (rate == nullptr) return;
  const double target = RateIn(figures, "target_fpr");
  const double highest = std::max(rate->highest_fpr(), RateIn(figures, "predicted_fpr"));
  // Up to the requested rate, all insertions count as distinct keys.
  report.Add("highest_predicted_fpr", highest, "highest rate",
             (highest <= target ? "at most " : "") + FormatRate(highest, target));
}

std::string CapacityWarning(const Figures& figures) {
  const uint64_t capacity = CountIn(figures, "capacity");
  if (capacity == 0 || CountIn(figures, "least_distinct_keys") <= capacity) return "";
  return fmt::format("The filter holds more distinct keys than it was sized for ({})",
                     FormatCount(capacity));
}

std::string WindowRateWarning(const Figures& figures, const WindowRate* rate) {
  if (rate == nullptr) return "";
  const double target = RateIn(figures, "target_fpr");
  const double highest = std::max(rate->highest_fpr(), RateIn(figures, "least_fpr"));
  if (highest <= target) return "";
  return fmt::format(
      "the false-positive rate, predicted for distinct keys, reached {} and is {} now; {} was "
      "asked for: more keys came within the window and a bucket than it was sized for ({}); size "
      "it with a larger -n",
      FormatRate(highest, target), FormatRate(RateIn(figures, "predicted_fpr"), target),
      FormatRate(target, highest), FormatCount(CountIn(figures, "capacity")));
}

void WarnOfWindowRate(const Figures& figures, const WindowRate* rate) {
  const std::string warning = WindowRateWarning(figures, rate);
  if (!warning.empty()) WriteToStderr(fmt::format("trommel: warning: {}\n", warning));
}

}  // namespace trommel::tool
