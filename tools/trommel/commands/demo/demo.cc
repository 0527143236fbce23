// trommel demo: a filter on real keys beside an exact set, invariant by invariant.
#include "tools/trommel/commands/demo/demo.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/options/value_options.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

// Of a machine with fewer files, such as a container that has this program alone, there is nothing
// to see: keys are made up.
constexpr size_t kLeastPaths = 1000;
constexpr size_t kMadeKeys = 200'000;

struct DemoOptions {
  std::string path;
  Encoding encoding = CountingConfig{}.encoding;
};

// For people each part appears as soon as it is known; for programs all is one object at the end.
int ShowPart(Report& report, const Settings& settings) {
  if (settings.json) return kDone;
  const int code = Finish(report, false, kDone);
  report = Report();
  return code;
}

int RunDemo(const DemoOptions& options, const Settings& settings) {
  Report report;
  DemoLimits limits;
  limits.show_progress = !settings.quiet;
  Result<DemoKeys> keys = CollectDemoKeys(options.path.empty() ? "/" : options.path, limits);
  if (options.path.empty() && (!keys.ok() || keys->keys.size() < kLeastPaths)) {
    keys = MakeDemoKeys(kMadeKeys);
  }
  if (!keys.ok()) return FailOnInput(keys.error());
  DescribeKeys(*keys, report);
  if (const int code = ShowPart(report, settings); code != kDone) return code;

  std::vector<char> non_member_bytes;
  uint64_t num_skipped = 0;
  const std::vector<std::string_view> non_members =
      MakeNonMembers(keys->keys, non_member_bytes, num_skipped);
  Result<Trial> trial = RunTrial(*keys, non_members, options.encoding);
  if (!trial.ok()) return FailOnInput(trial.error());
  trial->num_non_members_skipped = num_skipped;
  DescribeTrial(*trial, report);
  if (const int code = ShowPart(report, settings); code != kDone) return code;

  const Result<Speed> speed = MeasureSpeed(keys->keys, non_members, options.encoding);
  if (!speed.ok()) return FailOnInput(speed.error());
  DescribeSpeed(*speed, *trial, report);
  report.AddField("ok", trial->ok());
  report.AddLine(
      trial->ok()
          ? fmt::format("\nEvery invariant held. Next:\n  {} build -o my.trommel YOUR_KEYS.txt",
                        settings.program)
          : "\nAN INVARIANT IS BROKEN: see above. This is a bug in Trommel; please report it.");
  return Finish(report, settings.json, trial->ok() ? kDone : kNegativeAnswer);
}

}  // namespace

void AddDemoCommand(Command& parent, const Settings& settings) {
  Command command =
      parent.AddSubcommand("demo",
                           "See a filter at work on real keys: the paths of this machine's files.\n"
                           "Or on the paths below a folder, or on the lines of a file.\n"
                           "Exits 1 if an invariant is broken.");
  auto options = std::make_shared<DemoOptions>();
  command.Text("PATH", options->path, "",
               "A folder, or a file of lines, compressed or not (default /)");
  AddEncoding(command, options->encoding);
  command.SetAction([&settings, options] { return RunDemo(*options, settings); });
}

}  // namespace trommel::tool
