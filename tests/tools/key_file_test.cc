// --key-file: filters under a digest key, from the command line.
#include "tools/trommel/filters/key_file.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/digest_keys.h"
#include "tools/run_tool.h"
#include "tools/trommel/filters/file_lock.h"
#include "tools/trommel/options/file_options.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;
using Words = std::vector<std::string>;

std::string KeyText(uint8_t first = 0) {
  const auto bytes = KeyBytes(first);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_CASE("every command that hashes takes the key of the filter", "[tools][keyed]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string key = folder.Write("key", KeyText());
  MustRun({"build", "-n", "100", "-o", filter, "--digest", "siphash", "--key-file", key}, "a\nb\n");
  CHECK(RunTool({"insert", filter, "--key-file", key}, "c\n").exit_code == 0);
  CHECK(RunTool({"query", filter, "--key-file", key, "-c"}, "a\nb\nc\nd\n").out == "3\n");
  CHECK(RunTool({"query", filter, "--key-file", key, "--print-counts"}, "a\n").out == "1\ta\n");
  CHECK(RunTool({"erase", filter, "--key-file", key}, "b\n").exit_code == 0);
  CHECK(RunTool({"verify", filter, "--key-file", key, "-"}, "a\nc\n").exit_code == 0);
  CHECK(RunTool({"query", filter, "--key-file", key, "--keys", "u64"}, "7\n").exit_code == 1);

  const std::string rows = folder.Path("rows");
  MustRun({"attr", "build", "-n", "100", "-o", rows, "--digest", "siphash", "--key-file", key},
          "a\tb\n1\t2\n3\t4\n");
  CHECK(RunTool({"attr", "insert", rows, "--key-file", key}, "a\tb\n5\t6\n").exit_code == 0);
  CHECK(RunTool({"attr", "query", rows, "--key-file", key, "-c"}, "a\tb\n1\t2\n5\t6\n").out ==
        "2\n");
  CHECK(RunTool({"attr", "erase", rows, "--key-file", key}, "a\tb\n1\t2\n").exit_code == 0);
  CHECK(RunTool({"stats", rows}).exit_code == 0);
}

TEST_CASE("without its key a filter's statistics are shown, and no key is read", "[tools][keyed]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string key = folder.Write("key", KeyText());
  const std::string rows = folder.Path("rows");
  const Words digest = {"--digest", "siphash", "--key-file", key};
  MustRun(With({"build", "-n", "100", "-o", filter}, digest), "a\n");
  MustRun(With({"attr", "build", "-n", "9", "-o", rows}, digest), "a\tb\n1\t2\n");
  const json stats = ReportOf({"stats", filter});
  CHECK(stats["digest"] == "siphash");
  CHECK(stats["key_check"] == "add1ad41a0cc35cf");
  CHECK(stats["num_keys"] == 1);
  CHECK(RunTool({"verify", filter}).exit_code == 0);

  const std::string before = folder.Read("filter");
  const std::string rows_before = folder.Read("rows");
  for (const Words& command :
       {Words{"insert", filter}, Words{"query", filter}, Words{"attr", "query", rows}}) {
    INFO(command[0] << " " << command[1]);
    RunningTool tool(command);
    const ToolResult refused = tool.WaitWithInputOpen();  // it ends though input may come
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, ContainsSubstring("give the file of its key with --key-file"));
  }
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Read("rows") == rows_before);
}

TEST_CASE("a wrong key, and a key where none is called for, are refused before input is read",
          "[tools][keyed]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string plain = folder.Path("plain");
  const std::string key = folder.Write("key", KeyText());
  const std::string wrong = folder.Write("wrong", KeyText(1));
  MustRun({"build", "-n", "100", "-o", filter, "--digest", "siphash", "--key-file", key}, "a\n");
  MustRun({"build", "-n", "100", "-o", plain}, "a\n");
  const std::string before = folder.Read("filter");
  for (const std::string command : {"insert", "query"}) {
    RunningTool with_wrong({command, filter, "--key-file", wrong});
    const ToolResult refused = with_wrong.WaitWithInputOpen();
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, ContainsSubstring(filter + ": wrong key"));
    RunningTool with_key({command, plain, "--key-file", key});
    const ToolResult not_called_for = with_key.WaitWithInputOpen();
    CHECK(not_called_for.exit_code == 2);
    CHECK_THAT(not_called_for.err, ContainsSubstring("digest is xxh3, which takes none"));
  }
  CHECK(folder.Read("filter") == before);
}

