// The command `trommel-index`: wires the subcommands.
#include <fmt/core.h>

#include <algorithm>

#include "tools/index/commands/table_commands.h"
#include "tools/trommel/options/command_line.h"
#include "tools/trommel/output/program.h"
#include "tools/trommel/output/report.h"
#include "trommel/version.h"

namespace trommel::tool {
namespace {

constexpr const char* kDescription =
    "Tables with a secondary index: rows on several region servers, which are databases in one\n"
    "folder, and a directory of counting filters that names those which may have a value.";

constexpr const char* kMore =
    "Options of all subcommands: --json (report as one JSON object), -q (no progress line on the\n"
    "terminal), -h (help), -V (version). To begin: trommel-index demo\n"
    "Exit codes: 0 done, 1 a negative answer (no rows, a disagreement), 2 usage, 3 bad input, a\n"
    "table that cannot be opened, or a server that did not answer.";

int Main(int argc, char** argv) {
  CommandLine line(kDescription, kMore, fmt::format("trommel-index {}", LinkedVersion()),
                   "trommel-index");
  Settings settings;
  settings.typed = TypedCommand("trommel-index", {argv + std::min(argc, 1), argv + argc});
  line.Flag("--json", settings.json, "Report as one JSON object");
  line.Flag("-q,--quiet", settings.quiet, "No progress line on the terminal");
  line.StartGroup("Rows");
  AddTableLoad(line, settings);
  AddTableQuery(line, settings);
  AddTableGet(line, settings);
  AddTablePut(line, settings);
  AddTableDelete(line, settings);
  line.StartGroup("Regions and indexes");
  AddTableRegions(line, settings);
  AddTableSplit(line, settings);
  AddTableMerge(line, settings);
  AddTableMove(line, settings);
  AddTableBalance(line, settings);
  AddTableAddIndex(line, settings);
  AddTableDropIndex(line, settings);
  line.StartGroup("The whole table");
  AddTableStats(line, settings);
  AddTableVerify(line, settings);
  AddTableDemo(line, settings);
  return line.Run({argv + std::min(argc, 1), argv + argc}, [] { return int{kDone}; });
}

}  // namespace
}  // namespace trommel::tool

int main(int argc, char** argv) {
  return trommel::tool::RunProgram("trommel-index",
                                   [&] { return trommel::tool::Main(argc, argv); });
}
