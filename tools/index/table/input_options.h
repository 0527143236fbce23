// Options of commands that read tab-separated rows.
#ifndef TROMMEL_TOOLS_INDEX_INPUT_OPTIONS_H_
#define TROMMEL_TOOLS_INDEX_INPUT_OPTIONS_H_

#include "tools/index/table/table_loader.h"
#include "tools/trommel/options/command_line.h"

namespace trommel::tool {

// --key, --set-valued, --null, --crlf and --batch.
void AddTableInput(Command& command, TableInput& input);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_INPUT_OPTIONS_H_
