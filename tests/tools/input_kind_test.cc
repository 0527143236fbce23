// How an input begins: what is no text is refused, and told how to become text.
#include "tools/trommel/input/input_kind.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using std::string_view_literals::operator""sv;

TEST_CASE("an input's kind is seen by its first bytes", "[tools][input_kind]") {
  CHECK(KindOfInput("") == InputKind::kText);
  CHECK(KindOfInput("a\nb\n") == InputKind::kText);
  CHECK(KindOfInput("\x1f\x8b\x08\0\n"sv) == InputKind::kGzip);
  CHECK(KindOfInput("\x1f\x8b\n") == InputKind::kText);
  CHECK(KindOfInput("BZh91AY&SY\x01\n") == InputKind::kBzip2);
  CHECK(KindOfInput("BZh9\x17\x72\x45\x38\x50\x90\n") == InputKind::kBzip2);
  CHECK(KindOfInput("BZh9 is a word\n") == InputKind::kText);
  CHECK(KindOfInput("\xfd"
                    "7zXZ\0\n"sv) == InputKind::kXz);
  CHECK(KindOfInput("\x28\xb5\x2f\xfd\n") == InputKind::kZstd);
  CHECK(KindOfInput("\xff\xfe"
                    "a\0\n\0"sv) == InputKind::kUtf16);
  CHECK(KindOfInput("\xfe\xff\0a\0\n"sv) == InputKind::kUtf16);
  CHECK(KindOfInput("\xff\xfe\0\0a\0\0\0\n\0\0\0"sv) == InputKind::kUtf32);
  CHECK(KindOfInput("\0\0\xfe\xff\0\0\0a\0\0\0\n"sv) == InputKind::kUtf32);
  CHECK(KindOfInput("key\0key\0"sv) == InputKind::kBinary);
  CHECK(KindOfInput("\0a\n"sv) == InputKind::kBinary);
  CHECK(KindOfInput("a\nb\0\n"sv) == InputKind::kText);  // the first line decides
  CHECK(KindOfNulRecords("key\0key\0"sv) == InputKind::kText);
  CHECK(KindOfNulRecords("\x1f\x8b\x08\0"sv) == InputKind::kGzip);
  CHECK(KindOfNulRecords("\0\0\xfe\xff"sv) == InputKind::kText);  // two empty records
}

}  // namespace
}  // namespace trommel::tool

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using std::string_view_literals::operator""sv;

TEST_CASE("every command that reads lines refuses what is none", "[tools][input_kind]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string rows = folder.Path("rows");
  const std::string wide = folder.Write("wide.txt",
                                        "\xff\xfe"
                                        "a\0\n\0"sv);
  MustRun({"build", "-n", "10", "-o", filter}, "a\n");
  MustRun({"attr", "build", "-n", "10", "-o", rows}, "k\tv\n1\t2\n");
  const std::string before = folder.Read("filter");
  const std::vector<std::vector<std::string>> commands = {
      {"build", "-o", folder.Path("new")},
      {"insert", filter},
      {"erase", filter},
      {"query", filter},
      {"verify", filter},
      {"dedup"},
      {"attr", "build", "-o", folder.Path("new")},
      {"attr", "insert", rows},
      {"attr", "erase", rows},
      {"attr", "query", rows},
  };
  for (std::vector<std::string> command : commands) {
    CAPTURE(command);
    command.push_back(wide);
    const ToolResult result = RunTool(command);
    CHECK(result.exit_code == 3);
    CHECK(result.err == "trommel: " + wide + ": UTF-16 text, not lines: try: iconv -f UTF-16 -t " +
                            "UTF-8 " + wide + " | trommel ... - (--as-lines takes it as it is)\n");
  }
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Names() == std::vector<std::string>{"filter", "rows", "wide.txt"});
  CHECK(RunTool({"insert", "--as-lines", filter, wide}).exit_code == 0);
  CHECK(RunTool({"query", "-c", "--as-lines", filter, wide}).out == "2\n");
}

TEST_CASE("a pipe is judged however its first bytes come", "[tools][input_kind]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "10", "-o", filter}, "a\n");
  RunningTool marked({"query", "-c", filter});
  for (const char byte :
       "\xef\xbb\xbf"
       "a\nb\n"sv)
    marked.Write({&byte, 1});
  const ToolResult read = marked.Wait();
  CHECK(read.out == "1\n");
  CHECK(read.err == "trommel: note: (stdin): skipped the byte order mark before the first line\n");
}

