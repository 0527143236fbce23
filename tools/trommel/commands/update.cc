// trommel insert and erase: keys into and out of a filter file.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/applied.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/key_file.h"
#include "tools/trommel/filters/key_updates.h"
#include "tools/trommel/filters/window_rate.h"
#include "tools/trommel/input/digest_gatherer.h"
#include "tools/trommel/input/time_leaps.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/passes/filter_update.h"
#include "tools/trommel/passes/key_pass.h"

namespace trommel::tool {
namespace {

struct KeyUpdateOptions {
  UpdateOptions update;
  KeyInput input;
  bool partial = false;  // erase's
};

struct UpdateSteps {
  std::string_view subcommand;
  std::string_view what;  // the progress line's word
  // Whether the filter can do it at all, by its type. Fails with a usage error.
  Status (*check)(const AnyFilter& filter, bool has_times);
  Applied (KeyUpdates::*apply)(KeyUpdates::Digests digests, KeyUpdates::Times times);
  // Adds what became of the keys to the report, and returns the exit code.
  std::function<ExitCode(const Applied&, Report&)> describe;
  bool is_whole = false;  // writes nothing if a key was refused
};

// Applies all keys, saves, and reports what was read, what the filter is now, and what became of
// the keys.
int RunUpdate(const KeyUpdateOptions& options, const Settings& settings, const UpdateSteps& steps) {
  Result<FilterUpdate> update =
      FilterUpdate::Begin(options.update, options.input, settings, FilterFile::Load);
  if (!update.ok()) return FailOnRequest(update.error());
  AnyFilter& filter = update->filter();
  const KeyOptions& format = options.input.options;
  Status fit = CheckTakesKeys(filter, steps.subcommand);
  if (fit.ok()) fit = steps.check(filter, format.time_column.has_value());
  if (fit.ok()) fit = CheckCanHash(filter.digest_policy(), format.format);
  if (!fit.ok()) return FailOnRequest(fit.error());
  const std::shared_ptr<Executor> executor = options.input.MakeExecutor();
  if (fit = filter.UseExecutor(executor); !fit.ok()) return FailOnRequest(fit.error());
  KeyUpdates updates(filter);
  KeyInput input = options.input;
  if (steps.subcommand == "insert") fit = LimitLeaps(filter, input);  // erasing moves no clock
  if (!fit.ok()) return FailOnRequest(fit.error());
  // Judged once: while a pipe is idle, the window may well pass a thousand times.
  const Status timely = format.time_column ? Ok() : CheckWallClock(input.options.leaps);
  Applied applied;
  // Each batch at once where the first key that is refused must be named.
  DigestGatherer gatherer(steps.is_whole ? 1 : NumKeysToGather(filter),
                          [&](std::span<const uint64_t> digests, std::span<const uint64_t> times) {
                            applied += (updates.*steps.apply)(digests, times);
                          });
  KeyStages stages = gatherer.Stages(filter.digest_policy());
  if (!timely.ok()) {  // which concerns keys: an input may have none
    stages.finish = [&](const KeyBatch& batch) { return batch.digests.empty() ? Ok() : timely; };
  }
  std::string first_refused;
  if (steps.is_whole) {
    stages.finish = [&](const KeyBatch& batch) {
      const uint64_t num_before = applied.num_keys();
      gatherer.Add(batch);
      if (first_refused.empty() && applied.first_refused) {
        first_refused = batch.Naming(*applied.first_refused - num_before, format.format);
      }
      return Ok();
    };
  }
  const Result<PassTotals> totals = RunPass(steps.what, input, settings, executor.get(), stages);
  if (!totals.ok()) return FailOnInput(totals.error());
  gatherer.Flush();
  if (steps.is_whole && applied.num_refused > 0) return FailErase(applied, first_refused);

  return update->Finish(settings.json, [&](Report& report) {
    report.AddField("type", std::string(FilterTypeName(filter.type())));
    DescribePass(*totals, report);
    const Figures figures = filter.GetFigures(/*measured=*/true);
    report.Add("num_keys", filter.num_keys(), "keys now", KeysText(figures, 0));
    DescribeFigures(figures, {"num_distinct_keys", "next_step_bytes"}, report);
    DescribeRate(figures, updates.window_rate(), report);
    WarnOfWindowRate(figures, updates.window_rate());
    if (const std::string warning = CapacityWarning(figures); !warning.empty()) {
      report.AddLine(warning + ": its false-positive rate rises; see trommel stats.");
    }
    return steps.describe(applied, report);
  });
}

int RunInsert(const KeyUpdateOptions& options, const Settings& settings) {
  const auto describe = [](const Applied& applied, Report& report) {
    DescribeInserted(applied, report);
    return applied.CodeOfInsert();
  };
  return RunUpdate(options, settings,
                   {"insert", "inserting", CheckTimes, &KeyUpdates::Insert, describe});
}

int RunErase(const KeyUpdateOptions& options, const Settings& settings) {
  return RunUpdate(options, settings,
                   {"erase", "erasing", CheckCanErase, &KeyUpdates::Erase, DescribeErased,
                    /*is_whole=*/!options.partial});
}

std::shared_ptr<KeyUpdateOptions> AddUpdateOptions(Command& command, const Settings& settings,
                                                   int (*run)(const KeyUpdateOptions& options,
                                                              const Settings& settings)) {
  auto options = std::make_shared<KeyUpdateOptions>();
  AddUpdate(command, options->update);
  AddKeyInput(command, options->input);
  AddKeyTimes(command, options->input);
  command.SetAction([&settings, options, run] {
    options->input.Finish();
    return run(*options, settings);
  });
  return options;
}

}  // namespace

void AddInsertCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand("insert",
                                         "Insert keys into a filter file.\n"
                                         "A key that is inserted twice must be erased twice.");
  const std::shared_ptr<KeyUpdateOptions> options = AddUpdateOptions(command, settings, RunInsert);
  AddMaxLeap(command, options->input);
}

void AddEraseCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "erase",
      "Erase keys from a filter file, all of them or none.\n"
      "If a key is certainly absent, or given more often than it is in, nothing is written: the "
      "command\n"
      "says how many such keys there are, names the first, and exits 3. Erase only what was "
      "inserted: a\n"
      "non-member that is \"maybe present\" cannot be recognized, and erasing it takes counts "
      "from\n"
      "other keys. Keys of a window that have expired are counted, and are no reason to write "
      "nothing;\n"
      "keys of a time past its clock are absent.");
  const std::shared_ptr<KeyUpdateOptions> options = AddUpdateOptions(command, settings, RunErase);
  command.Flag("--partial", options->partial, std::string(kPartialHelp));
}

}  // namespace trommel::tool
