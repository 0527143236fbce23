// Options of `trommel attr`, and what they mean once the names of the columns are known.
#include "tools/trommel/options/attr_options.h"

#include <utility>

#include "tools/trommel/input/column_names.h"
#include "tools/trommel/options/value_options.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {

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
           "Rows to size for; more may come: 250000, 10M, 1.5G");
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
  const Option together = AddCount(command, "--together", options.max_together,
                                   "The most columns that are queried together: larger sets take "
                                   "no memory");
  command
      .Repeatable("--keep", options.kept, "LIST",
                  "Columns that are queried together: only the sets that are kept so take memory "
                  "(several times; needed, or --together, for more than 16 columns)")
      .Excludes(cut)
      .Excludes(together);
  command.Repeatable("--mix", options.mix, "LIST=SHARE",
                     "Columns that are queried together, and how often relative to the other --mix "
                     "(several times; default: every set, equally often)");
  command.Repeatable("--values", options.values, "NAME=COUNT",
                     "The number of distinct values of a column that has fewer than there are rows "
                     "(several times)");
  std::vector<std::string> encodings = EncodingNames();
  encodings.emplace_back(EncodingName(Encoding::kAutomatic));
  AddEncoding(command, options.filter.encoding, encodings);
}

Result<AttributePlanRequest> AttributeOptions::PlanRequestOf(
    std::span<const std::string> names) const {
  if (Status fit = CheckNames(names); !fit.ok()) return fit.error();
  AttributePlanRequest request;
  const Result<AttributeSets> sets =
      kept.empty() ? ParseCuts(cuts, names, max_together) : ParseKept(kept, names);
  if (!sets.ok()) return sets.error();
  request.sets = *sets;
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
  request.encoding = filter.encoding;
  return request;
}

Result<AttributeConfig> AttributeOptions::ConfigOf(std::span<const std::string> names,
                                                   std::shared_ptr<Executor> executor) const {
  Result<AttributePlanRequest> request = PlanRequestOf(names);
  if (!request.ok()) return request.error();
  AttributeConfig config;
  if (memory_bytes != 0) {
    const Result<AttributePlan> plan = PlanAttributes(*request);
    if (!plan.ok()) {
      return Error{plan.error().code, NamingSets(NamingOptions(plan.error().message), names)};
    }
    config.budgets = plan->budgets();
  }
  config.sets = request->sets;
  config.names.assign(names.begin(), names.end());
  config.capacity = filter.capacity;
  config.num_values = std::move(request->num_values);
  config.target_fpr = filter.target_fpr;
  config.digest = filter.digest;
  config.encoding = filter.encoding;
  config.memory_limit_bytes = memory_limit_bytes;
  config.executor = std::move(executor);
  return config;
}

}  // namespace trommel::tool
