// trommel insert: more keys into a filter file.
#include <memory>

#include "tools/trommel/commands.h"
#include "tools/trommel/update.h"

namespace trommel::tool {
namespace {

int RunInsert(const UpdateOptions& options, const Settings& settings) {
  Report report;
  const auto insert = [](CountingFilter& filter, Keys keys) { filter.Insert(keys); };
  const int code = ApplyUpdate("inserting", options, settings, insert, report);
  if (code != kDone) return code;
  return Finish(report, settings.json, kDone);
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
