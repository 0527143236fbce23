// trommel fold and grow: a filter file of half or twice the blocks, without its keys.
#include <fmt/core.h>

#include <memory>
#include <string>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/passes/filter_update.h"
#include "trommel/any_filter.h"

namespace trommel::tool {
namespace {

struct ResizeSteps {
  const char* name;
  Status (AnyFilter::*resize)();
};

int RunResize(const UpdateOptions& options, const Settings& settings, const ResizeSteps& steps) {
  // No keys are read.
  Result<FilterUpdate> update =
      FilterUpdate::Begin(options, KeyInput(), settings, FilterFile::Load);
  if (!update.ok()) return FailOnRequest(update.error());
  AnyFilter& filter = update->filter();
  const uint64_t num_blocks = CountIn(filter.GetFigures(/*measured=*/false), "num_blocks");
  if (const Status resized = (filter.*steps.resize)(); !resized.ok()) {
    return FailOnRequest(
        {resized.error().code,
         fmt::format("{}: {}", options.filter, NamingOptions(resized.error().message))});
  }
  return update->Finish(settings.json, [&](Report& report) {
    report.Add("num_blocks_before", num_blocks, "before", FormatCount(num_blocks, "block"));
    DescribeFilter(filter, report);
    return kDone;
  });
}

void AddResize(Command& parent, const Settings& settings, const std::string& description,
               const ResizeSteps& steps) {
  Command command = parent.AddSubcommand(steps.name, description);
  auto options = std::make_shared<UpdateOptions>();
  AddUpdate(command, *options);
  command.SetAction([&settings, options, steps] { return RunResize(*options, settings, steps); });
}

}  // namespace

void AddFoldCommand(Command& parent, const Settings& settings) {
  AddResize(parent, settings,
            "Halve the blocks of a filter file.\n"
            "The result has the bytes of a filter that was made with half the blocks. The number\n"
            "of blocks must be even (trommel build --power-of-two). More non-members are \"maybe\n"
            "present\" then, unless trommel grow has doubled the blocks, and more blocks are\n"
            "promoted.",
            {"fold", &AnyFilter::Fold});
}

void AddGrowCommand(Command& parent, const Settings& settings) {
  AddResize(parent, settings,
            "Double the blocks of a filter file of fingerprints.\n"
            "Each fingerprint gives up a bit: the rate stays about the same for the keys that are\n"
            "in, and there is room for as many again. Needs --encoding fingerprints16 or\n"
            "dense; other filters keep no digests to tell blocks apart.",
            {"grow", &AnyFilter::Grow});
}

}  // namespace trommel::tool
