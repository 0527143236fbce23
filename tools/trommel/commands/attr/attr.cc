// trommel attr: queries for any of a row's columns.
#include "tools/trommel/commands/attr/attr_commands.h"

namespace trommel::tool {

void AddAttrCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "attr",
      "Filters of rows of columns, queried by any of the columns.\n"
      "Was there a row with this source and that domain? Rows are tab-separated lines; the first\n"
      "line names the columns. Of such a filter, too, trommel stats shows what it holds.");
  AddAttrBuildCommand(command, settings);
  AddAttrInsertCommand(command, settings);
  AddAttrEraseCommand(command, settings);
  AddAttrQueryCommand(command, settings);
  AddAttrSizeCommand(command, settings);
}

}  // namespace trommel::tool
