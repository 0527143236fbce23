// What filters of the other types need. They are created, which uses no memory before keys are
// inserted, so that a filter too large for the machine is an error that says how large it would be.
#include <fmt/core.h>

#include <algorithm>
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

std::string GeometryText(const Geometry& geometry) {
  return fmt::format("{} of {}, {}", FormatCount(geometry.num_blocks, "block"), ShapeText(geometry),
                     EncodingName(geometry.encoding));
}

void AddAsked(const FamilyOptions& options, Report& report) {
  report.AddField("type", std::string(FilterTypeName(options.type)));
  report.AddField("capacity", options.filter.capacity);
  if (options.num_positions != 0) report.AddField("num_positions", options.num_positions);
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

// One row per doubling, just before it, until the largest capacity is reached.
void DescribeDoublings(const ScalableFilter& filter, Report& report) {
  AddMode(filter, report);
  const uint64_t largest = filter.largest_capacity();
  Json sizes = Json::Array();
  report.AddLine(fmt::format("{:>9} {:>18} {:>10} {:>12}", "doublings", "keys", "rate", "memory"));
  uint32_t num_doublings = 0;
  for (uint64_t num_keys = filter.first_capacity(); num_keys <= largest; num_keys *= 2) {
    const GrowthForecast forecast = filter.ForecastAt(num_keys);
    sizes.Append({{"doublings", num_doublings},
                  {"num_keys", num_keys},
                  {"predicted_fpr", forecast.predicted_fpr},
                  {"num_bytes", forecast.num_bytes}});
    report.AddLine(fmt::format("{:>9} {:>18} {:>10} {:>12}", num_doublings, FormatCount(num_keys),
                               FormatRate(forecast.predicted_fpr),
                               FormatBytes(forecast.num_bytes)));
    ++num_doublings;
  }
  report.AddField("sizes", std::move(sizes));
  report.AddField("largest_capacity", largest);
  report.AddField("largest_fpr", filter.largest_fpr());
  report.AddLine(
      fmt::format("It grows to {}; just after a doubling it takes the memory of twice "
                  "the keys.",
                  FormatCount(largest, "distinct key")));
}

// One row per slot, sized as the filter would size it, until the largest capacity is reached.
void DescribeSize(const ScalableFilter& filter, const FamilyOptions& options, Report& report) {
  if (filter.mode() == GrowthMode::kDoubling) return DescribeDoublings(filter, report);
  AddMode(filter, report);
  const ScalableConfig defaults;
  const GenerationStats first = filter.GetStats().generations.front();
  const bool is_identical = filter.mode() == GrowthMode::kIdentical;
  const uint64_t largest = filter.largest_capacity();
  Json slots = Json::Array();
  report.AddLine(fmt::format("{:>4} {:>16} {:>16} {:>10} {:>12}", "slot", "keys", "keys so far",
                             "rate", "memory so far"));
  double rate_so_far = 0;
  uint64_t keys_so_far = 0;
  uint64_t bytes_so_far = 0;
  constexpr uint32_t kMostRows = 40;
  uint64_t capacity = first.capacity;
  double rate = is_identical ? filter.generation_fpr() : first.budget_fpr;
  for (uint32_t slot = 0; slot < kMostRows && keys_so_far < largest; ++slot) {
    uint64_t num_bytes = first.geometry.num_bytes();
    if (!is_identical && slot > 0) {
      SizingRequest request = options.filter.ToRequest();
      request.encoding = first.geometry.encoding;
      request.capacity = capacity;
      request.target_fpr = rate;
      const Result<Sizing> sizing = SizeFor(request);
      if (!sizing.ok()) break;
      num_bytes = sizing->geometry.num_bytes() + sizing->predicted_side_table_bytes;
    }
    keys_so_far += capacity;
    bytes_so_far += num_bytes;
    rate_so_far = 1 - (1 - rate_so_far) * (1 - rate);
    slots.Append({{"slot", slot},
                  {"capacity", capacity},
                  {"keys_so_far", keys_so_far},
                  {"fpr_so_far", rate_so_far},
                  {"bytes_so_far", bytes_so_far}});
    report.AddLine(fmt::format("{:>4} {:>16} {:>16} {:>10} {:>12}", slot, FormatCount(capacity),
                               FormatCount(keys_so_far), FormatRate(rate_so_far),
                               FormatBytes(bytes_so_far)));
    if (is_identical) continue;
    capacity *= defaults.growth;
    rate *= defaults.tightening;
  }
  report.AddField("slots", std::move(slots));
  report.AddField("largest_capacity", largest);
  if (is_identical) DescribeLargestRate(filter, report);
  report.AddLine(fmt::format("Growth is {} and ends at {}.", GrowthModeName(filter.mode()),
                             FormatCount(largest, "distinct key")));
}

void DescribeSize(const WindowFilter& filter, const FamilyOptions& options, Report& report) {
  const bool has_slots = filter.form() != WindowForm::kBucketRing;
  const uint64_t num_stores = filter.num_buckets() + 2;
  AddTotal(has_slots ? filter.GetStats().num_bytes : num_stores * filter.geometry().num_bytes(),
           options.filter.capacity, report);
  report.Add("form", std::string(WindowFormName(filter.form())), "form",
             std::string(WindowFormName(filter.form())));
  report.Add("window", filter.window(), "window",
             fmt::format("{} in {} of up to {}", FormatDuration(filter.window()),
                         FormatCount(filter.num_buckets(), "bucket"),
                         FormatDuration(filter.bucket_ticks())));
  report.AddField("num_buckets", filter.num_buckets());
  if (has_slots) {
    const double predicted_fpr = filter.PredictedFpr(options.filter.capacity);
    report.Add("predicted_fpr", predicted_fpr, "false positives",
               fmt::format("{} predicted at capacity, however the keys arrive",
                           FormatRate(predicted_fpr, options.filter.target_fpr)));
    return;
  }
  report.Add(
      "bucket_capacity", filter.bucket_capacity(), "per bucket",
      fmt::format("{}: {}, {}", FormatCount(filter.bucket_capacity(), "key"),
                  FormatBytes(filter.geometry().num_bytes()), GeometryText(filter.geometry())));
  report.AddField("bucket_num_bytes", filter.geometry().num_bytes());
  FamilyOptions even = options;
  even.bucket_capacity = 1;
  const Result<AnyFilter> made = even.Create(nullptr);
  if (!made.ok()) return;
  const uint64_t even_bytes = num_stores * std::get<WindowFilter>(*made).geometry().num_bytes();
  report.Add("even_num_bytes", even_bytes, "even arrival",
             fmt::format("{} with --bucket-capacity 1", FormatBytes(even_bytes)));
}

void DescribeSize(const CountingFilter&, const FamilyOptions&, Report&) {}   // size.cc does it
void DescribeSize(const AttributeFilter&, const FamilyOptions&, Report&) {}  // attr_size.cc does it

}  // namespace

int RunFamilySize(const FamilyOptions& options, const Settings& settings) {
  if (options.filter.capacity == 0 && options.num_positions == 0) {
    return Fail(kUsageError, "give a capacity (-n)");
  }
  const Result<AnyFilter> made = options.Create(nullptr);
  if (!made.ok()) return FailOnRequest(made.error());
  Report report;
  AddAsked(options, report);
  std::visit([&](const auto& filter) { DescribeSize(filter, options, report); }, *made);
  return Finish(report, settings.json, kDone);
}

}  // namespace trommel::tool
