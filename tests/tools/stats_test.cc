// trommel stats and verify: what a file holds, and whether it holds all it should.
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/held_filter.h"
#include "tools/run_tool.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/metadata.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

json Described(const HeldFilter& filter, const TempFolder& folder) {
  const std::string path = folder.Path("filter");
  REQUIRE(filter->Save(path, {}).ok());
  return ReportOf({"stats", path});
}

std::vector<uint64_t> Numbers(uint64_t count) {
  std::vector<uint64_t> keys(count);
  for (uint64_t i = 0; i < count; ++i) keys[i] = i;
  return keys;
}

TEST_CASE("distinct keys of a filter that grows are told, whatever has slots", "[tools][stats]") {
  const TempFolder folder;
  ScalableFilter filter = ScalableFilter::Create({}).value();
  filter.Insert(Numbers(200'000));
  filter.Insert(Numbers(50'000));
  const ScalableStats stats = filter.GetStats();
  CHECK(stats.num_entries > 210'000);
  const json described = Described(std::move(filter), folder);
  CHECK(described["type"] == "scalable");
  CHECK(described["num_keys"] == 250'000);
  CHECK(described["num_blocks"] == stats.num_blocks);
  CHECK(described["num_entries"] > 210'000);
  CHECK(described["most_doublings"] == stats.most_doublings);
  CHECK(described["num_distinct_keys"] == 200'000);
  CHECK(described["predicted_fpr"] == described["current_fpr"]);
}

AnyFilterPtr MakeWindow(uint64_t capacity) {
  return AnyFilter::Create(
             FilterType::kWindow,
             {{"window", uint64_t{1000}}, {"num_buckets", uint64_t{4}}, {"capacity", capacity}})
      .value();
}

TEST_CASE("a window filter is described bucket by bucket", "[tools][stats]") {
  const TempFolder folder;
  AnyFilterPtr filter = MakeWindow(500);
  REQUIRE(filter->Insert(Numbers(20), {}, nullptr).ok());
  REQUIRE(filter->Advance(300).value());
  REQUIRE(filter->Insert(Numbers(30), {}, nullptr).ok());
  const json described = Described(std::move(filter), folder);
  CHECK(described["type"] == "window");
  CHECK(described["num_keys"] == 50);
  CHECK(described["window"] == 1000);
  CHECK(described["num_buckets"] == 4);
  CHECK(described["now"] == 300);
  REQUIRE(described["buckets"].size() == 2);
  CHECK(described["buckets"][0]["num_keys"] == 20);
  CHECK(described["buckets"][1]["first_tick"] == 250);
  CHECK(described["buckets"][1]["num_keys"] == 30);
}

TEST_CASE("a window with so many keys that its rate is higher is pointed out", "[tools][stats]") {
  const TempFolder folder;
  constexpr uint64_t most = 50;
  const AnyFilterPtr filter = MakeWindow(most);
  REQUIRE(filter->Insert(Numbers(most), {}, nullptr).ok());
  const std::string path = folder.Path("filter");
  REQUIRE(filter->Save(path, {}).ok());
  CHECK_THAT(RunTool({"stats", path}).out,
             !Catch::Matchers::ContainsSubstring("was sized for " + std::to_string(most) + ":"));
  for (uint64_t key = 0; key < 100; ++key) filter->InsertOne(most + key, nullptr);
  REQUIRE(filter->Save(path, {}).ok());
  CHECK_THAT(RunTool({"stats", path}).out,
             Catch::Matchers::ContainsSubstring("was sized for " + std::to_string(most) + ":"));
  const ToolResult machine = RunTool({"stats", "--json", path});
  CHECK(json::parse(machine.out)["num_excess_keys"] == 100);
}

TEST_CASE("stats show what was built", "[tools][stats]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "1k", "-p", "1%", "--seed", "5", "--slices", "10", "-o", filter},
          Lines("a", 1000));
  const json stats = ReportOf({"stats", filter});
  CHECK(stats["num_keys"] == 1000);
  CHECK(stats["capacity"] == 1000);
  CHECK(stats["num_slices"] == 10);
  CHECK(stats["digest"] == "xxh3");
  CHECK(stats["seed"] == 5);
  CHECK(stats["predicted_fpr"] <= 0.01);
  CHECK_THAT(RunTool({"stats", filter}).out, Catch::Matchers::ContainsSubstring("1,000"));
}

TEST_CASE("user metadata outlives a change of the file, and stats show its size",
          "[tools][stats]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  const std::vector<std::byte> metadata(1234, std::byte{1});
  const CountingFilter filter = CountingFilter::Create({.capacity = 100}).value();
  REQUIRE(filter.Save(path, {.metadata = metadata}).ok());
  MustRun({"insert", path}, "a key\n");
  CHECK(LoadMetadata(path).value() == metadata);
  const std::string copy = folder.Path("copy");
  for (const char* command : {"insert", "erase"}) {  // a new file, and one that is replaced
    MustRun({command, path, "--output", copy, "--force"}, "a key\n");
    CHECK(LoadMetadata(copy).value() == metadata);
  }
  const json stats = ReportOf({"stats", path});
  CHECK(stats["num_keys"] == 1);
  CHECK(stats["metadata_bytes"] == 1234);
  CHECK_THAT(RunTool({"stats", path}).out, Catch::Matchers::ContainsSubstring("1.23 kB"));
}

TEST_CASE("stats of several files have a line each, and pass over what is none", "[tools][stats]") {
  const TempFolder folder;
  const std::string a = folder.Path("a");
  const std::string rows = folder.Path("rows");
  MustRun({"build", "-n", "1k", "-o", a}, Lines("a", 1234));
  MustRun({"attr", "build", "-o", rows}, "x\ty\n1\t2\n");
  const ToolResult both = RunTool({"stats", a, rows});
  CHECK(both.exit_code == 0);
  CHECK_THAT(both.out, Catch::Matchers::ContainsSubstring(a + " ") &&
                           Catch::Matchers::ContainsSubstring("1,234") &&
                           Catch::Matchers::ContainsSubstring("attribute"));
  CHECK(std::ranges::count(both.out, '\n') == 3);
  const std::string text = folder.Write("text", "no filter\n");
  const ToolResult mixed = RunTool({"stats", "--json", a, text, rows});
  CHECK(mixed.exit_code == 3);
  CHECK(mixed.err.starts_with("trommel: " + text));
  const json filters = json::parse(mixed.out)["filters"];
  REQUIRE(filters.size() == 2);
  CHECK(filters[0] == ReportOf({"stats", a}));
  CHECK(filters[1]["filter"] == rows);
}

TEST_CASE("a damaged filter is told from a whole one, and left as it is", "[tools][verify]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "1k", "-o", filter}, Lines("a", 3000));
  const ToolResult valid = RunTool({"verify", filter});
  CHECK(valid.exit_code == 0);
  CHECK_THAT(valid.out, Catch::Matchers::ContainsSubstring("valid counting filter"));
  std::string bytes = folder.Read("filter");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  const std::string damaged = folder.Write("damaged", bytes);
  for (const char* command : {"verify", "stats", "query", "insert", "erase", "grow"}) {
    CAPTURE(command);
    const ToolResult result = RunTool({command, damaged}, "a1\n");
    CHECK(result.exit_code == 3);
    CHECK(result.err.starts_with("trommel: " + damaged));
  }
  CHECK(folder.Read("damaged") == bytes);
}

TEST_CASE("verify finds keys that are missing", "[tools][verify]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "1k", "-p", "1e-6", "-o", filter}, Lines("a", 1000));
  CHECK(RunTool({"verify", filter, folder.Write("keys", Lines("a", 1000))}).exit_code == 0);
  const ToolResult missing = RunTool({"verify", filter, "-", "--json"}, "a1\nb1\na2\n");
  CHECK(missing.exit_code == 1);
  CHECK(json::parse(missing.out)["num_missing"] == 1);
}

}  // namespace
}  // namespace trommel::tests
