// Options of `trommel attr`, and what they mean once the names of the columns are known.
#include "tools/trommel/options/attr_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "tools/trommel/input/column_names.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

// Plans, naming options and sets in what it fails with.
Result<AttributePlan> Planned(const AttributePlanRequest& request,
                              std::span<const std::string> names) {
  Result<AttributePlan> plan = PlanAttributes(request);
  if (plan.ok()) return plan;
  return Error{plan.error().code, NamingSets(NamingOptions(plan.error().message), names)};
}

// Plans all single columns and pairs.
Result<AttributePlan> PlanPairs(AttributePlanRequest request, std::span<const std::string> names) {
  const auto num_columns = static_cast<uint32_t>(names.size());
  Result<AttributeSets> sets = AttributeSets::AtMost(num_columns, std::min(num_columns, 2U));
  if (!sets.ok()) return sets.error();
  request.sets = *std::move(sets);
  return Planned(request, names);
}

// Those of the planned sets that fit the memory, and the single columns in any case.
Result<AttributeSets> SetsWithin(const AttributePlan& pairs, uint64_t num_bytes,
                                 std::span<const std::string> names) {
  const auto num_columns = static_cast<uint32_t>(names.size());
  std::vector<AttributeMask> kept;
  for (const bool are_single : {true, false}) {
    for (const PlannedSet& set : pairs.sets) {
      if (std::has_single_bit(set.set) != are_single) continue;
      if (!are_single && set.num_bytes > num_bytes) continue;
      num_bytes -= std::min(num_bytes, set.num_bytes);
      kept.push_back(set.set);
    }
  }
  if (kept.size() < pairs.sets.size()) return AttributeSets::Keep(num_columns, kept);
  return AttributeSets::AtMost(num_columns, std::min(num_columns, 2U));
}

}  // namespace

RowFormat RowInput::Format() const {
  RowFormat format;
  format.columns = SplitNames(columns);
  format.has_header = !no_header;
  format.strip_cr = strip_cr;
  format.as_lines = as_lines;
  format.comment = files.options.comment;
  return format;
}

void AddRowInput(Command& command, RowInput& input, const std::string& columns_help) {
  const std::string group = "How rows are read";
  AddFiles(command, input.files,
           "Files of tab-separated columns, compressed or not; none or - is standard input", group);
  AddThreads(command, input.files.num_threads);
  command.Text("--columns", input.columns, "LIST", columns_help).Group(group);
  command
      .Flag("--no-header", input.no_header,
            "The first line of each file is a row and names no columns: their numbers do")
      .Group(group);
  command
      .Flag("--crlf", input.strip_cr,
            "Lines end in CR LF: the CR is not part of the last field (by default it is)")
      .Group(group);
  AddComment(command, input.files.options.comment, group);
  AddAsLines(command, input.as_lines, group);
}

void AddAttributeSizing(Command& command, AttributeOptions& options) {
  options.filter.target_fpr = 0.01;
  AddCount(command, "-n,--capacity", options.filter.capacity,
           "Rows to size for; more may come: 250000, 10M, 1.5G (default: those of the files, which "
           "are read twice; 65,536 where one is a pipe)");
  const Option fpr = AddRate(command, "-p,--fpr", options.filter.target_fpr,
                             "False-positive rate of every set, at every size: 0.01, 1e-3, 1% "
                             "(default 1%)");
  AddBytes(command, "--memory", options.memory_bytes,
           "Divide this memory among the sets so that the fewest of the --mix's queries are "
           "answered wrongly: 64MiB, 2GB")
      .Excludes(fpr);
  const Option cut = command.Repeatable(
      "--cut", options.cuts, "LIST",
      "Columns that are never queried together: the sets that contain them all take no memory "
      "(several times)");
  const Option together = AddCount(
      command, "--together", options.max_together,
      fmt::format(
          "The most columns that are queried together: larger sets take no memory (default: "
          "2, and of the pairs as many as fit {})",
          FormatBytes(kDefaultSetBytes)));
  command
      .Repeatable("--keep", options.kept, "LIST",
                  "Columns that are queried together: only the sets that are kept so take memory "
                  "(several times)")
      .Excludes(cut)
      .Excludes(together);
  command.Repeatable("--mix", options.mix, "LIST=SHARE",
                     "Columns that are queried together, and how often relative to the other --mix "
                     "(several times; default: every set, equally often)");
  command.Repeatable("--values", options.values, "NAME=COUNT",
                     "The number of distinct values of a column that has fewer than there are rows "
                     "(several times)");
  AddCount(command, "--max-capacity", options.max_capacity,
           "Rows up to which the sets keep their rate, which rises in proportion from there on "
           "(default: 16 times -n, at least 1M); every factor of two takes 1.25 bits per row and "
           "set");
}

Result<AttributePlanRequest> AttributeOptions::PlanRequestOf(
    std::span<const std::string> names) const {
  if (Status fit = CheckNames(names); !fit.ok()) return fit.error();
  AttributePlanRequest request;
  request.capacity = filter.capacity;
  Result<std::vector<uint64_t>> counts = ParseValues(values, names, filter.capacity);
  if (!counts.ok()) return counts.error();
  request.num_values = *std::move(counts);
  for (const std::string& text : mix) {
    const Result<QueryShare> share = ParseShare(text, names);
    if (!share.ok())
      return Error{share.error().code, "--mix " + text + ": " + share.error().message};
    request.mix.push_back(*share);
  }
  request.memory_bytes = memory_bytes;
  if (memory_bytes == 0) request.target_fpr = filter.target_fpr;
  request.max_capacity = max_capacity;
  if (takes_default_sets()) {
    const Result<AttributePlan> pairs = PlanPairs(request, names);
    if (!pairs.ok()) return pairs.error();
    const Result<AttributeSets> sets = SetsWithin(*pairs, SetBytesLimit(), names);
    if (!sets.ok()) return sets.error();
    request.sets = *sets;
    return request;
  }
  const Result<AttributeSets> sets =
      kept.empty() ? ParseCuts(cuts, names, max_together) : ParseKept(kept, names);
  if (!sets.ok()) return sets.error();
  request.sets = *sets;
  return request;
}

uint64_t AttributeOptions::SetBytesLimit() const {
  return memory_limit_bytes == 0 ? kDefaultSetBytes
                                 : std::min(memory_limit_bytes, kDefaultSetBytes);
}

bool AttributeOptions::takes_default_sets() const {
  return cuts.empty() && kept.empty() && max_together == 0 && memory_bytes == 0;
}

Result<AttributeConfig> AttributeOptions::ConfigOf(std::span<const std::string> names,
                                                   std::shared_ptr<Executor> executor) const {
  Result<AttributePlanRequest> request = PlanRequestOf(names);
  if (!request.ok()) return request.error();
  AttributeConfig config;
  if (memory_bytes != 0) {
    const Result<AttributePlan> plan = Planned(*request, names);
    if (!plan.ok()) return plan.error();
    config.budgets = plan->budgets();
  }
  config.sets = request->sets;
  config.names.assign(names.begin(), names.end());
  config.capacity = filter.capacity;
  config.num_values = std::move(request->num_values);
  config.target_fpr = filter.target_fpr;
  config.digest = filter.digest;
  config.max_capacity = max_capacity;
  config.memory_limit_bytes = memory_limit_bytes;
  config.executor = std::move(executor);
  return config;
}

}  // namespace trommel::tool
