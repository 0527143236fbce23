// Names in hosts files and lists of domains; comments; folders of files.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/input/key_format.h"

namespace trommel::tool {
namespace {

using Names = std::vector<std::string_view>;

Names NamesOf(std::string_view line) {
  Names names;
  CHECK(AddHostNames(line, names).ok());
  return names;
}

TEST_CASE("a line of a hosts file or a list of domains has these names", "[tools][host_names]") {
  CHECK(NamesOf("0.0.0.0 ads.example") == Names{"ads.example"});
  CHECK(NamesOf("127.0.0.1\tlocalhost  me.lan # mine") == Names{"localhost", "me.lan"});
  CHECK(NamesOf("::1 ip6-localhost ip6-loopback") == Names{"ip6-localhost", "ip6-loopback"});
  CHECK(NamesOf("fe80::1%lo0 localhost\r") == Names{"localhost"});
  CHECK(NamesOf("  0.0.0.0 a.b#c") == Names{"a.b"});
  CHECK(NamesOf("||ads.example^") == Names{"ads.example"});
  CHECK(NamesOf("ads.example") == Names{"ads.example"});
  CHECK(NamesOf("ads.example # why") == Names{"ads.example"});
  CHECK(NamesOf("b\xc3\xbc"
                "cher_1.example") == Names{"b\xc3\xbc"
                                           "cher_1.example"});
}

TEST_CASE("comments and rules of other kinds have none", "[tools][host_names]") {
  for (const std::string_view line :
       {"", " ", "\r", "# 0.0.0.0 a", "  # a", "! Title: list", "[Adblock Plus 2.0]",
        "@@||ads.example^", "||ads.example/path", "||ads.example^$third-party", "||*.example^",
        "/banner/*/img^", "example.com##.ad", "##.ad", "example.com#@#.ad > div"}) {
    CAPTURE(line);
    CHECK(NamesOf(line).empty());
  }
}

TEST_CASE("other lines are errors", "[tools][host_names]") {
  for (const std::string_view line : {"two words", "1.2.3.4", "::1 # alone", "a/b", "*.example"}) {
    CAPTURE(line);
    Names names;
    const Status added = AddHostNames(line, names);
    REQUIRE_FALSE(added.ok());
    CHECK(added.error().message.starts_with("no line of names: must be an address and names"));
    CHECK(names.empty());
  }
}

}  // namespace
}  // namespace trommel::tool

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("with --hosts each name of a line is a key, and what is skipped is counted",
          "[tools][host_names]") {
  const TempFolder folder;
  const std::string list = folder.Write(
      "hosts", "# list\n0.0.0.0 a.example b.example\n\n||c.example^\n@@||d.example^\na.example\n");
  const ToolResult names = RunTool({"dedup", "-n", "9", "--hosts", list});
  CHECK(names.exit_code == 0);
  CHECK(names.out == "a.example\nb.example\nc.example\n");
  CHECK_THAT(names.err, ContainsSubstring("4 (3 lines skipped)"));
  const std::string filter = folder.Path("filter");
  MustRun({"build", "--hosts", "-o", filter, list});
  CHECK(RunTool({"query", "-c", filter}, "a.example\nd.example\nc.example\n").out == "2\n");
  const ToolResult wrong = RunTool({"insert", "--hosts", filter}, "ok.example\ntwo words\n");
  CHECK(wrong.exit_code == 3);
  CHECK_THAT(wrong.err, ContainsSubstring("(stdin):2: no line of names"));
  const ToolResult absent = RunTool({"erase", "--hosts", filter}, "0.0.0.0 a.example none.example");
  CHECK(absent.exit_code == 3);
  CHECK_THAT(absent.err, ContainsSubstring("(stdin):1: 'none.example'"));
  const ToolResult windows = RunTool({"dedup", "-n", "9", "--hosts"}, "0.0.0.0 a\r\n||b^\r\n");
  CHECK(windows.out == "a\nb\n");
  CHECK_THAT(windows.err, !ContainsSubstring("CR LF"));  // which is part of no name
  CHECK(RunTool({"dedup", "--hosts", "--keys", "tsv"}).exit_code == 2);
  CHECK(RunTool({"dedup", "--hosts", "--column", "1"}).exit_code == 2);
}

