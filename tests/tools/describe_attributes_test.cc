// Attribute filters described: names instead of bits.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/filters/describe_filter.h"

namespace trommel::tool {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("sets are arrays of names", "[tools][describe_attributes]") {
  const Strings names = {"x", "y", "z"};
  CHECK(SetJson(0b101, names).text() == "[\"x\",\"z\"]");
  CHECK(SetJson(0, names).text() == "[]");
}

TEST_CASE("an attribute filter is described by its statistics", "[tools][describe_attributes]") {
  AttributeConfig config;
  config.sets = AttributeSets::Create(3, std::vector<AttributeMask>{0b110}).value();
  config.names = {"x", "y", "z"};
  config.capacity = 500;
  AttributeFilter filter = AttributeFilter::Create(config).value();
  TupleDigests digests(3);
  for (uint32_t i = 0; i < 3; ++i) digests.Set(i, std::vector<uint64_t>{i, 10, 11});
  filter.Insert(digests.view());
  filter.Erase(digests.view());
  filter.Erase(digests.view());
  const AttributeStats stats = filter.GetStats();
  Report report;
  DescribeAttributes(filter, report);
  const nlohmann::json json = nlohmann::json::parse(tests::Printed(report, true));
  CHECK(json["num_tuples"] == 0);
  CHECK(json["num_refused_erases"] == stats.num_refused_erases);
  CHECK(json["num_refused_erases"] > 0);
  CHECK(json["attributes"] == config.names);
  CHECK(json["cuts"] == std::vector<Strings>{{"y", "z"}});
  CHECK(json["num_bytes"] == stats.num_bytes);
  REQUIRE(json["sets"].size() == stats.sets.size());
  CHECK(json["sets"][4]["set"] == Strings{"x", "z"});
  CHECK(json["sets"][4]["capacity"] == stats.sets[4].capacity);
  const std::string text = tests::Printed(report, false);
  CHECK(text.find("x,z") != std::string::npos);
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\ncuts ") &&
                       Catch::Matchers::ContainsSubstring(" y,z\n"));
}

}  // namespace
}  // namespace trommel::tool

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

TEST_CASE("stats of columns say what stats say, set by set", "[tools][attr_stats]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  std::string rows = "src\tdst\n";
  for (int i = 0; i < 300; ++i) {
    rows += std::to_string(i % 7) + "\t" + std::to_string(i) + "\n";
  }
  REQUIRE(RunTool({"attr", "build", "-n", "300", "--seed", "3", "-o", filter}, rows).exit_code ==
          0);
  const ToolResult stats = RunTool({"attr", "stats", filter, "--json"});
  CHECK(stats.out == RunTool({"stats", filter, "--json"}).out);
  const json report = json::parse(stats.out);
  CHECK(report["type"] == "attribute");
  CHECK(report["num_tuples"] == 300);
  CHECK(report["seed"] == 3);
  CHECK(report["cuts"].empty());
  REQUIRE(report["sets"].size() == 3);
  uint64_t num_bytes = 0;
  for (const json& set : report["sets"]) {
    CHECK(set["doublings"] == 0);
    CHECK(set["current_fpr"] <= set["target_fpr"]);
    num_bytes += set["num_bytes"].get<uint64_t>();
  }
  CHECK(report["num_bytes"] > num_bytes);
  CHECK(report["sets"][0]["num_bytes"] < report["sets"][2]["num_bytes"]);
  CHECK_THAT(RunTool({"attr", "stats", filter}).out, ContainsSubstring("src,dst"));
}

}  // namespace
}  // namespace trommel::tests
