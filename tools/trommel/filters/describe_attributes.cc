// The report of an attribute filter: one line per set.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/input/column_names.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

constexpr size_t kMostLines = 8;  // of sets: with the other lines a screen

// The indices of the sets that are shown to people: single columns first, then pairs.
std::vector<size_t> FirstShown(std::span<const SetStats> sets) {
  std::vector<size_t> order(sets.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return std::popcount(sets[i].set); });
  order.resize(std::min(order.size(), kMostLines));
  return order;
}

}  // namespace

Json SetJson(AttributeMask set, std::span<const std::string> names) {
  Json json = Json::Array();
  for (; set != 0; set &= set - 1) {
    json.Append(names[static_cast<size_t>(std::countr_zero(set))]);
  }
  return json;
}

void DescribeAttributes(const AttributeFilter& filter, Report& report) {
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
  if (cuts_text.empty()) {
    report.AddField("cuts", std::move(cuts));
  } else {
    report.Add("cuts", std::move(cuts), "cuts", cuts_text);
  }
  if (!filter.sets().is_by_cuts()) {
    const uint32_t most = filter.sets().max_together();
    report.Add("max_together", most, "together",
               (filter.sets().is_list() ? "only the sets below, of up to " : "at most ") +
                   FormatCount(most, "attribute"));
  }
  report.Add("num_bytes", stats.num_bytes, "memory",
             FormatBytesPer(stats.num_bytes, stats.num_tuples, "row"));
  // Zeros are no line: with the sets the report is a screen.
  const auto add_refused = [&report](std::string_view name, uint64_t num_refused,
                                     std::string_view label) {
    report.AddField(name, num_refused);
    if (num_refused > 0) report.Add(name, num_refused, label, FormatCount(num_refused));
  };
  add_refused("num_refused_erases", stats.num_refused_erases, "refused erases");
  add_refused("num_refused_inserts", stats.num_refused_inserts, "refused inserts");

  size_t width = 4;
  for (const size_t i : FirstShown(stats.sets)) {
    width = std::max(width, SetText(stats.sets[i].set, names).size());
  }
  std::string text = FormatCount(stats.sets.size(), "set");
  text += fmt::format("\n  {:<{}} {:>14} {:>12} {:>11} {:>10} {:>11}", "", width, "sized for",
                      "false now", "asked for", "memory", "doublings");
  Json sets = Json::Array();
  for (size_t i = 0; i < stats.sets.size(); ++i) {
    const SetStats& set = stats.sets[i];
    sets.Append({{"set", SetJson(set.set, names)},
                 {"capacity", set.capacity},
                 {"target_fpr", set.target_fpr},
                 {"current_fpr", fill[i].current_fpr},
                 {"predicted_fpr", set.stats.predicted_fpr},
                 {"num_bytes", set.stats.num_bytes},
                 {"doublings", set.stats.most_doublings}});
  }
  for (const size_t i : FirstShown(stats.sets)) {
    const SetStats& set = stats.sets[i];
    text += fmt::format("\n  {:<{}} {:>14} {:>12} {:>11} {:>10} {:>11}", SetText(set.set, names),
                        width, FormatCount(set.capacity), FormatRate(fill[i].current_fpr),
                        FormatRate(set.target_fpr), FormatBytes(set.stats.num_bytes),
                        set.stats.most_doublings);
  }
  if (stats.sets.size() > kMostLines) {
    text += fmt::format("\n  ... and {} more (--json has all)", stats.sets.size() - kMostLines);
  }
  report.Add("sets", std::move(sets), "filters", std::move(text));
}

}  // namespace trommel::tool
