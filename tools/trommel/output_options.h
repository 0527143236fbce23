// The options of commands that write a file: where to, and what to do about one that is there.
#ifndef TROMMEL_TOOLS_OUTPUT_OPTIONS_H_
#define TROMMEL_TOOLS_OUTPUT_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "tools/trommel/file_lock.h"

namespace trommel::tool {

struct OutputOptions {
  std::string path;    // insert and erase: empty for the filter's own file
  bool force = false;  // replace what is there
  double wait_seconds = LockWait{}.seconds;
};

// -o, --force and --wait, for commands that make a filter.
void AddOutput(CLI::App& command, OutputOptions& options);

// FILTER, and the same options, for commands that change one.
void AddUpdateOutput(CLI::App& command, std::string& filter, OutputOptions& options);

// --wait alone; `seconds` holds the default.
void AddWait(CLI::App& command, double& seconds);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_OUTPUT_OPTIONS_H_