TEST_CASE("a key that cannot be read is told without waiting for a lock", "[tools][keyed]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "100", "-o", filter}, "a\n");
  const tool::FileLock lock = tool::FileLock::Take(filter, {}).value();
  const Words digest = {"--digest", "siphash"};
  for (const Words& command : {Words{"insert", filter}, Words{"attr", "erase", filter},
                               With({"build", "-fo", filter}, digest)}) {
    INFO(command[0] << " " << command[1]);
    const ToolResult result =
        RunTool(With(command, {"--wait", "0", "--key-file", folder.Path("none")}), "a\n");
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, ContainsSubstring("cannot open " + folder.Path("none")));
  }
}

TEST_CASE("a key file holds exactly 16 bytes, and is no output", "[tools][keyed]") {
  const TempFolder folder;
  const std::string out = folder.Path("out");
  const auto build = [&](const std::string& key_file) {
    return RunTool(
        {"build", "-f", "-n", "100", "-o", out, "--digest", "siphash", "--key-file", key_file},
        "a\n");
  };
  const auto refusal = [&](const std::string& key_file, int exit_code) {
    const ToolResult result = build(key_file);
    CHECK(result.exit_code == exit_code);
    return result.err;
  };
  CHECK_THAT(refusal(folder.Write("short", "0123456789abcde"), 2),
             ContainsSubstring("holds 15 bytes; a key file must hold exactly 16"));
  CHECK_THAT(refusal(folder.Write("long", "0123456789abcdef\n"), 2),
             ContainsSubstring("holds more than 16 bytes"));
  CHECK_THAT(refusal(folder.Write("empty", ""), 2), ContainsSubstring("/dev/urandom"));
  CHECK_THAT(refusal(folder.Path("none"), 3), ContainsSubstring("cannot open"));
  CHECK_THAT(refusal("-", 2), ContainsSubstring("not standard input"));
  CHECK_THAT(refusal("", 2), ContainsSubstring("must name a file; got ''"));
  CHECK_THAT(RunTool({"query", out, "--key-file", ""}, "a\n").err,
             ContainsSubstring("must name a file; got ''"));
  const std::string key = folder.Write("key", KeyText());
  CHECK(build(key).exit_code == 0);
  const ToolResult onto_key = RunTool(
      {"build", "-f", "-n", "100", "-o", key, "--digest", "siphash", "--key-file", key}, "a\n");
  CHECK(onto_key.exit_code == 2);
  CHECK_THAT(onto_key.err, ContainsSubstring("is also an input"));
  CHECK(folder.Read("key") == KeyText());
}

TEST_CASE("digest options that contradict each other are refused with the reason",
          "[tools][keyed]") {
  const TempFolder folder;
  const std::string key = folder.Write("key", "0123456789abcdef");
  Words command = GENERATE(Words{"build", "-n", "9"}, Words{"dedup", "-n", "9"},
                           Words{"attr", "build", "-n", "9"});
  if (command[0] != "dedup") command = With(command, {"-o", folder.Path("out")});
  const auto refusal = [&](const Words& digest) {
    const ToolResult result = RunTool(With(command, digest), "a\n");
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(refusal({"--digest", "siphash"}), ContainsSubstring("siphash needs --key-file"));
  CHECK_THAT(refusal({"--digest", "siphash", "--key-file", key, "--seed", "7"}),
             ContainsSubstring("a key instead of a seed"));
  CHECK_THAT(refusal({"--key-file", key}), ContainsSubstring("is for --digest siphash, not xxh3"));
  CHECK(folder.Names() == Words{"key"});
}

}  // namespace
}  // namespace trommel::tests
