// The subcommands of trommel-index, in files of this folder. Each declares the subcommand, its
// options and its action. The settings must outlive the command line.
#ifndef TROMMEL_TOOLS_INDEX_TABLE_COMMANDS_H_
#define TROMMEL_TOOLS_INDEX_TABLE_COMMANDS_H_

#include "tools/trommel/options/command_line.h"

namespace trommel::tool {

void AddTableLoad(Command& parent, const Settings& settings);
void AddTablePut(Command& parent, const Settings& settings);
void AddTableDelete(Command& parent, const Settings& settings);
void AddTableGet(Command& parent, const Settings& settings);
void AddTableQuery(Command& parent, const Settings& settings);
void AddTableStats(Command& parent, const Settings& settings);
void AddTableVerify(Command& parent, const Settings& settings);
void AddTableRegions(Command& parent, const Settings& settings);
void AddTableSplit(Command& parent, const Settings& settings);
void AddTableMerge(Command& parent, const Settings& settings);
void AddTableMove(Command& parent, const Settings& settings);
void AddTableBalance(Command& parent, const Settings& settings);
void AddTableAddIndex(Command& parent, const Settings& settings);
void AddTableDropIndex(Command& parent, const Settings& settings);
void AddTableDemo(Command& parent, const Settings& settings);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_TABLE_COMMANDS_H_
