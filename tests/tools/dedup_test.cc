// trommel dedup: first occurrences, in order.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

TEST_CASE("dedup prints what an exact set would", "[tools][dedup]") {
  const TempFolder folder;
  std::mt19937_64 random(1);
  std::unordered_set<std::string> seen;
  std::string input;
  std::string want;
  for (int i = 0; i < 150000; ++i) {
    const std::string line = "key" + std::to_string(random() % 20000) + "\n";
    input += line;
    if (seen.insert(line).second) want += line;
  }
  // At 1e-6 about one in fifty such inputs loses a line; this one, being fixed, does not.
  const ToolResult piped = RunTool({"dedup", "-n", "100k", "-p", "1e-6", "--json"}, input);
  CHECK(piped.exit_code == 0);
  CHECK(piped.out == want);
  const json report = json::parse(piped.err);
  CHECK(report["num_printed"] == seen.size());
  CHECK(report["num_suppressed"] == 150000 - seen.size());
  CHECK(report["expected_wrongly_suppressed"] < 0.02);

  const ToolResult counted =
      RunTool({"dedup", "--type", "counting", "-p", "1e-6", folder.Write("keys", input)});
  CHECK(counted.exit_code == 0);
  CHECK(counted.out == want);
}

TEST_CASE("dedup beyond its capacity says that its estimate is a least one", "[tools][dedup]") {
  const ToolResult within = RunTool({"dedup", "-n", "1000"}, Lines("key", 1000));
  CHECK(within.err.find("at least") == std::string::npos);
  const ToolResult beyond = RunTool({"dedup", "-n", "1000"}, Lines("key", 5000));
  CHECK(beyond.exit_code == 0);
  CHECK_THAT(beyond.err, Catch::Matchers::ContainsSubstring("at least "));
}

TEST_CASE("dedup prints what it has no room to remember", "[tools][dedup]") {
  const ToolResult result = RunTool(
      {"dedup", "--type", "scalable", "-n", "50k", "--max-capacity", "50k", "-p", "1e-4", "--json"},
      Lines("a", 200'000) + Lines("a", 100) + "a199999\n");
  CHECK(result.exit_code == 1);
  const json report = json::parse(result.err);
  CHECK(report["num_refused_inserts"] > 100'000);
  // The first hundred are known; the last one is not.
  CHECK(result.out.ends_with("a199999\na199999\n"));
  CHECK(report["num_printed"] > 199'900);
  CHECK(report["num_printed"] <= 200'001);
}

// The window from the last printing on: what must be printed and what must not, and what may be
// either while a bucket goes.
TEST_CASE("dedup with a window forgets a key a window after it was printed", "[tools][dedup]") {
  // Window 8 s in 4 buckets: printed at 10, in the bucket 10 .. 11, a key is known until 17 at
  // least and 19 at most.
  const std::vector<std::string> arguments = {"dedup",     "--type", "window", "--window", "8s",
                                              "--buckets", "4",      "-n",     "1000",     "-p",
                                              "2e-5",      "--time", "2",      "--json"};
  const ToolResult known = RunTool(arguments, "a\t10\na\t17\nb\t17\na\t17.999\n");
  CHECK(known.exit_code == 0);
  CHECK(known.out == "a\t10\nb\t17\n");
  const ToolResult forgotten = RunTool(arguments, "a\t10\nb\t12\na\t20\nb\t20\na\t27\n");
  CHECK(forgotten.out == "a\t10\nb\t12\na\t20\n");
  const json report = json::parse(forgotten.err);
  CHECK(report["type"] == "window");
  CHECK(report["num_printed"] == 3);
}

// 50,000 distinct keys within 50 s.
std::string Burst() {
  std::string text;
  for (int i = 0; i < 50'000; ++i) {
    text += std::to_string(1'000'000 + i) + "\tkey-" + std::to_string(i) + "\n";
  }
  return text;
}

TEST_CASE("dedup with a window keeps its rate in a burst of all keys", "[tools][dedup]") {
  std::vector<std::string> arguments = {
      "dedup",  "--type", "window",   "--window", "600s",   "-n", "50000",       "-p", "0.01",
      "--keys", "tsv",    "--column", "2",        "--time", "1",  "--time-unit", "ms", "--json"};
  const ToolResult kept = RunTool(arguments, Burst());
  CHECK(kept.exit_code == 0);
  const json report = json::parse(kept.err);
  const double lost = report["num_suppressed"].get<double>();
  const double expected = report["expected_wrongly_suppressed"].get<double>();
  CHECK(report["highest_predicted_fpr"] <= 0.01);
  CHECK(report["num_excess_keys"] == 0);
  CHECK(expected < 50'000 * 0.01);
  CHECK(lost == Catch::Approx(expected).margin(6 * std::sqrt(expected)));

  // Sized for fewer keys it says that the rate broke, and how.
  *(std::ranges::find(arguments, "50000")) = "9000";
  std::erase(arguments, "--json");
  const ToolResult told = RunTool(arguments, Burst());
  CHECK_THAT(told.err, Catch::Matchers::ContainsSubstring("Warning: the false-positive rate") &&
                           Catch::Matchers::ContainsSubstring("larger -n") &&
                           Catch::Matchers::ContainsSubstring("at least"));
}

TEST_CASE("dedup goes by the times of the keys when the header comes alone", "[tools][dedup]") {
  RunningTool tool({"dedup", "--type", "window", "--window", "60s", "-n", "100", "--keys", "tsv",
                    "--column", "key", "--time", "when", "--header"});
  tool.Write("key\twhen\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // for it to be read alone
  tool.Write("a\t10\na\t1000\n");
  const ToolResult result = tool.Wait();
  CHECK(result.out == "key\twhen\na\t10\na\t1000\n");
}

TEST_CASE("dedup of a pipe needs no number of keys", "[tools][dedup]") {
  const std::string keys = Lines("key", 200'000);  // three times what it begins with
  const ToolResult result = RunTool({"dedup", "-p", "1e-5", "--json"}, keys + keys);
  CHECK(result.exit_code == 0);
  CHECK((result.out == keys));  // 0.3 lines are lost on average; of this input, being fixed, none
  const ToolResult few = RunTool({"dedup"}, "a\nb\na\n");
  CHECK(few.out == "a\nb\n");
  CHECK_THAT(few.err, Catch::Matchers::ContainsSubstring("of these wrongly"));
}

}  // namespace
}  // namespace trommel::tests
