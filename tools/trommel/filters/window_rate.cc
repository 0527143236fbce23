// Rates of a window while keys went in.
#include "tools/trommel/filters/window_rate.h"

#include <fmt/core.h>

#include <algorithm>

#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {

WindowBuckets::WindowBuckets(const Figures& figures)
    : window_(FigureOr<uint64_t>(figures, "window", 1)),
      num_buckets_(FigureOr<uint64_t>(figures, "num_buckets", 1)) {}

uint64_t WindowBuckets::Of(uint64_t tick) const {
  const uint64_t whole = window_ / num_buckets_;
  const uint64_t rest = window_ % num_buckets_;
  // ceil(bucket * window / num_buckets), where the product would not always fit.
  const auto first_tick = [&](uint64_t bucket) {
    return bucket * whole + (bucket * rest + num_buckets_ - 1) / num_buckets_;
  };
  const uint64_t in_window = tick % window_;
  uint64_t bucket = in_window / (whole + (rest == 0 ? 0 : 1));  // or later: most are shorter
  while (bucket + 1 < num_buckets_ && first_tick(bucket + 1) <= in_window) ++bucket;
  return tick / window_ * num_buckets_ + bucket;
}

WindowRate::WindowRate(const AnyFilter& filter) : WindowRate(filter, filter.GetFigures(false)) {}

WindowRate::WindowRate(const AnyFilter& filter, const Figures& figures)
    : filter_(filter),
      span_(figures),
      target_fpr_(FigureOr<double>(figures, "target_fpr", 0)),
      num_blocks_(FigureOr<uint64_t>(figures, "num_blocks", 0)) {
  for (const Figures& bucket : filter.GetParts(false).second) {
    buckets_.push_back({span_.Of(FigureOr<uint64_t>(bucket, "first_tick", 0)),
                        FigureOr<uint64_t>(bucket, "num_keys", 0)});
  }
}

WindowRate::Bucket& WindowRate::At(uint64_t bucket) {
  const auto place = std::ranges::lower_bound(buckets_, bucket, {}, &Bucket::bucket);
  if (place != buckets_.end() && place->bucket == bucket) return *place;
  return *buckets_.insert(place, {bucket, 0});
}

double WindowRate::FprWith(uint64_t keys_more) const {
  uint64_t num_keys = 0;
  for (const Bucket& bucket : buckets_) num_keys += bucket.num_keys;
  return filter_.ForecastAt(std::min(num_keys, most_distinct_) + keys_more).predicted_fpr;
}

void WindowRate::Add(uint64_t num_keys, uint64_t bucket) {
  const uint64_t present = span_.Of(filter_.now());
  while (!buckets_.empty() && present - buckets_.front().bucket > span_.num_buckets()) {
    buckets_.pop_front();
  }
  Bucket& into = At(bucket);

  // The midpoint rule over the added keys.
  constexpr uint64_t kMaxSteps = 16;
  const uint64_t num_steps = std::min(num_keys, kMaxSteps);
  for (uint64_t step = 0; step < num_steps; ++step) {
    const double width = static_cast<double>(num_keys) / static_cast<double>(num_steps);
    const double middle = (static_cast<double>(step) + 0.5) * width;
    const double fpr = FprWith(static_cast<uint64_t>(middle));
    // A filter that takes all for present ends the sum: nothing is found absent any more.
    if (fpr < 1) expected_wrongly_present_ += width * fpr / (1 - fpr);
  }

  into.num_keys += num_keys;
  most_distinct_ += num_keys;
  since_measured_ += num_keys;
  if (FprWith(0) > target_fpr_) {
    if (since_measured_ < num_blocks_) return;
    since_measured_ = 0;
    most_distinct_ = FigureOr<uint64_t>(filter_.GetFigures(true), "least_distinct_keys", 0);
  }
  highest_fpr_ = std::max(highest_fpr_, FprWith(0));
}

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
