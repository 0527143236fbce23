// What is said of a filter: the figures it has, under the names that programs rely on.
#include "tools/trommel/describe_filter.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/family_filter.h"

namespace trommel::tool {
namespace {

nlohmann::json Described(const AnyFilter& filter, const tests::TempFolder& folder) {
  const std::string path = folder.Path("filter");
  REQUIRE(SaveAny(filter, path).ok());
  return nlohmann::json::parse(tests::RunTool({"stats", path, "--json"}).out);
}

std::vector<uint64_t> Numbers(uint64_t count) {
  std::vector<uint64_t> keys(count);
  for (uint64_t i = 0; i < count; ++i) keys[i] = i;
  return keys;
}

TEST_CASE("a counting filter is described by its statistics", "[tools][describe_filter]") {
  const tests::TempFolder folder;
  CountingFilter filter = CountingFilter::Create({.capacity = 1000}).value();
  filter.Insert(Numbers(700));
  const Stats stats = filter.GetStats();
  const nlohmann::json json = Described(std::move(filter), folder);
  CHECK(json["type"] == "counting");
  CHECK(json["num_keys"] == 700);
  CHECK(json["capacity"] == 1000);
  CHECK(json["num_bytes"] == stats.num_bytes);
  CHECK(json["current_fpr"] == stats.current_fpr);
  CHECK(json["num_promoted"] == stats.num_promoted);
}

TEST_CASE("a scalable filter is described generation by generation", "[tools][describe_filter]") {
  const tests::TempFolder folder;
  ScalableFilter filter = ScalableFilter::Create({.first_capacity = 100}).value();
  filter.Insert(Numbers(1000));
  const ScalableStats stats = filter.GetStats();
  const nlohmann::json json = Described(std::move(filter), folder);
  CHECK(json["type"] == "scalable");
  CHECK(json["num_keys"] == 1000);
  CHECK(json["mode"] == "tightening");
  REQUIRE(json["generations"].size() == stats.generations.size());
  for (size_t i = 0; i < stats.generations.size(); ++i) {
    CHECK(json["generations"][i]["num_keys"] == stats.generations[i].stats.num_keys);
    CHECK(json["generations"][i]["budget_fpr"] == stats.generations[i].budget_fpr);
  }
}

}  // namespace
}  // namespace trommel::tool
