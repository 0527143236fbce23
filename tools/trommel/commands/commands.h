// The subcommands of keys, and those that need no filter: one file each. Add...Command declares the
// subcommand, its options and its action. The settings must outlive the command line.
#ifndef TROMMEL_TOOLS_COMMANDS_H_
#define TROMMEL_TOOLS_COMMANDS_H_

#include "tools/trommel/options/command_line.h"

namespace trommel::tool {

void AddBuildCommand(Command& parent, const Settings& settings);
void AddInsertCommand(Command& parent, const Settings& settings);
void AddEraseCommand(Command& parent, const Settings& settings);
void AddQueryCommand(Command& parent, const Settings& settings);
void AddMergeCommand(Command& parent, const Settings& settings);
void AddFoldCommand(Command& parent, const Settings& settings);
void AddGrowCommand(Command& parent, const Settings& settings);
void AddDedupCommand(Command& parent, const Settings& settings);
void AddStatsCommand(Command& parent, const Settings& settings);
void AddVerifyCommand(Command& parent, const Settings& settings);
void AddSizeCommand(Command& parent, const Settings& settings);
void AddTargetsCommand(Command& parent, const Settings& settings);
void AddBenchCommand(Command& parent, const Settings& settings);
void AddStressCommand(Command& parent, const Settings& settings);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_COMMANDS_H_
