// trommel size for the other types: what it says is what a filter then takes.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/any_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

json SizeOf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"size", "--json", "-n", "50k", "-p", "1%", "--type"});
  const ToolResult result = RunTool(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  arguments.erase(arguments.begin() + 1);
  CHECK(RunTool(arguments).exit_code == 0);
  return json::parse(result.out);
}

TEST_CASE("a window's size is that of one array", "[tools][size]") {
  const json size = SizeOf({"window", "--window", "10m", "--buckets", "3"});
  CHECK(size["type"] == "window");
  CHECK(size["window"] == 600'000);
  CHECK(size["num_buckets"] == 3);
  CHECK(size["fingerprint_bits"] == 12);
  CHECK(size["predicted_fpr"] <= 0.01);
  const AnyFilterPtr window =
      AnyFilter::Create(FilterType::kWindow, {{"window", uint64_t{600'000}},
                                              {"num_buckets", uint64_t{3}},
                                              {"capacity", uint64_t{50'000}}})
          .value();
  const Figures figures = window->GetFigures(/*measured=*/false);
  CHECK(size["num_blocks"] == FigureOr<uint64_t>(figures, "num_blocks", 0));
  CHECK(size["num_bytes"] == FigureOr<uint64_t>(figures, "num_bytes", 0));
  CHECK(size["num_slots"] == 32);
}

TEST_CASE("a window's size says how many slots its blocks have", "[tools][size]") {
  const std::string buckets = GENERATE("8", "20");
  const ToolResult result =
      RunTool({"size", "--type", "window", "--window", "10m", "-n", "50k", "--buckets", buckets});
  CHECK_THAT(result.out,
             ContainsSubstring(buckets == "8" ? "of 32 slots, fingerprints of 12 bits"
                                              : "of 21 slots, fingerprints of 16 bits"));
}

TEST_CASE("a scalable filter's size is told up to its largest capacity", "[tools][size]") {
  const json size = SizeOf({"scalable", "--max-capacity", "3M"});
  CHECK(size["largest_capacity"] >= 3'000'000);
  CHECK(size["sizes"].back()["num_keys"] == size["largest_capacity"]);
  CHECK(size["sizes"].back()["predicted_fpr"] <= 0.01);
  CHECK(size["sizes"][1]["num_keys"] == 2 * size["sizes"][0]["num_keys"].get<uint64_t>());
  // Of a filter that has grown so far, just after a step at the most.
  ScalableFilter filter =
      ScalableFilter::Create({.first_capacity = 50'000, .max_capacity = 3'000'000}).value();
  std::vector<uint64_t> keys(size["sizes"][2]["num_keys"].get<uint64_t>());
  for (uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;
  filter.Insert(keys);
  const auto num_bytes = size["sizes"][2]["num_bytes"].get<uint64_t>();
  CHECK(filter.GetStats().num_bytes >= num_bytes / 2);
  CHECK(filter.GetStats().num_bytes <= num_bytes * 2);
}

TEST_CASE("memory is asked of the other types, not given to them", "[tools][size]") {
  const auto error_of = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "size");
    const ToolResult result = RunTool(arguments);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(error_of({"--type", "scalable", "--bytes", "1MB"}),
             ContainsSubstring("--bytes: is for --type counting, not scalable"));
  CHECK_THAT(error_of({"--type", "window", "--window", "1h"}), ContainsSubstring("-n"));
}

}  // namespace
}  // namespace trommel::tests
