// Attribute filters described: names instead of bits.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/describe_filter.h"

namespace trommel::tool {
namespace {

using Strings = std::vector<std::string>;

std::string Printed(const AttributeFilter& filter, bool json) {
  Report report;
  DescribeFilter(filter, report);
  const tests::TempFolder folder;
  std::FILE* const file = std::fopen(folder.Path("report").c_str(), "w");
  REQUIRE(file != nullptr);
  CHECK(report.Print(json, file).ok());
  std::fclose(file);
  return folder.Read("report");
}

TEST_CASE("sets are arrays of names", "[tools][describe_attributes]") {
  const Strings names = {"x", "y", "z"};
  CHECK(SetJson(0b101, names) == Json(Strings{"x", "z"}));
  CHECK(SetJson(0, names) == Json::array());
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
  const nlohmann::json json = nlohmann::json::parse(Printed(filter, true));
  CHECK(json["num_tuples"] == 0);
  CHECK(json["num_refused_erases"] == stats.num_refused_erases);
  CHECK(json["num_refused_erases"] > 0);
  CHECK(json["attributes"] == config.names);
  CHECK(json["cuts"] == std::vector<Strings>{{"y", "z"}});
  CHECK(json["num_bytes"] == stats.num_bytes);
  REQUIRE(json["sets"].size() == stats.sets.size());
  CHECK(json["sets"][4]["set"] == Strings{"x", "z"});
  CHECK(json["sets"][4]["capacity"] == stats.sets[4].capacity);
  const std::string text = Printed(filter, false);
  CHECK(text.find("x,z") != std::string::npos);
  CHECK(text.find("cuts             y,z") != std::string::npos);
}

}  // namespace
}  // namespace trommel::tool