TEST_CASE("option --comment skips lines, also before a header, and keeps the numbers of lines",
          "[tools][comment]") {
  const TempFolder folder;
  const std::string list = folder.Write("list", "# head\nb\n#b\na # kept\nb\n");
  const ToolResult lines = RunTool({"dedup", "-n", "9", "--comment", "#", list});
  CHECK(lines.out == "b\na # kept\n");
  CHECK_THAT(lines.err, ContainsSubstring("3 (2 lines skipped)"));
  CHECK(RunTool({"dedup", "-n", "9", "--comment", "//"}, "// x\r\na\r\n").out == "a\r\n");
  const std::string table = folder.Write("table", "## one\n##\nk\tv\n1\tx\n## two\n2\n");
  const ToolResult bad =
      RunTool({"dedup", "-n", "9", "--comment", "##", "--header", "--column", "v", table});
  CHECK(bad.exit_code == 3);
  CHECK_THAT(bad.err, ContainsSubstring("table:6: no column 2"));
  CHECK(bad.out == "k\tv\n1\tx\n");
  CHECK(RunTool({"dedup", "-n", "9", "--comment", "#", "--keys", "raw64"}).exit_code == 2);
}

TEST_CASE("comments that fill the first pieces of a file are none of its header",
          "[tools][comment]") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "# " + std::to_string(i) + "\n";
  const ToolResult result = RunTool(
      {"dedup", "-n", "9", "--comment", "#", "--header", "--column", "v"}, text + "k\tv\na\tb\n");
  CHECK(result.exit_code == 0);
  CHECK(result.out == "k\tv\na\tb\n");
}

TEST_CASE("option -r reads all files below a folder, and without it a folder is refused",
          "[tools][input_file]") {
  namespace fs = std::filesystem;
  const TempFolder folder;
  fs::create_directories(folder.Path("logs/b"));
  folder.Write("logs/b/2", "two\n");
  folder.Write("logs/a", "one\n");
  folder.Write("other", "three\n");
  fs::create_symlink(folder.Path("other"), folder.Path("logs/link"));
  fs::create_directory_symlink(folder.Path("logs"), folder.Path("logs/b/loop"));
  const std::string logs = folder.Path("logs");
  const ToolResult refused = RunTool({"dedup", "-n", "9", logs});
  CHECK(refused.exit_code == 3);
  CHECK(refused.err == "trommel: " + logs + " is a folder: -r reads the files below it\n");
  CHECK(RunTool({"dedup", "-n", "9", "-r", folder.Path("other"), logs}).out == "three\none\ntwo\n");
  fs::create_directory(folder.Path("none"));
  CHECK(RunTool({"dedup", "-n", "9", "-r", folder.Path("none")}).exit_code == 2);
  CHECK(RunTool({"dedup", "-n", "9", "-r", folder.Path("no")}).exit_code == 3);
  // A file below it is none that the command may overwrite.
  CHECK(RunTool({"build", "-f", "-n", "9", "-o", folder.Path("logs/a"), "-r", logs}).exit_code ==
        2);
}

TEST_CASE("below a folder, what may not be read is an error by its name when its turn comes",
          "[tools][input_file]") {
  namespace fs = std::filesystem;
  const TempFolder folder;
  fs::create_directories(folder.Path("logs/b/c"));
  folder.Write("logs/a", "one\n");
  folder.Write("logs/b/c/2", "two\n");
  if (geteuid() == 0) return;  // may read everything
  const std::string closed = folder.Path("logs/b");
  for (const auto& [left, named] :
       {std::pair{fs::perms::none, closed}, std::pair{fs::perms::owner_read, closed + "/c"}}) {
    fs::permissions(closed, left);
    const ToolResult result = RunTool({"dedup", "-n", "9", "-r", folder.Path("logs")});
    fs::permissions(closed, fs::perms::owner_all);
    CHECK(result.exit_code == 3);
    CHECK(result.out == "one\n");
    CHECK(result.err == "trommel: cannot open " + named + ": Permission denied\n");
  }
}

}  // namespace
}  // namespace trommel::tests
