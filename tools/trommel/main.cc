// The command `trommel`: wires the subcommands, and turns what goes wrong into one line and a code.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/commands.h"
#include "tools/trommel/help_text.h"
#include "tools/trommel/interrupt.h"
#include "tools/trommel/report.h"
#include "trommel/targets.h"
#include "trommel/version.h"

namespace trommel::tool {
namespace {

constexpr const char* kDescription =
    "Counting Bloom filters in files: insert, erase and query keys in bulk.\n"
    "Keys are lines of standard input or of files. An answer \"absent\" is certain; \"maybe\n"
    "present\" is wrong for a stranger with the filter's false-positive rate. Try: trommel demo";

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 negative answer, or no room for a key; 2 usage; 3 bad input, output\n"
    "that cannot be written, a file that another command is changing, or no memory (the\n"
    "system's or --memory-limit's); 4 the file was changed, but its report could not be written,\n"
    "or its folder not be flushed. After 2, after 3 and after the end by a signal no file was\n"
    "changed. A command holds the lock of the file that it changes while it reads its input: one\n"
    "that waits for an idle pipe makes others wait (--wait).\n"
    "With --json the report is one JSON object on standard output, or on standard error when\n"
    "standard output carries lines (query --print-..., dedup).";

int FailOnParse(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::string name = "trommel";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream text;  // --help or --version
    app.exit(error, text, text);
    const Status written = WriteText(text.str(), stdout);
    return written.ok() ? kDone : FailOnInput(written.error());
  }
  std::string message = error.what();
  if (command == &app) {
    const std::vector<std::string> words = app.remaining();
    if (!words.empty()) {
      const char* what = words.front().starts_with("-") ? "option" : "subcommand";
      message = fmt::format("unknown {} \"{}\"", what, words.front());
    }
  }
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  return Fail(kUsageError, fmt::format("{} (see {} --help)", message, name));
}

// A file opened while standard error is closed would get its number, and our messages. Each end is
// made unusable the way a closed one is: what is read cannot be read, what is written not written.
void FillClosedStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

int Main(int argc, char** argv) {
  CLI::App app(kDescription, "trommel");
  app.footer(kFooter);
  app.formatter(std::make_shared<HelpText>());
  app.set_version_flag("-V,--version", fmt::format("trommel {}", LinkedVersion()));
  app.require_subcommand(1);
  app.fallthrough();

  Settings settings;
  if (argc > 0 && std::string_view(argv[0]).find('/') != std::string_view::npos) {
    settings.program = argv[0];  // it need not be on the PATH
  }
  app.add_flag("--json", settings.json, "Report as one JSON object");
  app.add_flag("-q,--quiet", settings.quiet, "No progress line on the terminal");
  app.add_option("--target", settings.target,
                 "Run on this instruction set (see trommel targets); TROMMEL_TARGET does the same")
      ->type_name("NAME");

  Run run;
  AddSizeCommand(app, settings, run);
  AddBuildCommand(app, settings, run);
  AddInsertCommand(app, settings, run);
  AddEraseCommand(app, settings, run);
  AddQueryCommand(app, settings, run);
  AddDedupCommand(app, settings, run);
  AddStatsCommand(app, settings, run);
  AddVerifyCommand(app, settings, run);
  AddAttrCommand(app, settings, run);
  AddTargetsCommand(app, settings, run);
  AddStressCommand(app, settings, run);
  AddDemoCommand(app, settings, run);
  AddBenchCommand(app, settings, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return FailOnParse(app, error);
  }

  if (const Status checked = CheckTargetEnvironment(); !checked.ok()) {
    return Fail(kUsageError, checked.error().message);
  }
  if (!settings.target.empty()) {
    if (const Status forced = ForceTarget(settings.target); !forced.ok()) {
      return Fail(kUsageError, forced.error().message);
    }
  }
  return run();
}

}  // namespace
}  // namespace trommel::tool

int main(int argc, char** argv) {
  // A parent may have left SIGPIPE ignored; when our reader goes away we want to go quietly too.
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond ulimit -f is an error like one to a full disk
  trommel::tool::FillClosedStreams();
  int code = trommel::tool::kBadInput;
  try {
    code = trommel::tool::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    code = trommel::tool::Fail(trommel::tool::kBadInput, "out of memory");
  } catch (const std::exception& error) {
    code = trommel::tool::Fail(trommel::tool::kBadInput, error.what());
  }
  trommel::tool::EndAsInterrupted();
  return code;
}
