// trommel size: forth and back.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

TEST_CASE("size answers with memory, and memory answers with keys", "[tools][size]") {
  const ToolResult forth = RunTool({"size", "-n", "1M", "-p", "1%", "--slices", "8", "--json"});
  REQUIRE(forth.exit_code == 0);
  const json sizing = json::parse(forth.out);
  CHECK(sizing["capacity"] == 1'000'000);
  CHECK(sizing["num_slices"] == 8);
  CHECK(sizing["predicted_fpr"] <= 0.01);
  CHECK(sizing["num_bytes"] == sizing["presence_bytes"].get<uint64_t>() * 4);

  const std::string num_bytes = sizing["num_bytes"].dump();
  const ToolResult back =
      RunTool({"size", "--bytes", num_bytes, "-p", "1%", "--slices", "8", "--json"});
  REQUIRE(back.exit_code == 0);
  CHECK(json::parse(back.out)["capacity"] >= 1'000'000);
  CHECK(json::parse(back.out)["num_blocks"] == sizing["num_blocks"]);

  const ToolResult rate =
      RunTool({"size", "--blocks", sizing["num_blocks"].dump(), "-n", "1M", "--json"});
  REQUIRE(rate.exit_code == 0);
  CHECK(json::parse(rate.out)["predicted_fpr"] == sizing["predicted_fpr"]);
}

TEST_CASE("size needs two of three and says so", "[tools][size]") {
  CHECK(RunTool({"size"}).exit_code == 2);
  CHECK(RunTool({"size", "-n", "10", "-p", "0.01", "--bytes", "1MB"}).exit_code == 2);
  CHECK(RunTool({"size", "--blocks", "10", "--bytes", "1MB"}).exit_code == 2);
  const ToolResult tiny = RunTool({"size", "-n", "1M", "--bytes", "127"});
  CHECK(tiny.exit_code == 2);
  CHECK_THAT(tiny.err, Catch::Matchers::ContainsSubstring("takes 128 bytes"));
}

TEST_CASE("size as text names every figure", "[tools][size]") {
  const std::string text = RunTool({"size", "-n", "10M", "-p", "0.001"}).out;
  for (const char* word : {"10,000,000", "MB", "bits a key", "false positives", "promoted"}) {
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring(word));
  }
}

TEST_CASE("a power of two of blocks is the most that the memory holds", "[tools][size]") {
  const ToolResult down =
      RunTool({"size", "--bytes", "1000", "--slices", "8", "--power-of-two", "--json"});
  REQUIRE(down.exit_code == 0);
  CHECK(json::parse(down.out)["num_blocks"] == 4);
  CHECK(RunTool({"size", "--blocks", "4", "--power-of-two"}).exit_code == 0);
  CHECK(RunTool({"size", "--blocks", "3", "--power-of-two"}).exit_code == 2);
}

}  // namespace
}  // namespace trommel::tests
