// What is said of a filter: the figures it has, under the names that programs rely on.
#include "tools/trommel/filters/describe_filter.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/held_filter.h"
#include "tools/run_tool.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;

nlohmann::json Described(const tests::HeldFilter& filter, const tests::TempFolder& folder) {
  const std::string path = folder.Path("filter");
  REQUIRE(filter->Save(path, {}).ok());
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
  const double current_fpr = filter.MeasureFill().current_fpr;
  const nlohmann::json json = Described(std::move(filter), folder);
  CHECK(json["type"] == "counting");
  CHECK(json["num_keys"] == 700);
  CHECK(json["capacity"] == 1000);
  CHECK(json["num_bytes"] == stats.num_bytes);
  CHECK(json["current_fpr"] == current_fpr);
  CHECK(json["num_promoted"] == stats.num_promoted);
}

TEST_CASE("a filter that grows is described by its blocks", "[tools][describe_filter]") {
  const tests::TempFolder folder;
  ScalableFilter filter = ScalableFilter::Create({}).value();
  filter.Insert(Numbers(200'000));
  const ScalableStats stats = filter.GetStats();
  const nlohmann::json json = Described(std::move(filter), folder);
  CHECK(json["type"] == "scalable");
  CHECK(json["num_keys"] == 200'000);
  CHECK(json["num_blocks"] == stats.num_blocks);
  CHECK(json["num_entries"] == stats.num_entries);
  CHECK(json["most_doublings"] == stats.most_doublings);
}

TEST_CASE("distinct keys of a filter that grows are told, whatever has slots",
          "[tools][describe_filter]") {
  const tests::TempFolder folder;
  ScalableFilter filter = ScalableFilter::Create({}).value();
  filter.Insert(Numbers(200'000));
  filter.Insert(Numbers(50'000));
  CHECK(filter.GetStats().num_entries > 210'000);
  const nlohmann::json json = Described(std::move(filter), folder);
  CHECK(json["num_keys"] == 250'000);
  CHECK(json["num_distinct_keys"] == 200'000);
  CHECK(json["predicted_fpr"] == json["current_fpr"]);
}

AnyFilterPtr MakeWindow(uint64_t capacity) {
  return AnyFilter::Create(
             FilterType::kWindow,
             {{"window", uint64_t{1000}}, {"num_buckets", uint64_t{4}}, {"capacity", capacity}})
      .value();
}

TEST_CASE("a window filter is described bucket by bucket", "[tools][describe_filter]") {
  const tests::TempFolder folder;
  AnyFilterPtr filter = MakeWindow(500);
  REQUIRE(filter->Insert(Numbers(20), {}, nullptr).ok());
  REQUIRE(filter->Advance(300).value());
  REQUIRE(filter->Insert(Numbers(30), {}, nullptr).ok());
  const nlohmann::json json = Described(std::move(filter), folder);
  CHECK(json["type"] == "window");
  CHECK(json["num_keys"] == 50);
  CHECK(json["window"] == 1000);
  CHECK(json["num_buckets"] == 4);
  CHECK(json["now"] == 300);
  REQUIRE(json["buckets"].size() == 2);
  CHECK(json["buckets"][0]["num_keys"] == 20);
  CHECK(json["buckets"][1]["first_tick"] == 250);
  CHECK(json["buckets"][1]["num_keys"] == 30);
}

TEST_CASE("a window with so many keys that its rate is higher is pointed out",
          "[tools][describe_filter]") {
  const tests::TempFolder folder;
  constexpr uint64_t most = 50;
  const AnyFilterPtr filter = MakeWindow(most);
  REQUIRE(filter->Insert(Numbers(most), {}, nullptr).ok());
  const std::string path = folder.Path("filter");
  REQUIRE(filter->Save(path, {}).ok());
  CHECK_THAT(tests::RunTool({"stats", path}).out,
             !ContainsSubstring("was sized for " + std::to_string(most) + ":"));
  for (uint64_t key = 0; key < 100; ++key) filter->InsertOne(most + key, nullptr);
  REQUIRE(filter->Save(path, {}).ok());
  CHECK_THAT(tests::RunTool({"stats", path}).out,
             ContainsSubstring("was sized for " + std::to_string(most) + ":"));
  const tests::ToolResult machine = tests::RunTool({"stats", "--json", path});
  CHECK(nlohmann::json::parse(machine.out)["num_excess_keys"] == 100);
}

}  // namespace
}  // namespace trommel::tool
