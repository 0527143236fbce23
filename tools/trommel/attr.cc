// trommel attr: questions over any of a row's columns. Its subcommands are files of their own.
#include "tools/trommel/attr_commands.h"

namespace trommel::tool {

void AddAttrCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "attr",
      "Filters of several columns, asked for any of them together: was there a row with this\n"
      "source and that domain? Rows are tab-separated lines; the first names the columns.");
  command->require_subcommand(1);
  AddAttrSizeCommand(*command, settings, run);
  AddAttrBuildCommand(*command, settings, run);
  AddAttrInsertCommand(*command, settings, run);
  AddAttrEraseCommand(*command, settings, run);
  AddAttrQueryCommand(*command, settings, run);
  AddAttrStatsCommand(*command, settings, run);
}

}  // namespace trommel::tool
