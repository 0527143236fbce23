// trommel erase: keys out of a filter file. A key that is certainly absent is refused and counted.
#include <memory>

#include "tools/trommel/commands.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/update.h"

namespace trommel::tool {
namespace {

struct EraseOptions {
  UpdateOptions update;
  bool strict = false;
};

int RunErase(const EraseOptions& options, const Settings& settings) {
  Applied applied;
  const UpdateSteps erase = {
      [](const FamilyFilter& filter, bool has_times) {
        const Status keys = filter.CheckTakesKeys("erase");
        return keys.ok() ? filter.CheckCanErase(has_times) : keys;
      },
      [&applied](FamilyFilter& filter, std::span<const uint64_t> digests,
                 std::span<const uint64_t> times) { applied += filter.Erase(digests, times); },
      [&](Report& report) {
        report.Add("num_erased", applied.num_done, "erased", FormatCount(applied.num_done));
        report.Add(
            "num_refused", applied.num_refused, "refused",
            FormatCount(applied.num_refused) + " (certainly absent: nothing changed for them)");
        if (applied.num_expired > 0) {
          report.Add(
              "num_expired", applied.num_expired, "expired",
              FormatCount(applied.num_expired) + " (of no live bucket: nothing changed for them)");
        }
        const bool is_negative = options.strict && applied.num_refused + applied.num_expired > 0;
        return is_negative ? kNegativeAnswer : kDone;
      }};
  return RunUpdate("erasing", options.update, settings, erase);
}

}  // namespace

void AddEraseCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand("erase",
                                         "Erase keys from a filter file. Erase only what was "
                                         "inserted, as often as it was: a key that\n"
                                         "is certainly absent is refused and counted, but a "
                                         "stranger that answers \"maybe present\" is\n"
                                         "not noticed, and takes its counts from other keys.");
  auto options = std::make_shared<EraseOptions>();
  AddUpdateOptions(*command, options->update);
  command->add_flag("--strict", options->strict,
                    "Exit 1 if a key was refused (the others are erased all the same)");
  command->callback([&settings, &run, options] {
    FinishKeyInput(options->update.input, options->update.input_text);
    run = [&settings, options] { return RunErase(*options, settings); };
  });
}

}  // namespace trommel::tool