TEST_CASE("text of UTF-16 and binary data have remedies of their own", "[tools][input_kind]") {
  const auto error_of = [](std::string_view input) {
    const ToolResult result = RunTool({"dedup", "-n", "10"}, input);
    CHECK(result.exit_code == 3);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK_THAT(error_of("\xff\xfe\0\0a\0\0\0\n\0\0\0"sv),
             ContainsSubstring("UTF-32 text, not lines: try: ... | iconv -f UTF-32 -t UTF-8 | "));
  CHECK_THAT(error_of("\x89TRM\r\n\x1a\n"), ContainsSubstring("trommel merge adds filters up"));
  CHECK_THAT(error_of("a\0b\n"sv), ContainsSubstring("--keys nul"));
  CHECK(RunTool({"dedup", "-n", "10", "--keys", "nul"}, "key\0key\0"sv).out == "key\0"sv);
}

TEST_CASE("a remedy can be typed whatever the file's name is", "[tools][input_kind]") {
  const TempFolder folder;
  const auto remedy_for = [&](const std::string& name) {
    return RunTool({"dedup", "-n", "10",
                    folder.Write(name,
                                 "\xff\xfe"
                                 "a\0\n\0"sv)})
        .err;
  };
  CHECK_THAT(remedy_for("two words.txt"),
             ContainsSubstring("try: iconv -f UTF-16 -t UTF-8 '" + folder.Path("two words.txt") +
                               "' | trommel"));
  CHECK_THAT(remedy_for("it's.txt"), ContainsSubstring("it'\\''s.txt' | trommel"));
  CHECK_THAT(remedy_for("a\n'.txt"),
             ContainsSubstring("try: iconv -f UTF-16 -t UTF-8 $'" + folder.Path("a\\012\\'.txt'")));
}

TEST_CASE("commands without --keys do not advise it", "[tools][input_kind]") {
  const TempFolder folder;
  const ToolResult rows =
      RunTool({"attr", "build", "-n", "9", "-o", folder.Path("rows")}, "k\tv\0\n"sv);
  CHECK(rows.exit_code == 3);
  CHECK(rows.err ==
        "trommel: (stdin): a NUL byte in the first line, so these are no lines (--as-lines takes "
        "it as it is)\n");
}

TEST_CASE("a byte order mark is no part of a key or of a column's name", "[tools][input_kind]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string mark = "\xef\xbb\xbf";
  const std::string keys = folder.Write("keys", mark + "one\ntwo\n");
  const ToolResult built = RunTool({"build", "-f", "-o", filter, keys});
  CHECK(built.exit_code == 0);  // read twice, told once
  CHECK(built.err ==
        "trommel: note: " + keys + ": skipped the byte order mark before the first line\n");
  CHECK(RunTool({"query", "-c", filter}, "one\ntwo\n").out == "2\n");
  CHECK(RunTool({"query", "--print-present", filter, keys}).out == "one\ntwo\n");

  const std::string table = folder.Write("table", mark + "k\tv\none\t1\n");
  CHECK(RunTool({"query", "-c", filter, "--header", "--column", "k", table}).out == "1\n");
  const std::string rows = folder.Path("rows");
  MustRun({"attr", "build", "-o", rows, table});
}

TEST_CASE("lines that all end in CR LF are pointed out", "[tools][input_kind]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string keys = folder.Write("keys", "one\r\ntwo\r\n");
  CHECK_THAT(RunTool({"build", "-o", filter, keys}).err,
             EndsWith("keys: lines end in CR LF, and the CR is taken as part of them: --crlf "
                      "strips it\n"));
  CHECK(RunTool({"build", "-f", "--crlf", "-o", filter, keys}).err.empty());
  for (const auto& lines : std::vector<std::vector<std::string>>{
           {"dedup"}, {"query", "--print-absent", filter}, {"query", "--counts", filter}}) {
    const ToolResult printed = RunTool(With(lines, {"--json", keys}));
    CHECK_THAT(printed.out, ContainsSubstring("one\r\n"));
    CHECK_THAT(nlohmann::json::parse(printed.err)["notes"][0].get<std::string>(),
               StartsWith(keys + ": lines end in CR LF"));
  }
  CHECK_THAT(RunTool({"dedup", "--json", "-n", "9", "--column", "2", keys}).err,
             StartsWith("trommel: note: ") && ContainsSubstring("\ntrommel: " + keys + ":1: "));
  CHECK(RunTool({"query", "-c", filter}, "one\ntwo\n").out == "2\n");
}

}  // namespace
}  // namespace trommel::tests
