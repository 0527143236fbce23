// The subcommands of `trommel attr`, one file each, as commands.h has those of `trommel`.
#ifndef TROMMEL_TOOLS_ATTR_COMMANDS_H_
#define TROMMEL_TOOLS_ATTR_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "tools/trommel/commands.h"
#include "tools/trommel/options.h"

namespace trommel::tool {

void AddAttrSizeCommand(CLI::App& app, const Settings& settings, Run& run);
void AddAttrBuildCommand(CLI::App& app, const Settings& settings, Run& run);
void AddAttrInsertCommand(CLI::App& app, const Settings& settings, Run& run);
void AddAttrEraseCommand(CLI::App& app, const Settings& settings, Run& run);
void AddAttrQueryCommand(CLI::App& app, const Settings& settings, Run& run);
void AddAttrStatsCommand(CLI::App& app, const Settings& settings, Run& run);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_ATTR_COMMANDS_H_
