// The subcommands of `trommel attr`, one file each, but for insert and erase.
#ifndef TROMMEL_TOOLS_ATTR_COMMANDS_H_
#define TROMMEL_TOOLS_ATTR_COMMANDS_H_

#include "tools/trommel/options/command_line.h"

namespace trommel::tool {

void AddAttrCommand(Command& parent, const Settings& settings);  // itself, with all below

void AddAttrSizeCommand(Command& parent, const Settings& settings);
void AddAttrBuildCommand(Command& parent, const Settings& settings);
void AddAttrInsertCommand(Command& parent, const Settings& settings);
void AddAttrEraseCommand(Command& parent, const Settings& settings);
void AddAttrQueryCommand(Command& parent, const Settings& settings);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_ATTR_COMMANDS_H_
