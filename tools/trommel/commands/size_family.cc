// What filters of the other types need. They are created, which uses no memory before keys are
// inserted, so that a filter too large for the machine is an error that says how large it would be.
#include <fmt/core.h>

#include <string>
#include <utility>
#include <variant>

#include "tools/trommel/commands/size.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/output/time_text.h"
#include "trommel/sizing.h"

namespace trommel::tool {
namespace {

void AddAsked(const FamilyOptions& options, Report& report) {
  report.AddField("type", std::string(FilterTypeName(options.type)));
  report.AddField("capacity", options.filter.capacity);
  report.AddField("target_fpr", options.filter.target_fpr);
}

void AddTotal(uint64_t num_bytes, uint64_t num_keys, Report& report) {
  report.Add("num_bytes", num_bytes, "memory", FormatBytesPer(num_bytes, num_keys, "key"));
}

// Which mode it is, and why: where none was asked for.
void AddMode(const ScalableFilter& filter, Report& report) {
  const std::string name(GrowthModeName(filter.mode()));
  report.Add("mode", name, "growth", fmt::format("{}: {}", name, filter.mode_reason()));
  report.AddField("mode_reason", filter.mode_reason());
}

// One row per doubling of the keys, from the first capacity to the largest.
void DescribeSize(const ScalableFilter& filter, Report& report) {
  AddMode(filter, report);
  const uint64_t largest = filter.largest_capacity();
  Json sizes = Json::Array();
  report.AddLine(fmt::format("{:>18} {:>10} {:>12}", "keys", "rate", "memory"));
  const auto add = [&](uint64_t num_keys) {
    const GrowthForecast forecast = filter.ForecastAt(num_keys);
    sizes.Append({{"num_keys", num_keys},
                  {"predicted_fpr", forecast.predicted_fpr},
                  {"num_bytes", forecast.num_bytes}});
    report.AddLine(fmt::format("{:>18} {:>10} {:>12}", FormatCount(num_keys),
                               FormatRate(forecast.predicted_fpr),
                               FormatBytes(forecast.num_bytes)));
  };
  for (uint64_t num_keys = filter.first_capacity(); num_keys < largest; num_keys *= 2) {
    add(num_keys);
  }
  add(largest);
  report.AddField("sizes", std::move(sizes));
  report.AddField("largest_capacity", largest);
  report.AddLine(fmt::format("It grows to {}.{}", FormatCount(largest, "distinct key"),
                             filter.mode() == GrowthMode::kDoubling
                                 ? " Just after a doubling it takes the memory of twice the keys."
                                 : ""));
}

void DescribeSize(const WindowFilter& filter, const FamilyOptions& options, Report& report) {
  AddTotal(filter.GetStats().num_bytes, options.filter.capacity, report);
  AddGeometry(filter, report);
  report.Add("window", filter.window(), "window",
             fmt::format("{} in {} of up to {}", FormatDuration(filter.window()),
                         FormatCount(filter.num_buckets(), "bucket"),
                         FormatDuration(filter.bucket_ticks())));
  report.AddField("num_buckets", filter.num_buckets());
  const double predicted_fpr = filter.PredictedFpr(options.filter.capacity);
  report.Add("predicted_fpr", predicted_fpr, "false positives",
             fmt::format("{} predicted at capacity, however the keys arrive",
                         FormatRate(predicted_fpr, options.filter.target_fpr)));
}

}  // namespace

int RunFamilySize(const FamilyOptions& options, const Settings& settings) {
  if (options.filter.capacity == 0) {
    return Fail(kUsageError, "give a capacity (-n)");
  }
  const Result<AnyFilter> made = options.Create(nullptr);
  if (!made.ok()) return FailOnRequest(made.error());
  Report report;
  AddAsked(options, report);
  if (const auto* scalable = std::get_if<ScalableFilter>(&*made)) {
    DescribeSize(*scalable, report);
  } else if (const auto* window = std::get_if<WindowFilter>(&*made)) {
    DescribeSize(*window, options, report);
  }
  return Finish(report, settings.json, kDone);
}

}  // namespace trommel::tool
