// trommel attr size: what sets of columns need, beside a matrix of cells. Nothing is built.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/trommel/commands/attr/attr_commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/input/column_names.h"
#include "tools/trommel/options/attr_options.h"
#include "tools/trommel/options/value_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr size_t kMostSetsShown = 100;

struct AttrSizeOptions {
  std::string columns;
  uint64_t num_hashes = 0;
  AttributeOptions attributes;
};

// Matrices can be larger than any number of bytes that fits an integer.
std::string BytesText(double num_bytes) {
  if (num_bytes < 1e18) return FormatBytes(static_cast<uint64_t>(std::ceil(num_bytes)));
  return fmt::format("{:.2e} B", num_bytes);
}

void DescribeSets(const AttributePlan& plan, std::span<const std::string> names, Report& report) {
  size_t width = 4;
  for (const PlannedSet& set : plan.sets) width = std::max(width, SetText(set.set, names).size());
  const bool has_matrix = plan.matrix_bytes != 0;
  report.AddLine(fmt::format("{:<{}} {:>8} {:>14} {:>10} {:>11}", "set", width, "asked", "values",
                             "memory", "false") +
                 (has_matrix ? fmt::format(" {:>11} {:>13}", "in matrix", "cells") : ""));
  Json sets = Json::Array();
  for (size_t i = 0; i < plan.sets.size(); ++i) {
    const PlannedSet& set = plan.sets[i];
    sets.Append({{"set", SetJson(set.set, names)},
                 {"weight", set.weight},
                 {"capacity", set.capacity},
                 {"target_fpr", set.target_fpr},
                 {"predicted_fpr", set.predicted_fpr},
                 {"num_bytes", set.num_bytes},
                 {"num_cells", set.num_cells},
                 {"matrix_fpr", set.matrix_fpr}});
    if (i == kMostSetsShown) report.AddLine("... (--json has all)");
    if (i >= kMostSetsShown) continue;
    std::string line = fmt::format("{:<{}} {:>7.1f}% {:>14} {:>10} {:>11}", SetText(set.set, names),
                                   width, set.weight * 100, FormatCount(set.capacity),
                                   FormatBytes(set.num_bytes), FormatRate(set.predicted_fpr));
    if (has_matrix) {
      line += fmt::format(" {:>11} {:>13}", FormatRate(set.matrix_fpr), FormatCount(set.num_cells));
    }
    report.AddLine(line);
  }
  report.AddField("sets", std::move(sets));
}

void DescribePlan(const AttributePlan& plan, const AttributeOptions& options, Report& report) {
  const bool is_filter = plan.better == AttributeStructure::kFilter;
  report.AddLine("");
  report.Add("num_sets", plan.sets.size(), "sets", FormatCount(plan.sets.size()));
  report.Add("filter_bytes", plan.filter_bytes, "filter",
             fmt::format("{}; false-positive rate over the mix {}",
                         FormatBytesPer(plan.filter_bytes, options.filter.capacity, "row"),
                         FormatRate(plan.filter_expected_fpr)));
  report.AddField("filter_expected_fpr", plan.filter_expected_fpr);
  report.AddField("capacity", options.filter.capacity);
  if (options.memory_bytes == 0) report.AddField("target_fpr", options.filter.target_fpr);
  if (plan.matrix_bytes == 0) return;
  report.Add(
      "matrix_bytes", plan.matrix_bytes, "matrix",
      fmt::format("{} of cells, {}; false-positive rate {}; the filter's rate needs {}",
                  FormatBytes(plan.matrix_bytes), FormatCount(plan.matrix.num_hashes, "hash"),
                  FormatRate(plan.matrix_expected_fpr),
                  BytesText(plan.matrix_bytes_for_filter_fpr)));
  report.AddField("matrix_expected_fpr", plan.matrix_expected_fpr);
  report.AddField("matrix_bytes_for_filter_fpr", plan.matrix_bytes_for_filter_fpr);
  report.AddField("matrix_num_hashes", plan.matrix.num_hashes);
  report.Add("better", is_filter ? "filter" : "matrix", "better here",
             is_filter ? "filter" : "matrix (but it cannot erase)");
}

int RunAttrSize(const AttrSizeOptions& options, const Settings& settings) {
  if (options.attributes.filter.capacity == 0) {
    return Fail(kUsageError, "give the number of rows with -n");
  }
  const std::vector<std::string> names = SplitNames(options.columns);
  Result<AttributePlanRequest> request = options.attributes.PlanRequestOf(names);
  if (!request.ok()) return FailOnRequest(request.error());
  request->num_hashes = static_cast<uint32_t>(std::min<uint64_t>(options.num_hashes, UINT32_MAX));
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
      "With --memory: the rates of that memory. Beside them, the published matrix of cells (CBFM)\n"
      "in the same memory (up to 16 columns, without --keep and --together).");
  auto options = std::make_shared<AttrSizeOptions>();
  command.Text("--columns", options->columns, "LIST", "The columns there will be: src_ip,domain")
      .Required();
  AddAttributeSizing(command, options->attributes);
  AddCount(command, "--hashes", options->num_hashes, "Hashes of the matrix (default 6)");
  command.SetAction([&settings, options] { return RunAttrSize(*options, settings); });
}

}  // namespace trommel::tool
