// trommel bench, as short as it can be: its table, its file, and what it refuses.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bench/sweep/made_card.h"
#include "support/catch.h"
#include "support/sanitized.h"
#include "tools/run_tool.h"
#include "tools/trommel/commands/bench_print.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

const std::vector<std::string> kShort = {"bench",     "--sizes",  "1k",
                                         "--threads", "1",        "--seconds-per-figure",
                                         "1e-5",      "--filter", "^query.*best/batch:1Mi"};

ToolResult Bench(const std::vector<std::string>& more) { return RunTool(With(kShort, more)); }

TEST_CASE("bench prints a table and writes files of the same rows", "[tools][bench]") {
  const TempFolder folder;
  const ToolResult result =
      Bench({"--json", folder.Path("run.json"), "--html", folder.Path("run.html")});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err.empty());
  for (const char* part : {"query_hit", "query_half", "query_miss", "ceiling_read", "ns per key",
                           "1,000 keys\n", "1,000 keys, runs of 5 slices\n",
                           "1,000 keys, fingerprints16\n", "1,000 keys, dense\n", "threads", "%"}) {
    CHECK_THAT(result.out, ContainsSubstring(part));
  }
  CHECK(folder.Names() == std::vector<std::string>{"run.html", "run.json"});
  const json file = json::parse(folder.Read("run.json"));
  CHECK(file["context"]["target"].is_string());
  const std::string page = folder.Read("run.html");
  CHECK_THAT(page, ContainsSubstring("--seconds-per-figure 1e-5"));  // how it was made
  std::vector<std::string> names;
  for (const json& entry : file["benchmarks"]) {
    names.push_back(entry["name"]);
    CHECK_THAT(page, ContainsSubstring(entry["run_name"].get<std::string>()));
  }
  for (const char* name : {"query_hit/keys:1k/target:best/batch:1Mi/threads:1",
                           "query_hit/keys:1k/target:best/batch:1Mi/threads:1_median",
                           "ceiling_read/keys:1k/threads:1"}) {
    CHECK(std::count(names.begin(), names.end(), name) > 0);
  }
}

TEST_CASE("bench --json without a file is all there is on standard output", "[tools][bench]") {
  CHECK(json::parse(Bench({"--json"}).out)["benchmarks"].size() > 3);
}

TEST_CASE("what bench cannot measure is a usage error", "[tools][bench]") {
  const auto refusal = [](const std::string& option, const std::string& value) {
    const ToolResult result = RunTool({"bench", option, value});
    INFO(option << " " << value);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK_THAT(refusal("--filter", "insert("), ContainsSubstring("regular expression"));
  CHECK_THAT(refusal("--targets", "Z80"), ContainsSubstring("Z80"));
  CHECK_THAT(refusal("--sizes", "100G"), ContainsSubstring("100G keys"));
  CHECK_THAT(refusal("--threads", "0"), ContainsSubstring("0 threads"));
}

TEST_CASE("a file that cannot be written is told before measuring", "[tools][bench]") {
  const TempFolder folder;
  for (const char* option : {"--json", "--html"}) {
    const ToolResult result = RunTool({"bench", option, folder.Path("none/run.file")});
    CHECK(result.exit_code == 3);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, ContainsSubstring("run.file"));
  }
  const std::string both = folder.Path("both");
  const ToolResult twice = RunTool({"bench", "--json", both, "--html", both});
  CHECK(twice.exit_code == 2);
  CHECK_THAT(twice.err, ContainsSubstring("both write"));
}

TEST_CASE("an interrupted bench ends by the signal and leaves no file", "[tools][bench]") {
  const TempFolder folder;
  RunningTool tool({"bench", "--sizes", "1k", "--threads", "1", "--filter", "^query_hit", "--json",
                    folder.Path("run.json")});
  while (tool.OutputSoFar().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  tool.Signal(SIGINT);
  const ToolResult result = tool.Wait();
  CHECK(result.signal == SIGINT);
  CHECK(result.err.empty());
  CHECK(folder.Names().empty());
}

}  // namespace
}  // namespace trommel::tests

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;

bench::SweepFigure Figure() {
  bench::SweepFigure figure;
  figure.row.operation = bench::Operation::kErase;
  figure.row.num_keys = 30'000'000;
  figure.row.target = "AVX2";
  figure.row.num_threads = 2;
  figure.row.batch = 65536;
  figure.ns = {8, 4, 5};
  figure.bound = bench::Bound{2.5, bench::Operation::kStreamCeiling};
  return figure;
}

TEST_CASE("a row shows median, range, rate and share", "[tools][bench_print]") {
  const std::string line = FigureLine(Figure());
  for (const char* part :
       {"erase", "AVX2", " 2 ", "64Ki", "5.00 [4.00..8.00]", "200 M", "50 %", "stream 2.50"}) {
    CHECK_THAT(line, ContainsSubstring(part));
  }
  CHECK_THAT(GroupTitle(Figure()), ContainsSubstring("30,000,000 keys\n"));
  bench::SweepFigure runs = Figure();
  runs.row.encoding = Encoding::kRuns;
  CHECK_THAT(GroupTitle(runs), ContainsSubstring("30,000,000 keys, runs of 5 slices\n"));
}

TEST_CASE("a ceiling shows its place, and a stream its bytes", "[tools][bench_print]") {
  bench::SweepFigure figure = Figure();
  figure.bound.reset();
  figure.row.operation = bench::Operation::kStreamCeiling;
  figure.row.num_keys = 0;
  figure.row.place = "L2";
  figure.footprint_bytes = 1'000'000;
  CHECK_THAT(FigureLine(figure), ContainsSubstring("L2 1.00 MB"));
  CHECK_THAT(FigureLine(figure), ContainsSubstring("12.8 GB/s"));
  CHECK_THAT(GroupTitle(figure), ContainsSubstring("cache line"));
}

TEST_CASE("the card names the machine, and says when it does not know", "[tools][bench_print]") {
  CHECK_THAT(CardText(bench::MadeCard()), ContainsSubstring("Abacus 9000: 3 cores, 6 threads"));
  CHECK_THAT(CardText({}), ContainsSubstring("unknown CPU"));
  bench::MachineCard card = bench::MadeCard();
  CHECK(BusyText(card).empty());
  card.load_average[0] = 5;
  CHECK_THAT(BusyText(card), ContainsSubstring("busy"));
  CHECK(PagesText(0, 0).empty());
  CHECK_THAT(PagesText(1000, 500), ContainsSubstring("50 %"));
}

}  // namespace
}  // namespace trommel::tool
