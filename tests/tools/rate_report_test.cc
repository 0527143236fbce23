// No burst goes by in silence: what the command says of a window whose rate broke.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/filters/window_rate.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

// `count` keys, one per millisecond.
std::string Burst(size_t count, uint64_t first_ms, const std::string& prefix) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += std::to_string(first_ms + i) + "\t" + prefix + std::to_string(i) + "\n";
  }
  return text;
}

TEST_CASE("building and inserting warn of a burst beyond a window's size", "[tools][rate_report]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  const std::vector<std::string> times = {"--keys", "tsv",    "--time",      "1",  "--column",
                                          "2",      "--json", "--time-unit", "ms", "--threads=1"};
  // However they arrive.
  const ToolResult within = RunTool(
      With({"build", "-o", path, "--type", "window", "--window", "10m", "-n", "9000"}, times),
      Burst(9000, 1, "a"));
  CHECK(within.exit_code == 0);
  CHECK(within.err.empty());

  const ToolResult beyond = RunTool(With({"insert", path}, times), Burst(18'000, 10'000, "b"));
  CHECK(beyond.exit_code == 0);
  CHECK_THAT(beyond.err, ContainsSubstring("trommel: warning: the false-positive rate") &&
                             ContainsSubstring("it was sized for (9,000)") &&
                             ContainsSubstring("a larger -n"));
  const json report = json::parse(beyond.out);
  CHECK(report["highest_predicted_fpr"] > 0.01);
  CHECK(report["predicted_fpr"] == report["highest_predicted_fpr"]);
  CHECK(report["target_fpr"] == 0.01);
  CHECK(report["num_excess_keys"] == 18'000);
}

TEST_CASE("inserting into any filter tells the rate that it has come to", "[tools][rate_report]") {
  const TempFolder folder;
  const std::string type = GENERATE("counting", "scalable");
  const std::string path = folder.Path("filter");
  MustRun({"build", "-o", path, "--type", type, "-n", "1000"}, Lines("a", 1000));
  const ToolResult inserted = RunTool({"insert", "--json", path}, Lines("b", 1000));
  const json report = json::parse(inserted.out);
  const json stats = ReportOf({"stats", path});
  CHECK(report["predicted_fpr"] == stats["predicted_fpr"]);
  CHECK(report["target_fpr"] == stats["target_fpr"]);
}

TEST_CASE("a window that keys come to again and again warns of nothing", "[tools][rate_report]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  std::string log;
  for (int second = 0; second < 50; ++second) {
    for (int key = 0; key < 200; ++key) {
      log += std::to_string(1000 + second) + "\tkey" + std::to_string(key) + "\n";
    }
  }
  const std::string num_buckets = GENERATE("8", "20");
  CAPTURE(num_buckets);
  const ToolResult built =
      RunTool({"build", "-o", path, "--type", "window", "--window", "10m", "-n", "1000",
               "--buckets", num_buckets, "--time", "1", "--column", "2"},
              log);
  CHECK(built.exit_code == 0);
  CHECK(built.err.empty());
  CHECK_THAT(built.out, !ContainsSubstring("larger"));
  const ToolResult inserted =
      RunTool({"insert", "--json", path, "--time", "1", "--column", "2"}, log);
  CHECK(inserted.err.empty());
  const json report = json::parse(inserted.out);
  CHECK(report["num_keys"] == 20'000);
  CHECK(report["predicted_fpr"] < 0.01);
  CHECK(report["highest_predicted_fpr"] <= 0.01);
  CHECK_THAT(RunTool({"stats", path}).out, !ContainsSubstring("higher"));
}

}  // namespace
}  // namespace trommel::tests
