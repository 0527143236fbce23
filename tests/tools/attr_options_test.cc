// Options of attr: what they mean once the names are known; and sets described by names.
#include "tools/trommel/options/attr_options.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;
using Strings = std::vector<std::string>;

const Strings kThreeNames = {"src", "dst", "domain"};

AttributeOptions Parsed(const Strings& arguments) {
  AttributeOptions options;
  CommandLine line("");
  AddAttributeSizing(line, options);
  CHECK(line.Run(arguments, [] { return kDone; }) == kDone);
  return options;
}

TEST_CASE("sizing options become a request and a configuration", "[tools][attr_options]") {
  const AttributeOptions options =
      Parsed({"-n", "1k", "--cut", "src,dst", "--cut", "dst,domain", "--values", "src=9", "-p",
              "2%", "--max-capacity", "7k"});
  const AttributePlanRequest request = options.PlanRequestOf(kThreeNames).value();
  CHECK(request.sets.cuts().size() == 2);
  CHECK(request.capacity == 1000);
  CHECK(request.num_values == std::vector<uint64_t>{9, 1000, 1000});
  CHECK(request.target_fpr == 0.02);
  CHECK(request.memory_bytes == 0);
  const AttributeConfig config = options.ConfigOf(kThreeNames, nullptr).value();
  CHECK(config.names == kThreeNames);
  CHECK(config.budgets.empty());
  CHECK(config.target_fpr == 0.02);
  CHECK(config.max_capacity == 7000);
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
