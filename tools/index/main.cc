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
    "table that cannot be opened, output that cannot be written, or a server that did not answer.";

constexpr Subcommand kSubcommands[] = {
    {"load", AddTableLoad, "Rows"},
    {"query", AddTableQuery},
    {"get", AddTableGet},
    {"put", AddTablePut},
    {"delete", AddTableDelete},
    {"regions", AddTableRegions, "Regions and indexes"},
    {"split", AddTableSplit},
    {"merge", AddTableMerge},
    {"move", AddTableMove},
    {"balance", AddTableBalance},
    {"add-index", AddTableAddIndex},
    {"drop-index", AddTableDropIndex},
    {"stats", AddTableStats, "The whole table"},
    {"verify", AddTableVerify},
    {"demo", AddTableDemo},
};

int Main(int argc, char** argv) {
  CommandLine line(kDescription, kMore, fmt::format("trommel-index {}", LinkedVersion()),
                   "trommel-index");
  Settings settings;
  line.Flag("--json", settings.json, "Report as one JSON object");
  line.Flag("-q,--quiet", settings.quiet, "No progress line on the terminal");
  AddSubcommands(line, kSubcommands, argc > 1 ? argv[1] : "", settings);
  return line.Run({argv + std::min(argc, 1), argv + argc}, [&] {
    HoldNotes(settings.json);
    return int{kDone};
  });
}

}  // namespace
}  // namespace trommel::tool

int main(int argc, char** argv) {
  return trommel::tool::RunProgram("trommel-index",
                                   [&] { return trommel::tool::Main(argc, argv); });
}
