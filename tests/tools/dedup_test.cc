// trommel dedup: first occurrences, in order.
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <unordered_set>

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

  const ToolResult counted = RunTool({"dedup", "-p", "1e-6", folder.Write("keys", input)});
  CHECK(counted.exit_code == 0);
  CHECK(counted.out == want);
}

TEST_CASE("dedup loses about as many lines as it says", "[tools][dedup]") {
  constexpr double kNumKeys = 50000;
  const ToolResult result =
      RunTool({"dedup", "-n", "50k", "-p", "5%", "--json"}, Lines("key", size_t{50000}));
  const json report = json::parse(result.err);
  const double lost = kNumKeys - report["num_printed"].get<double>();
  const double expected = report["expected_wrongly_suppressed"].get<double>();
  // Poisson to good approximation: losses are rare and nearly independent.
  CHECK(lost == Catch::Approx(expected).margin(6 * std::sqrt(expected)));
}

TEST_CASE("dedup by a column keeps whole lines and the header", "[tools][dedup]") {
  const ToolResult result =
      RunTool({"dedup", "-n", "100", "--keys", "tsv", "--column", "2", "--header"},
              "id\tname\n1\tann\n2\tbob\n3\tann\n");
  CHECK(result.out == "id\tname\n1\tann\n2\tbob\n");
}

TEST_CASE("dedup of a pipe needs the number of keys", "[tools][dedup]") {
  CHECK(RunTool({"dedup"}, "a\n").exit_code == 2);
}

}  // namespace
}  // namespace trommel::tests
