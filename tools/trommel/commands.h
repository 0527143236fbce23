// The subcommands, one file each. Add...Command declares its options; when it is the one chosen on
// the command line, it stores what to do in `run`. Settings and run must outlive the app.
#ifndef TROMMEL_TOOLS_COMMANDS_H_
#define TROMMEL_TOOLS_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <functional>

#include "tools/trommel/options.h"

namespace trommel::tool {

using Run = std::function<int()>;  // returns an exit code

void AddSizeCommand(CLI::App& app, const Settings& settings, Run& run);
void AddBuildCommand(CLI::App& app, const Settings& settings, Run& run);
void AddInsertCommand(CLI::App& app, const Settings& settings, Run& run);
void AddEraseCommand(CLI::App& app, const Settings& settings, Run& run);
void AddQueryCommand(CLI::App& app, const Settings& settings, Run& run);
void AddDedupCommand(CLI::App& app, const Settings& settings, Run& run);
void AddStatsCommand(CLI::App& app, const Settings& settings, Run& run);
void AddAttrCommand(CLI::App& app, const Settings& settings, Run& run);
void AddVerifyCommand(CLI::App& app, const Settings& settings, Run& run);
void AddTargetsCommand(CLI::App& app, const Settings& settings, Run& run);
void AddStressCommand(CLI::App& app, const Settings& settings, Run& run);
void AddDemoCommand(CLI::App& app, const Settings& settings, Run& run);
void AddBenchCommand(CLI::App& app, const Settings& settings, Run& run);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_COMMANDS_H_
