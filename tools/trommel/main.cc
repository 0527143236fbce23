// The command `trommel`: wires the subcommands.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/commands/attr/attr_commands.h"
#include "tools/trommel/commands/commands.h"
#include "tools/trommel/commands/demo/demo.h"
#include "tools/trommel/options/command_line.h"
#include "tools/trommel/output/program.h"
#include "tools/trommel/output/report.h"
#include "trommel/targets.h"
#include "trommel/version.h"

namespace trommel::tool {
namespace {

constexpr const char* kDescription =
    "Counting Bloom filters in files: insert, erase and query keys in bulk. The answer \"absent\" "
    "is\n"
    "certain; \"maybe present\" is wrong for a non-member at the filter's false-positive rate.";

constexpr const char* kMore =
    "Options of all subcommands: --json, -q (no progress line), --target NAME, -h (help), -V "
    "(version).\n"
    "More: trommel help, and trommel SUBCOMMAND --help. To begin: trommel demo";

constexpr const char* kTopics =
    "Options of all subcommands\n"
    "  --json          Report as one JSON object, on standard output, or on standard error when\n"
    "                  standard output carries lines (query --print-..., dedup)\n"
    "  -q,--quiet      No progress line on the terminal\n"
    "  --target NAME   Run on this instruction set (see trommel targets); TROMMEL_TARGET does the\n"
    "                  same\n"
    "  -V,--version    Print the version\n"
    "\n"
    "Exit codes\n"
    "  0  Done.\n"
    "  1  A negative answer, or no room for a key.\n"
    "  2  Usage: the command line or the environment is wrong.\n"
    "  3  Bad input, keys that erase refuses, output that cannot be written, a file that another\n"
    "     command is changing, or not enough memory: the system's, or what --memory-limit leaves.\n"
    "  4  The file was changed, but then its report could not be written or its folder not\n"
    "     flushed. Do not run the command again.\n"
    "  After 2, after 3 and when a signal ends a command, no file was changed.\n"
    "\n"
    "Files\n"
    "  A filter file is replaced in one step, at the end. A command holds the lock of the file "
    "that\n"
    "  it changes while it reads its input: one that waits for an idle pipe makes others wait\n"
    "  (--wait). Commands that only read take no lock.\n";

void AddHelpCommand(CommandLine& line) {
  Command command =
      line.AddSubcommand("help", "Explain exit codes, JSON reports and locks, or a subcommand");
  auto words = std::make_shared<std::vector<std::string>>();
  command.Arguments("SUBCOMMAND", *words,
                    "The subcommand to explain, as in: trommel help attr size");
  command.SetAction([&line, words] {
    const Result<std::string> page =
        words->empty() ? Result<std::string>(kTopics) : line.HelpOf(*words);
    if (!page.ok()) return Fail(kUsageError, page.error().message);
    const Status written = WriteText(*page, stdout);
    return written.ok() ? int{kDone} : FailOnInput(written.error());
  });
}

int UseTarget(const std::string& target) {
  Status usable = CheckTargetEnvironment();
  if (usable.ok() && !target.empty()) usable = ForceTarget(target);
  return usable.ok() ? int{kDone} : Fail(kUsageError, usable.error().message);
}

int Main(int argc, char** argv) {
  CommandLine line(kDescription, kMore, fmt::format("trommel {}", LinkedVersion()));
  Settings settings;
  if (argc > 0 && std::string_view(argv[0]).find('/') != std::string_view::npos) {
    settings.program = argv[0];  // it need not be on the PATH
  }
  settings.typed = TypedCommand("trommel", {argv + std::min(argc, 1), argv + argc});
  line.Flag("--json", settings.json, "Report as one JSON object");
  line.Flag("-q,--quiet", settings.quiet, "No progress line on the terminal");
  line.Text("--target", settings.target, "NAME", "Run on this instruction set");

  line.StartGroup("Filters of keys, which are the lines of files or of standard input");
  AddBuildCommand(line, settings);
  AddInsertCommand(line, settings);
  AddEraseCommand(line, settings);
  AddQueryCommand(line, settings);
  AddFoldCommand(line, settings);
  AddGrowCommand(line, settings);
  AddDedupCommand(line, settings);
  AddStatsCommand(line, settings);
  AddVerifyCommand(line, settings);
  AddAttrCommand(line, settings);
  line.StartGroup("Sizes, speed, correctness");
  AddSizeCommand(line, settings);
  AddTargetsCommand(line, settings);
  AddBenchCommand(line, settings);
  AddStressCommand(line, settings);
  AddDemoCommand(line, settings);
  AddHelpCommand(line);
  return line.Run({argv + std::min(argc, 1), argv + argc},
                  [&] { return UseTarget(settings.target); });
}

}  // namespace
}  // namespace trommel::tool

int main(int argc, char** argv) {
  return trommel::tool::RunProgram("trommel", [&] { return trommel::tool::Main(argc, argv); });
}
