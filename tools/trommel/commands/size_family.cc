// What filters of the other types need. They are created, which uses no memory before keys are
// inserted, so that a filter too large for the machine is an error that says how large it would be.
#include <fmt/core.h>

#include <string>
#include <utility>

#include "tools/trommel/commands/size.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/any_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::tool {
namespace {

void AddAsked(const FamilyOptions& options, Report& report) {
  report.AddField("type", std::string(FilterTypeName(options.type)));
  report.AddField("capacity", options.filter.capacity);
  report.AddField("target_fpr", options.filter.target_fpr);
}

// One row per doubling of the keys, from the first capacity to the largest.
void DescribeGrowth(const ScalableFilter& filter, Report& report) {
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
  report.AddLine(fmt::format(
      "It grows to {}. Its parts grow in steps: just after one they take the memory of up to twice "
      "the keys.",
      FormatCount(largest, "distinct key")));
}

void DescribeSize(const AnyFilter& filter, const FamilyOptions& options, Report& report) {
  const Figures figures = filter.GetFigures(/*measured=*/false);
  const uint64_t num_bytes = CountIn(figures, "num_bytes");
  report.Add("num_bytes", num_bytes, "memory",
             FormatBytesPer(num_bytes, options.filter.capacity, "key"));
  DescribeFigures(
      figures,
      {"num_blocks", "num_slots", "shard_bits", "fingerprint_bits", "window", "num_buckets"},
      report);
  const double predicted_fpr = filter.ForecastAt(options.filter.capacity).predicted_fpr;
  report.Add("predicted_fpr", predicted_fpr, "false positives",
             fmt::format("{} predicted at capacity, however the keys arrive",
                         FormatRate(predicted_fpr, options.filter.target_fpr)));
}

}  // namespace

int RunFamilySize(const FamilyOptions& options, const Settings& settings) {
  if (options.filter.capacity == 0) {
    return Fail(kUsageError, "give a capacity (-n)");
  }
  const Result<AnyFilterPtr> made = options.Create(nullptr);
  if (!made.ok()) return FailOnRequest(made.error());
  Report report;
  AddAsked(options, report);
  if (const auto* scalable = (*made)->As<ScalableFilter>()) {
    DescribeGrowth(*scalable, report);
  } else {
    DescribeSize(**made, options, report);
  }
  return Finish(report, settings.json, kDone);
}

}  // namespace trommel::tool
