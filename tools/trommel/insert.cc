// trommel insert: more keys into a filter file.
#include <memory>

#include "tools/trommel/commands.h"
#include "tools/trommel/update.h"

namespace trommel::tool {
namespace {

int RunInsert(const UpdateOptions& options, const Settings& settings) {
  Applied applied;
  const UpdateSteps insert = {
      [](const FamilyFilter& filter, bool has_times) {
        const Status keys = filter.CheckTakesKeys("insert");
        return keys.ok() ? filter.CheckTimes(has_times) : keys;
      },
      [&applied](FamilyFilter& filter, std::span<const uint64_t> digests,
                 std::span<const uint64_t> times) { applied += filter.Insert(digests, times); },
      [&applied](Report& report) {
        DescribeInserted(applied, report);
        return applied.CodeOfInsert();
      }};
  return RunUpdate("inserting", options, settings, insert);
}

}  // namespace

void AddInsertCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "insert",
      "Insert keys into a filter file. A key inserted twice must be erased twice to be gone.");
  auto options = std::make_shared<UpdateOptions>();
  AddUpdateOptions(*command, *options);
  command->callback([&settings, &run, options] {
    FinishKeyInput(options->input, options->input_text);
    run = [&settings, options] { return RunInsert(*options, settings); };
  });
}

}  // namespace trommel::tool
