// trommel query: summaries, lines passed through, and grep's exit status.

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

// 1000 keys in a filter so sparse that no non-member of these tests is "maybe present".
std::string BuildSparse(const TempFolder& folder) {
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "100k", "-p", "1e-6", "-o", filter}, Lines("in", 1000));
  return filter;
}

TEST_CASE("query counts, and exits as grep does", "[tools][query]") {
  const TempFolder folder;
  const std::string filter = BuildSparse(folder);
  const json both = ReportOf({"query", filter}, Lines("in", 10) + Lines("out", 5));
  CHECK(both["num_maybe_present"] == 10);
  CHECK(both["num_absent"] == 5);
  CHECK(RunTool({"query", filter, "--count"}, Lines("in", 3)).out == "3\n");
  CHECK(RunTool({"query", filter}, Lines("out", 5)).exit_code == 1);
  CHECK(RunTool({"query", filter}, "").exit_code == 1);
}

TEST_CASE("query passes lines through unchanged and in order", "[tools][query]") {
  const TempFolder folder;
  const std::string filter = BuildSparse(folder);
  const std::string input = "in7\nout1\n\nin3\r\nin3\nout2\nin7";
  CHECK(RunTool({"query", filter, "--print-present"}, input).out == "in7\nin3\nin7\n");
  CHECK(RunTool({"query", filter, "--print-absent"}, input).out == "out1\nin3\r\nout2\n");
  CHECK(RunTool({"query", filter, "--print-present", "--crlf"}, input).out ==
        "in7\nin3\r\nin3\nin7\n");
  CHECK(RunTool({"query", filter, "--print-counts"}, "in1\nout\n").out == "1\tin1\n0\tout\n");
  CHECK(RunTool({"query", filter, "--counts"}, "in1\nout\n").out == "1\tin1\n0\tout\n");
  CHECK(RunTool({"query", filter, "--print-present", "--print-absent"}).exit_code == 2);

  CHECK(RunTool({"query", filter, "--print-counts", "--column", "host", "--header"},
                "host\nin1\nout\n")
            .out == "count\thost\n1\tin1\n0\tout\n");

  const ToolResult table = RunTool({"query", filter, "--print-present", "--column", "host",
                                    "--header", "--keys", "tsv", "--json"},
                                   "time\thost\n1\tin1\n2\tout\n3\tin2\n");
  CHECK(table.out == "time\thost\n1\tin1\n3\tin2\n");
  CHECK(json::parse(table.err)["num_maybe_present"] == 2);
}

TEST_CASE("a line typed is answered before the next comes", "[tools][query]") {
  const TempFolder folder;
  const std::string num_threads = GENERATE("1", "2", "8");
  RunningTool tool({"query", BuildSparse(folder), "--print-present", "--threads", num_threads});
  tool.Write("in1\n");
  std::string out;
  for (int i = 0; i < 500 && out.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    out = tool.OutputSoFar();
  }
  CHECK(out == "in1\n");
  tool.Write("in2\n");
  CHECK(tool.Wait().out == "in1\nin2\n");
}

TEST_CASE("a bad line typed is told before the next comes", "[tools][query]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "10", "--keys", "u64", "-o", filter}, "1\n");
  const std::string num_threads = GENERATE("1", "2", "8");
  RunningTool tool({"query", filter, "--keys", "u64", "--print-present", "--threads", num_threads});
  tool.Write("1\nx\n");
  const ToolResult result = tool.WaitWithInputOpen();
  CHECK(result.exit_code == 3);
  CHECK(result.out == "1\n");
  CHECK(result.err == "trommel: (stdin):2: not a decimal integer: 'x'\n");
}

TEST_CASE("every key format queries the keys that were built with it", "[tools][query]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string raw("\1\0\0\0\0\0\0\0", 8);
  MustRun({"build", "-n", "10", "--keys", "u64", "-o", filter}, "1\n");
  CHECK(RunTool({"query", filter, "--keys", "raw64", "--print-present"}, raw).out == raw);
  // The digest of an integer is that of its 8 bytes: hex and integers meet.
  CHECK(RunTool({"query", filter, "--keys", "hex"}, "0100000000000000\n").exit_code == 0);
  CHECK(RunTool({"query", filter, "--keys", "nul", "--print-absent"}, std::string("1\0", 2)).out ==
        std::string("1\0", 2));
}

TEST_CASE("a filter that cannot be read is bad input", "[tools][query]") {
  const TempFolder folder;
  const ToolResult missing = RunTool({"query", folder.Path("none")}, "a\n");
  CHECK(missing.exit_code == 3);
  CHECK(missing.err ==
        "trommel: cannot open " + folder.Path("none") + ": No such file or directory\n");
}

}  // namespace
}  // namespace trommel::tests
