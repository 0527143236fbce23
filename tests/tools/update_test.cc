// trommel insert and erase: what is changed, what is reported, and what is left alone.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

TEST_CASE("an update that meets a bad key changes nothing", "[tools][update]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "10", "--keys", "u64", "-o", filter}, "1\n2\n");
  const std::string before = folder.Read("filter");
  const std::string command = GENERATE("insert", "erase");
  CHECK(RunTool({command, filter, "--keys", "u64"}, "1\n2\nx\n").exit_code == 3);
  CHECK(RunTool({command, filter, folder.Path("none")}).exit_code == 3);
  CHECK(RunTool({command, folder.Path("none")}, "1\n").exit_code == 3);
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Names() == std::vector<std::string>{"filter"});
}

TEST_CASE("an update does not write over what it reads", "[tools][update]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string keys = folder.Write("keys", "a\n");
  MustRun({"build", "-o", filter, keys});
  const std::string command = GENERATE("insert", "erase");
  CHECK(RunTool({command, filter, "-f", "-o", keys, keys}).exit_code == 2);
  CHECK(RunTool({command, filter, "-f", "-o", filter, keys}).exit_code == 2);
  const std::string before = folder.Read("filter");
  const ToolResult itself = RunTool({command, filter, keys, filter});
  CHECK(itself.exit_code == 2);
  CHECK(itself.err == "trommel: the filter " + filter + " is also an input\n");
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Read("keys") == "a\n");
}

TEST_CASE("insert completes a filter to the bytes of one built at once, and erase takes it back",
          "[tools][insert][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string encoding = GENERATE("runs", "fingerprints16", "dense");
  const auto build = [&](const std::string& path, const std::string& keys) {
    MustRun({"build", "-n", "1k", "--encoding", encoding, "-o", path}, keys);
  };
  build(filter, Lines("a", 500));
  build(folder.Path("both"), Lines("a", 500) + Lines("b", 500));
  const std::string before = folder.Read("filter");

  const std::string keys = folder.Write("keys", Lines("b", 500));
  MustRun({"insert", filter, keys, "-o", folder.Path("other")});
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Read("other") == folder.Read("both"));
  CHECK(RunTool({"insert", filter, keys, "-o", folder.Path("other")}).exit_code == 2);

  MustRun({"insert", filter}, Lines("b", 500));
  CHECK(folder.Read("filter") == folder.Read("both"));
  const json erased = ReportOf({"erase", filter}, Lines("b", 500));
  CHECK(erased["num_erased"] == 500);
  CHECK(erased["num_keys"] == 500);
  CHECK(folder.Read("filter") == before);
}

TEST_CASE("a memory limit bounds what a filter file grows to", "[tools][insert]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::vector<std::string> build = {"build", "--type", "scalable", "-n",
                                          "1000",  "-o",     filter};
  MustRun(build, Lines("a", 900));
  const std::string before = folder.Read("filter");
  const std::string keys = folder.Write("keys", Lines("b", 100'000));
  const ToolResult too_little = RunTool({"insert", filter, keys, "--memory-limit", "1KiB"});
  CHECK(too_little.exit_code != 0);
  CHECK_THAT(too_little.err, Catch::Matchers::ContainsSubstring("more than the limit of 1,024"));
  CHECK_THAT(too_little.err, !Catch::Matchers::ContainsSubstring("memory_limit_bytes"));
  CHECK(folder.Read("filter") == before);

  const std::string grown = folder.Path("grown");
  const ToolResult bounded =
      RunTool({"insert", filter, keys, "-o", grown, "--memory-limit", "64KiB"});
  CHECK(bounded.exit_code == 1);
  CHECK_THAT(bounded.out, Catch::Matchers::ContainsSubstring("would exceed its memory limit"));
  CHECK(folder.Read("grown").size() < 100'000);
  CHECK(RunTool({"insert", filter, keys, "--memory-limit", "64MiB"}).exit_code == 0);
}

TEST_CASE("erase erases all keys or changes nothing", "[tools][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "1k", "-o", filter}, "a\nb\nb\n");
  const std::string before = folder.Read("filter");
  const std::string keys = folder.Write("keys", "b\n\nc\nb\nb\n");
  const ToolResult refused = RunTool({"erase", filter, keys});
  CHECK(refused.exit_code == 3);
  CHECK(refused.out.empty());
  // c is absent, and b is given once too often.
  CHECK(refused.err ==
        "trommel: nothing was erased: 2 of 4 keys are certainly absent, or given more often than "
        "they are in; the first is " +
            keys +
            ":3: 'c'. A list that was erased before need not be erased again; --partial erases the "
            "other 2 all the same, which takes counts from other keys if they are not in\n");
  CHECK(RunTool({"erase", filter, keys, "--json", "--threads", "2"}).exit_code == 3);
  CHECK(RunTool({"erase", filter, "-o", folder.Path("other"), keys}).exit_code == 3);
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Names() == std::vector<std::string>{"filter", "keys"});

  const ToolResult all = RunTool({"erase", filter}, "c\nd\n");
  CHECK(all.exit_code == 3);
  CHECK(
      all.err ==
      "trommel: nothing was erased: 2 of 2 keys are certainly absent, or given more often than "
      "they are in; the first is (stdin):1: 'c'. A list that was erased before need not be erased "
      "again\n");
  CHECK(RunTool({"erase", filter}, "b\na\nb\n").exit_code == 0);
  CHECK(RunTool({"query", filter, "-c"}, "a\nb\n").out == "0\n");
}

TEST_CASE("erase --partial erases what is not certainly absent, and counts the rest",
          "[tools][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "1k", "-o", filter}, "a\nd\n");
  const json report = ReportOf({"erase", filter, "--partial"}, "b\nd\nc\n");
  CHECK(report["num_erased"] == 1);
  CHECK(report["num_refused"] == 2);
  CHECK(RunTool({"query", filter}, "a\n").exit_code == 0);
  CHECK(RunTool({"query", filter}, "d\n").exit_code == 1);
}

TEST_CASE("the first key that erase refuses is named by its file and line", "[tools][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const auto names = [&](const std::vector<std::string>& options, const std::string& text,
                         const std::string& where) {
    const ToolResult result = RunTool(With({"erase", filter, folder.Write("keys", text)}, options));
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Catch::Matchers::ContainsSubstring("the first is " +
                                                              folder.Path("keys") + where + ". A"));
  };
  // Beyond the first piece that is read.
  const std::string many = Lines("key", 60'000);
  MustRun({"build", "-n", "60k", "-o", filter}, many);
  names({}, many + "absent\n" + many, ":60001: 'absent'");
  names({"--threads", "3"}, many + "absent", ":60001: 'absent'");
  names({"--keys", "nul"}, std::string("key1\0key2\0x\0", 12), ":3: 'x'");
  names({"--column", "2", "--header"}, "n\tkey\n1\tkey1\n2\tx\n", ":3: '2\\x09x'");
  MustRun({"build", "-f", "-n", "10", "--keys", "u64", "-o", filter}, "1\n2\n");
  names({"--keys", "raw64"}, std::string("\1\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 16), ", key 2: 5");
}

}  // namespace
}  // namespace trommel::tests
