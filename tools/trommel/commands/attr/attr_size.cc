// trommel attr size: what sets of columns need. Nothing is built.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/trommel/commands/attr/attr_commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/input/column_names.h"
#include "tools/trommel/options/attr_options.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr size_t kMostSetsShown = 100;

struct AttrSizeOptions {
  std::string columns;
  AttributeOptions attributes;
};

void DescribeSets(const AttributePlan& plan, std::span<const std::string> names, Report& report) {
  size_t width = 4;
  for (const PlannedSet& set : plan.sets) width = std::max(width, SetText(set.set, names).size());
  report.AddLine(fmt::format("{:<{}} {:>8} {:>14} {:>10} {:>11}", "set", width, "asked", "values",
                             "memory", "false"));
  Json sets = Json::Array();
  for (size_t i = 0; i < plan.sets.size(); ++i) {
    const PlannedSet& set = plan.sets[i];
    sets.Append({{"set", SetJson(set.set, names)},
                 {"weight", set.weight},
                 {"capacity", set.capacity},
                 {"target_fpr", set.target_fpr},
                 {"predicted_fpr", set.predicted_fpr},
                 {"num_bytes", set.num_bytes}});
    if (i == kMostSetsShown) report.AddLine("... (--json has all)");
    if (i >= kMostSetsShown) continue;
    report.AddLine(fmt::format("{:<{}} {:>7.1f}% {:>14} {:>10} {:>11}", SetText(set.set, names),
                               width, set.weight * 100, FormatCount(set.capacity),
                               FormatBytes(set.num_bytes), FormatRate(set.predicted_fpr)));
  }
  report.AddField("sets", std::move(sets));
}

void DescribePlan(const AttributePlan& plan, const AttributeOptions& options, Report& report) {
  report.AddLine("");
  report.Add("num_sets", plan.sets.size(), "sets", FormatCount(plan.sets.size()));
  report.Add("num_bytes", plan.num_bytes, "memory",
             fmt::format("{}; false-positive rate over the mix {}",
                         FormatBytesPer(plan.num_bytes, options.filter.capacity, "row"),
                         FormatRate(plan.expected_fpr)));
  report.AddField("expected_fpr", plan.expected_fpr);
  report.AddField("capacity", options.filter.capacity);
  if (options.memory_bytes == 0) report.AddField("target_fpr", options.filter.target_fpr);
}

int RunAttrSize(const AttrSizeOptions& options, const Settings& settings) {
  if (options.attributes.filter.capacity == 0) {
    return Fail(kUsageError, "give the number of rows with -n");
  }
  const std::vector<std::string> names = SplitNames(options.columns);
  Result<AttributePlanRequest> request = options.attributes.PlanRequestOf(names);
  if (!request.ok()) return FailOnRequest(request.error());
  const Result<AttributePlan> plan = PlanAttributes(*request);
  if (!plan.ok()) {
    return FailOnRequest(
        {plan.error().code, NamingSets(NamingOptions(plan.error().message), names)});
  }
  Report report;
  DescribeSets(*plan, names, report);
  DescribePlan(*plan, options.attributes, report);
  return Finish(report, settings.json, kDone);
}

}  // namespace

void AddAttrSizeCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "size",
      "Show the memory that sets of columns need at a false-positive rate, or the reverse.\n"
      "With --memory: the rates of that memory.\n"
      "Where rows are about as many as combinations of values, and none is ever erased, the "
      "published\n"
      "matrix of cells (CBFM) takes less: trommel/matrix/sizing.h sizes it.");
  auto options = std::make_shared<AttrSizeOptions>();
  command.Text("--columns", options->columns, "LIST", "The columns there will be: src_ip,domain")
      .Required();
  AddAttributeSizing(command, options->attributes);
  command.SetAction([&settings, options] { return RunAttrSize(*options, settings); });
}

}  // namespace trommel::tool
