// trommel demo: the main job on real keys, law by law, beside an exact set.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/commands.h"
#include "tools/trommel/demo_keys.h"
#include "tools/trommel/demo_print.h"
#include "tools/trommel/demo_replay.h"
#include "tools/trommel/demo_speed.h"
#include "tools/trommel/demo_trial.h"
#include "tools/trommel/report.h"

namespace trommel::tool {
namespace {

struct DemoOptions {
  std::string path = "/";
  ReplayOptions replay;
};

int Conclude(Report& report, bool ok, std::string_view next, const Settings& settings) {
  report.AddField("ok", ok);
  if (ok) {
    report.AddLine(fmt::format("\nEvery law held. Next: {}", next));
  } else {
    report.AddLine("\nA LAW WAS BROKEN: see above. This is a bug in Trommel; please report it.");
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

  std::vector<char> stranger_bytes;
  uint64_t num_skipped = 0;
  const std::vector<std::string_view> strangers =
      MakeStrangers(keys->keys, stranger_bytes, num_skipped);
  const Encoding encoding = options.replay.encoding;
  Result<Trial> trial = RunTrial(*keys, strangers, encoding);
  if (!trial.ok()) return FailOnInput(trial.error());
  trial->num_strangers_skipped = num_skipped;
  DescribeTrial(*trial, report);
  if (const int code = ShowPart(report, settings); code != kDone) return code;

  const Result<Speed> speed = MeasureSpeed(keys->keys, strangers, encoding);
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

void AddDemoCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "demo",
      "See it work on real keys: the paths of this machine's file system, or below a folder, or\n"
      "the lines of a file. Or replay a list's history. Exits 1 if a law is broken.");
  auto options = std::make_shared<DemoOptions>();
  CLI::Option* path = command->add_option("PATH", options->path, "A folder or a file (default /)");
  CLI::Option* events = command->add_option(
      "--replay", options->replay.events,
      "Replay this TSV file: a header line, then version, unix_time, + or -, key");
  CLI::Option* base = command->add_option("--base", options->replay.base,
                                          "The keys before the first event, one a line");
  base->needs(events);
  events->needs(base)->excludes(path);
  command
      ->add_option("--negatives", options->replay.negatives,
                   "Strangers, one a line, to measure false positives with")
      ->needs(events);
  AddEncoding(*command, options->replay.encoding);
  command->callback([&settings, &run, options] {
    run = [&settings, options] {
      return options->replay.events.empty() ? RunDemo(*options, settings)
                                            : RunReplayDemo(*options, settings);
    };
  });
}

}  // namespace trommel::tool
