// Wrong command lines: one line on standard error, exit 2, and nothing done.
#include "tools/trommel/options/command_line.h"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/options/filter_options.h"
#include "tools/trommel/options/key_options.h"

namespace trommel::tool {
namespace {

TEST_CASE("words are wrapped and none is lost", "[tools][help_text]") {
  CHECK(Wrapped("", 10).empty());
  CHECK(Wrapped("one two", 10) == "one two");
  CHECK(Wrapped("one two six", 7) == "one two\nsix");
  CHECK(Wrapped("incomprehensible to all", 6) == "incomprehensible\nto all");
}

using tests::RunTool;
using tests::TempFolder;
using tests::ToolResult;

TEST_CASE("contradictions and wrong values are usage errors", "[tools][options]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"no-such-command"},
      {"size", "--no-such-option"},
      {"size", "-n", "ten"},
      {"size", "-n", "10", "-p", "0"},
      {"size", "-n", "0"},
      {"build", "-o", filter, "-n", "10", "--seed", "-1"},
      {"size", "-n", "10", "--slices", "9"},
      {"size", "-n", "10", "--encoding", "unary"},
      {"build"},
      {"build", "-o", filter, "-n", "10", "--keys", "csv"},
      {"build", "-o", filter, "-n", "10", "--keys", "hex", "--column", "1"},
      {"build", "-o", filter, "-n", "10", "--column", "name"},
      {"build", "-o", filter, "-n", "10", "--header"},
      {"build", "-o", filter, "-n", "10", "--keys", "raw64", "--crlf"},
      {"build", "-o", filter, "-n", "10", "--threads", "two"},
      {"query", filter, "--threads", "1025"},
      {"query"},
      {"insert", filter, "--force"},
      {"size", "-n", "10", "--target", "Z80"},
  };
  for (const auto& arguments : wrong) {
    const ToolResult result = RunTool(arguments);
    std::string line;
    for (const std::string& argument : arguments) line += argument + " ";
    INFO(line << "-> " << result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err.starts_with("trommel: "));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  CHECK(folder.Names().empty());
}

TEST_CASE("an option that a message about input advises is one of the command",
          "[tools][options]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::vector<std::string> window = {"build", "--type", "window", "--window", "1h",
                                           "-n",    "10",     "--keys", "tsv",      "--column",
                                           "1",     "--time", "2",      "-o",       filter};
  struct Advised {
    std::vector<std::string> arguments;
    std::string input;
    std::string message;
  };
  const std::vector<Advised> all = {
      {window, "key\ttime\na\t1\n",
       "(stdin):1: not a time: 'time'; is this line a header? --header skips it\n"},
      {window, "a\t1\nkey\ttime\n", "(stdin):2: not a time: 'time'\n"},
      {{"attr", "build", "-o", filter, "-n", "10"}, "", "(or say --no-header)\n"},
      {{"attr", "build", "-o", filter, "-n", "10", "--no-header", "--columns", "a"},
       "x\n",
       "no column named 'a' without a header: give its number in --columns\n"},
  };
  for (const Advised& each : all) {
    const ToolResult result = RunTool(each.arguments, each.input);
    CAPTURE(each.arguments, each.input, result.err);
    CHECK(result.exit_code != 0);
    CHECK(result.err.ends_with(each.message));
    std::vector<std::string> page = {each.arguments[0], "--help"};
    if (page[0] == "attr") page.insert(page.begin() + 1, each.arguments[1]);
    const std::string help = RunTool(page).out;
    for (size_t at = result.err.find(" --"); at != std::string::npos;
         at = result.err.find(" --", at + 1)) {
      const size_t end = result.err.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at + 1);
      CHECK(help.find(result.err.substr(at, end - at)) != std::string::npos);
    }
  }
  CHECK(folder.Names().empty());
}

TEST_CASE("options shared by all may come before and after the subcommand", "[tools][options]") {
  const std::string before = RunTool({"--json", "size", "-n", "1000"}).out;
  CHECK(before.starts_with("{"));
  CHECK(RunTool({"size", "-n", "1000", "--json"}).out == before);
}

TEST_CASE("the first help page is short, and the long text is shown once", "[tools][options]") {
  const std::string first = RunTool({"--help"}).out;
  CHECK(RunTool({"--version"}).out.starts_with("trommel "));
  CHECK(std::count(first.begin(), first.end(), '\n') <= 30);
  const std::string topics = RunTool({"help"}).out;
  CHECK_THAT(topics, Catch::Matchers::ContainsSubstring("Exit status"));
  CHECK_THAT(topics, Catch::Matchers::ContainsSubstring("--wait"));
  CHECK_THAT(topics, Catch::Matchers::ContainsSubstring("--target"));
  for (const std::string command : {"build", "stress"}) {
    const std::string page = RunTool({command, "--help"}).out;
    CHECK(page.find("Exit status") == std::string::npos);
    CHECK(RunTool({"help", command}).out.size() > page.size());
    CHECK(page.ends_with("\nAll about them: trommel help " + command + "\n"));
  }
  const ToolResult none = RunTool({"help", "bogus"});
  CHECK(none.exit_code == 2);
  CHECK(none.err == "trommel: unknown subcommand 'bogus'\n");
  const ToolResult json = RunTool({"help", "--json"});
  CHECK(json.exit_code == 2);
  CHECK(json.err == "trommel: --json: help is text only (see trommel help --help)\n");
}

TEST_CASE("of the options that exclude each other one may be given", "[tools][options]") {
  const ToolResult result = RunTool({"query", "-c", "--print-counts", "filter"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err,
             Catch::Matchers::ContainsSubstring("--counts and --count: choose one of them"));
}

TEST_CASE("an error of a command line names the option, the value and what is legal",
          "[tools][options]") {
  const auto [arguments, want] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"bogus", "-n", "3"}, "unknown subcommand 'bogus' (see trommel --help)"},
      {{"attr", "bogus"}, "unknown subcommand 'bogus' (see trommel attr --help)"},
      {{"size", "--threads", "9"}, "unknown option '--threads' (see trommel size --help)"},
      {{"fold", "a", "b"}, "unexpected argument 'b' (see trommel fold --help)"},
      {{"build", "-o", ""}, "--output: must not be empty"},
      {{"query", ""}, "FILTER: must not be empty"},
      {{"insert", "f", "-o", ""}, "--output: must not be empty"},
      {{"size", "-n", "0"}, "--capacity: must be at least 1; got 0"},
      {{"size", "-n", "9", "--slices", "9"},
       "no planes: --slices is 9; planes have 8; no runs: --slices is 9; runs have"},
      {{"size", "-n", "2000G"}, "trommel: -n is 2000000000000; it must be"},
      {{"size", "-n", "9", "--slices", "-5"},
       "--slices: must be a whole number from 1 to 10; got '-5'"},
      {{"insert", "--threads", "1025"},
       "--threads: must be a whole number from 0 to 1,024; got '1025'"},
  }));
  CHECK_THAT(RunTool(arguments).err, Catch::Matchers::ContainsSubstring(want));
}

TEST_CASE("a shape that there is not is told before keys are counted", "[tools][options]") {
  const TempFolder folder;
  const std::string keys = folder.Write("keys", "a\n");
  const ToolResult result = RunTool({"build", "--type", "counting", "-o", folder.Path("filter"),
                                     "--encoding", "planes", "--slices", "5", keys});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "trommel: --slices is 5; planes have 8 (runs have 5)\n");
}

}  // namespace
}  // namespace trommel::tool
