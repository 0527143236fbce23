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

struct DemoOptions {
  std::string path = "/";
  ReplayOptions replay;
};

int Conclude(Report& report, bool ok, std::string_view next, const Settings& settings) {
  report.AddField("ok", ok);
  if (ok) {
    report.AddLine(fmt::format("\nEvery invariant held. Next: {}", next));
  } else {
    report.AddLine(
        "\nAN INVARIANT IS BROKEN: see above. This is a bug in Trommel; please report it.");
  }
  return Finish(report, settings.json, ok ? kDone : kNegativeAnswer);
}

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
  const Result<DemoKeys> keys = CollectDemoKeys(options.path, limits);
  if (!keys.ok()) return FailOnInput(keys.error());
  DescribeKeys(*keys, report);
  if (const int code = ShowPart(report, settings); code != kDone) return code;

  std::vector<char> non_member_bytes;
  uint64_t num_skipped = 0;
  const std::vector<std::string_view> non_members =
      MakeNonMembers(keys->keys, non_member_bytes, num_skipped);
  const Encoding encoding = options.replay.encoding;
  Result<Trial> trial = RunTrial(*keys, non_members, encoding);
  if (!trial.ok()) return FailOnInput(trial.error());
  trial->num_non_members_skipped = num_skipped;
  DescribeTrial(*trial, report);
  if (const int code = ShowPart(report, settings); code != kDone) return code;

  const Result<Speed> speed = MeasureSpeed(keys->keys, non_members, encoding);
  if (!speed.ok()) return FailOnInput(speed.error());
  DescribeSpeed(*speed, *trial, report);
  return Conclude(report, trial->ok(),
                  fmt::format("{} build -o my.trommel YOUR_KEYS.txt", settings.program), settings);
}

int RunReplayDemo(const DemoOptions& options, const Settings& settings) {
  const Result<Replay> replay = RunReplay(options.replay);
  if (!replay.ok()) return FailOnInput(replay.error());
  Report report;
  DescribeReplay(*replay, report);
  return Conclude(report, replay->ok(),
                  fmt::format("{0} demo, or {0} build --help", settings.program), settings);
}

}  // namespace

void AddDemoCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "demo",
      "See a filter at work on real keys: the paths of this machine's files.\n"
      "Or on the paths below a folder, or on the lines of a file; or replay a list's history.\n"
      "Exits 1 if an invariant is broken.");
  auto options = std::make_shared<DemoOptions>();
  const Option path = command.Text("PATH", options->path, "", "A folder or a file (default /)");
  const Option events =
      command.Text("--replay", options->replay.events, "FILE",
                   "Replay this TSV file: a header line, then version, unix_time, + or -, key");
  const Option base = command.Text("--base", options->replay.base, "FILE",
                                   "The keys before the first event, one per line");
  base.Needs(events);
  events.Needs(base).Excludes(path);
  command
      .Text("--negatives", options->replay.negatives, "FILE",
            "Non-members, one per line, to measure false positives with")
      .Needs(events);
  AddEncoding(command, options->replay.encoding);
  command.SetAction([&settings, options] {
    return options->replay.events.empty() ? RunDemo(*options, settings)
                                          : RunReplayDemo(*options, settings);
  });
}

}  // namespace trommel::tool
