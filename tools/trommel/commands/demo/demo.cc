// trommel demo: a filter on real keys beside an exact set, invariant by invariant, and what it
// shows.
#include "tools/trommel/commands/demo/demo.h"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bench/sweep/sweep_plan.h"
#include "tools/trommel/commands/size.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/targets.h"
#include "trommel/version.h"

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

void DescribeSpeed(const bench::SideSpeed& speed, Report& report) {
  report.AddField("measured_ns", {{"insert", speed.insert_ns},
                                  {"erase", speed.erase_ns},
                                  {"query_hit", speed.query_hit_ns},
                                  {"query_miss", speed.query_miss_ns}});
  report.AddLine(fmt::format(
      "\nns per key: insert {:.1f}, erase {:.1f}, query of a member {:.1f}, of others {:.1f}\n"
      "  One thread, batches of {} keys that were hashed before; trommel bench has\n"
      "  hashing, threads and the limits of this machine's memory, too.",
      speed.insert_ns, speed.erase_ns, speed.query_hit_ns, speed.query_miss_ns,
      FormatCount(bench::kSpeedBatch)));
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

  if (trial->num_keys >= bench::kMinSweepKeys) {  // fewer take too short for the clock
    Sizing sizing;
    sizing.geometry = trial->geometry;
    sizing.capacity = trial->num_keys;
    Speeds speeds;
    if (const int code = MeasureSizings({&sizing, 1}, settings, speeds); code != kDone) return code;
    DescribeSpeed(speeds.front(), report);
  }
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

namespace {

// The end of what is too long for its line.
std::string Shortened(const std::string& text, size_t width) {
  return text.size() <= width ? text : "..." + text.substr(text.size() - (width - 3));
}

std::string Verdict(bool holds) { return holds ? "ok" : "BROKEN"; }

Json ToJson(const Answers& answers) {
  return {{"num_asked", answers.num_asked},
          {"num_maybe_present", answers.num_maybe_present},
          {"expected_rate", answers.expected_rate},
          {"sigma", answers.sigma()}};
}

// One query of the trial: how many keys, how many maybe present, how many expected.
std::string AnswersLine(std::string_view query, const Answers& answers) {
  const double expected = answers.expected_rate * static_cast<double>(answers.num_asked);
  const bool is_exact = answers.expected_rate == 1;
  const bool holds = is_exact ? answers.all_present() : answers.as_expected();
  const std::string deviations = is_exact ? "" : fmt::format(" {:.1f} sigma", answers.deviations());
  return fmt::format("  {:<31}{:>10}{:>11}{:>11}  {}{}", query, FormatCount(answers.num_asked),
                     FormatCount(answers.num_maybe_present),
                     FormatCount(static_cast<uint64_t>(std::llround(expected))), Verdict(holds),
                     deviations);
}

std::string InvariantLine(std::string_view invariant, bool holds) {
  return fmt::format("  {:<63}  {}", invariant, Verdict(holds));
}

}  // namespace

void DescribeKeys(const DemoKeys& keys, Report& report) {
  const auto num_keys = keys.keys.size();
  report.AddField("version", std::string(LinkedVersion()));
  report.AddField("target", std::string(ActiveTarget()));
  report.AddField("source", keys.source);
  report.AddField("num_keys", num_keys);
  report.AddField("key_bytes", keys.bytes.size());
  report.AddLine(fmt::format("Trommel {} on {}: a counting filter beside an exact set",
                             LinkedVersion(), ActiveTarget()));
  report.AddLine(fmt::format("\nKeys: {}{}", Shortened(keys.source, 50),
                             keys.stopped.empty() ? "" : ", " + keys.stopped));
  report.AddLine(fmt::format("      {} of {} bytes on average, {} in all, read in {:.1f} s",
                             FormatCount(num_keys), keys.bytes.size() / num_keys,
                             FormatBytes(keys.bytes.size()), keys.seconds));
  if (keys.num_repeated > 0) {
    report.AddLine(
        fmt::format("      ({} repeated lines left out)", FormatCount(keys.num_repeated)));
  }
}

void DescribeTrial(const Trial& trial, Report& report) {
  const double bits_per_key =
      static_cast<double>(trial.num_bytes) * 8 / static_cast<double>(trial.num_keys);
  report.AddField("num_bytes", trial.num_bytes);
  report.AddField("bits_per_key", bits_per_key);
  report.AddField("num_blocks", trial.geometry.num_blocks);
  report.AddField("num_slices", trial.geometry.num_slices);
  report.AddField("encoding", std::string(EncodingName(trial.geometry.encoding)));
  report.AddLine(fmt::format("Filter: {}, sized for {} false positives",
                             EncodingName(trial.geometry.encoding), FormatRate(kDemoTargetFpr)));
  report.AddLine(fmt::format(
      "      {}: {:.1f} bits per key, of which a query reads {:.1f}", FormatBytes(trial.num_bytes),
      bits_per_key,
      static_cast<double>(trial.geometry.query_bytes()) * 8 / static_cast<double>(trial.num_keys)));

  report.AddLine(fmt::format("\n{:<33}{:>10}{:>11}{:>11}", "", "queried", "maybe in", "expected"));
  report.AddLine("Insert every key");
  report.AddLine(AnswersLine("query every key", trial.members));
  report.AddLine(AnswersLine("query keys that do not exist", trial.non_members));
  const double share =
      static_cast<double>(trial.part.num_chosen) / static_cast<double>(trial.num_keys);
  report.AddLine(
      fmt::format("Erase {}, {} of the keys", Shortened(trial.part.name, 45), FormatRate(share)));
  report.AddLine(
      InvariantLine(fmt::format("{} erased, {} refused", FormatCount(trial.erased.num_erased),
                                FormatCount(trial.erased.num_refused)),
                    trial.erased.num_refused == 0));
  report.AddLine(AnswersLine("query every key left", trial.left));
  report.AddLine(AnswersLine("query the erased keys", trial.gone));
  report.AddLine(InvariantLine("insert them back: the same bytes as before", trial.is_restored));
  report.AddLine(InvariantLine("erase everything: the bytes of a new filter", trial.is_emptied));
  report.AddField("members", ToJson(trial.members));
  report.AddField("strangers", ToJson(trial.non_members));
  report.AddField("erased_part", trial.part.name);
  report.AddField("num_erased", trial.erased.num_erased);
  report.AddField("num_refused", trial.erased.num_refused);
  report.AddField("left", ToJson(trial.left));
  report.AddField("gone", ToJson(trial.gone));
  report.AddField("same_bytes_after_erase_and_insert", trial.is_restored);
  report.AddField("empty_after_erasing_all", trial.is_emptied);

  const double measured = trial.non_members.rate();
  report.AddField("target_fpr", kDemoTargetFpr);
  report.AddField("predicted_fpr", trial.predicted_fpr);
  report.AddField("current_fpr", trial.current_fpr);
  report.AddField("measured_fpr", measured);
  report.AddLine(fmt::format("\nFalse positives  measured {}, expected of these bits {} +- {}",
                             FormatRate(measured), FormatRate(trial.current_fpr),
                             FormatRate(trial.non_members.sigma())));
  report.AddLine(fmt::format("                 predicted from the size alone {}, asked for {}",
                             FormatRate(trial.predicted_fpr, kDemoTargetFpr),
                             FormatRate(kDemoTargetFpr)));
}

}  // namespace trommel::tool
