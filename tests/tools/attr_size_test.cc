// trommel attr size: what it says is what build then makes.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;
using Strings = std::vector<std::string>;

Strings AttrSize(const Strings& more) {
  return With({"attr", "size", "--columns", "src,dst,domain", "-n", "20k"}, more);
}

TEST_CASE("a size for a rate has every set", "[tools][attr_size]") {
  const Strings arguments = {"-p", "1%", "--cut", "src,dst", "--values", "src=1000"};
  const json size = ReportOf(AttrSize(arguments));
  REQUIRE(size["sets"].size() == 5);
  uint64_t num_bytes = 0;
  for (const json& set : size["sets"]) {
    CHECK(set["predicted_fpr"] <= 0.01);
    num_bytes += set["num_bytes"].get<uint64_t>();
  }
  CHECK(size["sets"][0]["capacity"] == 1000);
  CHECK(size["num_bytes"] == num_bytes);
  CHECK_THAT(RunTool(AttrSize(arguments)).out, ContainsSubstring("src,domain"));
}

TEST_CASE("a size for memory shares it for the mix", "[tools][attr_size]") {
  const json size =
      ReportOf(AttrSize({"--memory", "400kB", "--mix", "src,domain=3", "--mix", "dst"}));
  CHECK(size["num_bytes"] <= 400'000);
  CHECK(size["sets"][4]["set"] == Strings{"src", "domain"});
  CHECK(size["sets"][4]["weight"] == 0.75);
  CHECK(size["sets"][4]["predicted_fpr"] < size["sets"][0]["predicted_fpr"]);
}

TEST_CASE("a size of kept sets has these alone", "[tools][attr_size]") {
  const json size = ReportOf(AttrSize({"--keep", "src,dst,domain", "--keep", "dst"}));
  CHECK(size["num_sets"] == 2);
  CHECK(ReportOf(AttrSize({"--together", "2"}))["num_sets"] == 6);
  std::string columns = "c1";
  for (int i = 2; i <= 20; ++i) columns += ",c" + std::to_string(i);
  const Strings twenty = {"attr", "size", "--columns", columns, "-n", "1k", "--together", "4"};
  const ToolResult text = RunTool(twenty);
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, ContainsSubstring("6,195"));
}

TEST_CASE("build takes the memory that size told", "[tools][attr_size]") {
  const TempFolder folder;
  const Strings common = {"-n", "20k", "--cut", "src,dst", "--memory", "300kB", "--json"};
  const json built = json::parse(
      RunTool(With({"attr", "build", "-o", folder.Path("filter")}, common), "src\tdst\tdomain\n")
          .out);
  const json size = ReportOf(AttrSize({"--cut", "src,dst", "--memory", "300kB"}));
  REQUIRE(built["sets"].size() == size["sets"].size());
  for (size_t i = 0; i < size["sets"].size(); ++i) {
    CHECK(built["sets"][i]["set"] == size["sets"][i]["set"]);
    CHECK(built["sets"][i]["target_fpr"] == size["sets"][i]["target_fpr"]);
    CHECK(built["sets"][i]["capacity"] == size["sets"][i]["capacity"]);
    // Side tables come with the rows.
    CHECK(built["sets"][i]["num_bytes"] <= size["sets"][i]["num_bytes"]);
    CHECK(built["sets"][i]["num_bytes"] >= size["sets"][i]["num_bytes"].get<double>() * 0.9);
  }
}

TEST_CASE("sizes that cannot be are refused", "[tools][attr_size]") {
  CHECK_THAT(RunTool({"attr", "size", "--columns", "a,b"}).err,
             ContainsSubstring("give the number of rows with -n"));
  CHECK(RunTool({"attr", "size", "-n", "10", "--columns", "a,,b"}).err ==
        "trommel: column 2 has no name\n");
  CHECK_THAT(RunTool(AttrSize({"--memory", "1kB"})).err,
             ContainsSubstring("filters of all sets take"));
}

}  // namespace
}  // namespace trommel::tests
