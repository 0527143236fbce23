// The subcommands, their order and headings, and the texts of the first page and of `trommel help`.
#include "tools/trommel/command_list.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string>

#include "tools/trommel/commands/attr/attr_commands.h"
#include "tools/trommel/commands/commands.h"
#include "tools/trommel/commands/demo/demo.h"
#include "tools/trommel/output/report.h"
#include "trommel/version.h"

namespace trommel::tool {
namespace {

constexpr const char* kDescription =
    "Counting Bloom filters in files: insert, erase and query keys in bulk. The\n"
    "answer \"absent\" is certain; \"maybe present\" is wrong for a non-member at the\n"
    "filter's false-positive rate.";

constexpr const char* kMore =
    "Options of all subcommands: --json, -q (no progress line), --target NAME,\n"
    "-h (help), -V (version).\n"
    "More: trommel help, and trommel SUBCOMMAND --help. To begin: trommel demo";

// What people type first. A test runs each pair in a folder of its own.
struct ExamplesOf {
  const char* subcommand;
  const char* first;
  const char* second;
};

constexpr const char* kBuildUsers = "trommel build -f -o users.trommel /etc/passwd";
constexpr const char* kBuildRows =
    "tr : '\\t' </etc/passwd | trommel attr build --no-header -fo u.trommel";

constexpr ExamplesOf kExamples[] = {
    {"build", "trommel build -o users.trommel /etc/passwd",
     "trommel build -o ports.trommel --comment '#' /etc/services"},
    {"insert", kBuildUsers, "trommel insert users.trommel /etc/group"},
    {"erase", kBuildUsers, "grep nologin /etc/passwd | trommel erase users.trommel"},
    {"query", kBuildUsers, "grep root /etc/passwd | trommel query --print-present users.trommel"},
    {"merge", "trommel build -f -o a.trommel /etc/passwd && cp a.trommel b.trommel",
     "trommel merge -o both.trommel a.trommel b.trommel"},
    {"fold", "trommel build -f -n 1M -o users.trommel /etc/passwd", "trommel fold users.trommel"},
    {"grow", "trommel build -f -n 1k --encoding fingerprints16 -o users.trommel /etc/passwd",
     "trommel grow users.trommel"},
    {"dedup", "cut -d: -f7 /etc/passwd | trommel dedup",
     "trommel dedup --comment '#' /etc/services | tail"},
    {"stats", kBuildUsers, "trommel stats users.trommel"},
    {"verify", kBuildUsers, "trommel verify users.trommel /etc/passwd"},
    {"attr", kBuildRows, "trommel stats u.trommel"},
    {"attr build", "tr : '\\t' </etc/passwd | tee users.tsv",
     "trommel attr build --no-header --columns 1,3,7 -o users.trommel users.tsv"},
    {"attr insert", kBuildRows,
     "tr : '\\t' </etc/passwd | trommel attr insert --no-header u.trommel"},
    {"attr erase", kBuildRows,
     "tr : '\\t' </etc/passwd | trommel attr erase --no-header u.trommel"},
    {"attr query", kBuildRows,
     "tail /etc/passwd | tr : '\\t' | trommel attr query u.trommel --no-header"},
    {"attr size", "trommel attr size -n 100M --columns status,region,customer",
     "trommel attr size -n 10M --columns a,b,c,d --keep a,b --keep c,d"},
    {"size", "trommel size -n 1M", "trommel size --bytes 64MB -p 0.1%"},
    {"targets", "trommel targets", "trommel targets --json"},
    {"bench", "trommel bench --quick --sizes 100k --encoding dense --filter best/batch:1Mi",
     "trommel bench --quick --sizes 100k --filter '^hash' --json hashes.json"},
    {"stress", "trommel stress --list", "trommel stress --seconds 2 --mix churn --mix points"},
    {"demo", "trommel demo /var/lib/dpkg/status", "trommel demo /usr/share"},
    {"help", "trommel help", "trommel help attr build"},
};

// All but help.
constexpr Subcommand kSubcommands[] = {
    {"build", AddBuildCommand,
     "Filters of keys, which are the lines of files or of standard input"},
    {"insert", AddInsertCommand},
    {"erase", AddEraseCommand},
    {"query", AddQueryCommand},
    {"merge", AddMergeCommand},
    {"fold", AddFoldCommand},
    {"grow", AddGrowCommand},
    {"dedup", AddDedupCommand},
    {"stats", AddStatsCommand},
    {"verify", AddVerifyCommand},
    {"attr", AddAttrCommand},
    {"size", AddSizeCommand, "Sizes, speed, correctness"},
    {"targets", AddTargetsCommand},
    {"bench", AddBenchCommand},
    {"stress", AddStressCommand},
    {"demo", AddDemoCommand},
};

// A term in the left column and its text beside it, or a paragraph.
std::string Formatted(std::string_view term, std::string_view text) {
  return Beside(term.empty() ? "  " : fmt::format("  {:<16}", term), text);
}

std::string TopicsPage(const CommandText& line) {
  std::string page = "Options of all subcommands\n";
  for (const OptionText& option : line.options) {
    std::string term = fmt::format("{}", fmt::join(option.names, ","));
    if (!option.value.empty()) term += " " + option.value;
    page += Formatted(term, option.help);
  }
  for (const Topic& topic : Topics()) {
    page += fmt::format("\n{}\n", topic.title);
    for (const Topic::Entry& entry : topic.entries) page += Formatted(entry.term, entry.text);
  }
  return page;
}

void AddHelpCommand(CommandLine& line, const Settings& settings) {
  Command command =
      line.AddSubcommand("help", "Explain exit codes, JSON reports and locks, or a subcommand");
  auto words = std::make_shared<std::vector<std::string>>();
  command.Arguments("SUBCOMMAND", *words,
                    "The subcommand to explain, as in: trommel help attr size");
  command.SetAction([&line, &settings, words] {
    if (settings.json) throw UsageError{"--json", "help is text only"};
    const Result<std::string> page =
        words->empty() ? Result<std::string>(TopicsPage(line.Describe())) : line.HelpOf(*words);
    if (!page.ok()) return Fail(kUsageError, page.error().message);
    const Status written = WriteText(*page, stdout);
    return written.ok() ? int{kDone} : FailOnInput(written.error());
  });
}

}  // namespace

std::span<const Topic> Topics() {
  static const std::vector<Topic> topics = {
      {.title = "Exit status",
       .entries =
           {{"0", "Done."},
            {"1", "A negative answer: nothing present, a key missing, or no room for a key."},
            {"2",
             "Usage: the command line or the environment is wrong, or a file exists and --force is "
             "not given."},
            {"3",
             "Bad input (a malformed key, compressed data, a time beyond --max-leap), keys that "
             "erase refuses, output that cannot be written, a file that another command is "
             "changing, or not enough memory: the system's, or what --memory-limit leaves."},
            {"4",
             "The file was changed, but then its report could not be written or its folder not "
             "flushed. Do not run the command again."},
            {"128 + N",
             "As shells show it: ended by signal N, which is SIGINT, SIGTERM or SIGHUP (130, 143, "
             "129), or SIGPIPE (141) where lines are printed."},
            {"",
             "After 2, after 3 and when a signal ends a command, no file was changed; after 0, 1 "
             "and 4 it was written."}}},
      {.title = "Files",
       .entries =
           {{"",
             "A filter file is replaced in one step, at the end. Without --force a new file never "
             "replaces another, not even one that appeared meanwhile."},
            {"",
             "A command that changes a file locks it, insert and erase from loading to replacing "
             "it. Another such command waits for up to --wait SECONDS, then exits 3 and changes "
             "nothing. The lock is held while the input is read: a command that waits for an idle "
             "pipe makes others wait. Commands that only read take no lock and never wait. The "
             "lock is advisory, and cp and programs that use the library do not take it: right "
             "before a command replaces a file, it checks that this is still the file that it "
             "loaded."}}},
      {.title = "Signals",
       .entries = {{"",
                    "A signal that arrives while the file is being replaced, or later, does not "
                    "end the command: it reports and exits as usual. If the report blocks on a "
                    "pipe that is not read, a signal ends the command with 4. For commands that "
                    "change a file, a closed pipe is an error like a full disk: they exit 4, not "
                    "by SIGPIPE."}}}};
  return topics;
}

std::unique_ptr<CommandLine> MakeCommandLine(Settings& settings, std::string_view first) {
  auto made = std::make_unique<CommandLine>(kDescription, kMore,
                                            fmt::format("trommel {}", LinkedVersion()));
  CommandLine& line = *made;
  line.Flag("--json", settings.json,
            "Report as one JSON object, notes included, on standard output, or on standard error "
            "when standard output carries lines (query --print-..., dedup)");
  line.Flag("-q,--quiet", settings.quiet, "No progress line on the terminal");
  line.Text("--target", settings.target, "NAME",
            "Run on this instruction set (see trommel targets); TROMMEL_TARGET does the same");

  const bool all = AddSubcommands(line, kSubcommands, first, settings);
  if (all) AddHelpCommand(line, settings);
  for (const ExamplesOf& each : kExamples) {
    const std::string_view name = each.subcommand;
    if (all || name.substr(0, name.find(' ')) == first) {
      line.AddExamples(each.subcommand, each.first, each.second);
    }
  }
  return made;
}

}  // namespace trommel::tool
