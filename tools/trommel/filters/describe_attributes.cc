// The report of an attribute filter: one line per set.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/input/column_names.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

constexpr size_t kMostLines = 100;

// A set's next generation holds twice the keys of its newest one, and a few bits more for each.
constexpr uint64_t kGrowthBytes = 2;

}  // namespace

Json SetJson(AttributeMask set, std::span<const std::string> names) {
  Json json = Json::Array();
  for (; set != 0; set &= set - 1) {
    json.Append(names[static_cast<size_t>(std::countr_zero(set))]);
  }
  return json;
}

void DescribeFilter(const AttributeFilter& filter, Report& report) {
  const AttributeStats stats = filter.GetStats();
  const std::vector<ScalableFill> fill = filter.MeasureFill();
  const std::span<const std::string> names = filter.names();
  report.Add("num_tuples", stats.num_tuples, "rows", FormatCount(stats.num_tuples));
  report.Add("attributes", SetJson(filter.sets().full(), names), "attributes",
             SetText(filter.sets().full(), names));
  Json cuts = Json::Array();
  std::string cuts_text;
  for (const AttributeMask cut : filter.sets().cuts()) {
    cuts.Append(SetJson(cut, names));
    cuts_text += (cuts_text.empty() ? "" : " and ") + SetText(cut, names);
  }
  report.Add("cuts", std::move(cuts), "cuts", cuts_text.empty() ? "none" : cuts_text);
  if (!filter.sets().is_by_cuts()) {
    const uint32_t most = filter.sets().max_together();
    report.Add("max_together", most, "together",
               (filter.sets().is_list() ? "only the sets below, of up to " : "at most ") +
                   FormatCount(most, "attribute"));
  }
  report.Add("num_bytes", stats.num_bytes, "memory",
             FormatBytesPer(stats.num_bytes, stats.num_tuples, "row"));
  report.Add("num_refused_erases", stats.num_refused_erases, "refused erases",
             FormatCount(stats.num_refused_erases));
  report.Add("num_refused_inserts", stats.num_refused_inserts, "refused inserts",
             FormatCount(stats.num_refused_inserts));

  uint64_t growth_bytes = 0;
  for (const SetStats& set : stats.sets) {
    growth_bytes += kGrowthBytes * set.stats.generations.back().geometry.num_bytes();
  }
  report.Add("growth_bytes", growth_bytes, "growth",
             fmt::format("about {} more once every set has added a generation",
                         FormatBytes(growth_bytes)));

  size_t width = 4;
  for (const SetStats& set : stats.sets) width = std::max(width, SetText(set.set, names).size());
  std::string text = FormatCount(stats.sets.size(), "set");
  text += fmt::format("\n  {:<{}} {:>14} {:>12} {:>11} {:>10} {:>11}", "", width, "sized for",
                      "false now", "asked for", "memory", "generations");
  Json sets = Json::Array();
  for (size_t i = 0; i < stats.sets.size(); ++i) {
    const SetStats& set = stats.sets[i];
    sets.Append({{"set", SetJson(set.set, names)},
                 {"capacity", set.capacity},
                 {"target_fpr", set.target_fpr},
                 {"current_fpr", fill[i].current_fpr},
                 {"predicted_fpr", set.stats.predicted_fpr},
                 {"num_bytes", set.stats.num_bytes},
                 {"num_generations", set.stats.generations.size()}});
    if (i == kMostLines) text += "\n  ... (--json has all)";
    if (i >= kMostLines) continue;
    text += fmt::format("\n  {:<{}} {:>14} {:>12} {:>11} {:>10} {:>11}", SetText(set.set, names),
                        width, FormatCount(set.capacity), FormatRate(fill[i].current_fpr),
                        FormatRate(set.target_fpr), FormatBytes(set.stats.num_bytes),
                        set.stats.generations.size());
  }
  report.Add("sets", std::move(sets), "filters", std::move(text));
  DescribeDigest(filter.digest_policy(), report);
}

}  // namespace trommel::tool
