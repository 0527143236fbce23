// trommel merge: filter files of one kind as one.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/filters/window_rate.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/options/filter_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

struct MergeOptions {
  OutputOptions output;
  std::vector<std::string> filters;
  uint64_t memory_limit_bytes = 0;
};

// Adds the other filter's counts. Fails with kInvalidArgument for what has no common filter.
Status MergeInto(AnyFilter& into, AnyFilter& other) {
  if (into.type() != other.type()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("their types are {} and {}; build all with one --type, or all without",
                             FilterTypeName(into.type()), FilterTypeName(other.type()))};
  }
  for (AnyFilter* filter : {&into, &other}) {
    // Windows are merged as of the later of their times.
    if (filter->expires()) (void)filter->Advance(std::max(into.now(), other.now()));
  }
  const Status merged = into.Merge(other);
  if (merged.ok() || merged.error().code != ErrorCode::kMismatch) return merged;
  return Error{ErrorCode::kInvalidArgument,
               merged.error().message +
                   "; filters that are to be merged are built with the same -n, -p, --type and "
                   "other options; of scalable ones -n may differ"};
}

int RunMerge(const MergeOptions& options, const Settings& settings) {
  // The output may be one of the filters: it is locked, loaded and then replaced.
  Result<FilterOutput> output = FilterOutput::Claim(options.output, {}, settings.quiet);
  if (!output.ok()) return FailOnRequest(output.error());
  std::optional<FilterFile> merged;
  for (const std::string& path : options.filters) {
    Result<FilterFile> file = FilterFile::Load(path, {}, options.memory_limit_bytes);
    if (!file.ok()) return FailOnInput(file.error());
    if (!merged) {
      merged.emplace(*std::move(file));
      continue;
    }
    const Status added = MergeInto(merged->filter(), file->filter());
    if (!added.ok()) {
      return FailOnRequest(
          {added.error().code, fmt::format("{} cannot be merged with {}: {}", path,
                                           options.filters.front(), added.error().message)});
    }
    if (file->metadata() != merged->metadata()) {
      PrintNote(fmt::format("{}: its user metadata is not that of {}, and is left out", path,
                            options.filters.front()));
    }
  }
  NoteInterrupts();  // not before: until here nothing was changed
  const AnyFilter& filter = merged->filter();
  return FinishChange(
      output->path(), settings.json, [&] { return output->Save(*merged); },
      [&](Report& report) {
        report.Add("filter", output->path(), "written", output->path());
        report.Add("num_merged", options.filters.size(), "merged",
                   FormatCount(options.filters.size(), "filter"));
        DescribeFilter(filter, report);
        const std::string warning = CapacityWarning(filter.GetFigures(/*measured=*/true));
        if (!warning.empty()) {
          report.AddLine(warning + ": build the parts with an -n for all of them.");
        }
        return kDone;
      });
}

}  // namespace

void AddMergeCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "merge",
      "Merge filter files into one, as if all their keys had been inserted there.\n"
      "The filters must have been built with the same options: one geometry and one digest, or\n"
      "none with -n, so that they grow. Counts add up, so that keys can be erased again. The\n"
      "output may be one of the filters (--force); it is replaced in one step.");
  auto options = std::make_shared<MergeOptions>();
  command.Arguments("FILTERS", options->filters, "Filter files").Required();
  AddOutput(command, options->output);
  AddMemoryLimit(command, options->memory_limit_bytes);
  command.SetAction([&settings, options] { return RunMerge(*options, settings); });
}

}  // namespace trommel::tool
