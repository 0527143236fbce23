// trommel merge: several files as one, and nothing lost.
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/counting_filter.h"
#include "trommel/metadata.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;
using Strings = std::vector<std::string>;

// Builds a filter of the lines, by these options, and returns its path.
std::string Built(const TempFolder& folder, const std::string& name, const std::string& lines,
                  const Strings& options) {
  MustRun(With({"build", "-o", folder.Path(name)}, options), lines);
  return folder.Path(name);
}

TEST_CASE("merged filters are the filter of all keys, byte for byte", "[tools][merge]") {
  const TempFolder folder;
  const Strings options = {"-n", "2k", "--encoding",
                           GENERATE("runs", "planes", "fingerprints16", "dense")};
  const std::string a = Built(folder, "a", Lines("a", 900), options);
  const std::string b = Built(folder, "b", Lines("b", 800) + "a1\n", options);
  const std::string c = Built(folder, "c", "", options);
  Built(folder, "all", Lines("a", 900) + Lines("b", 800) + "a1\n", options);
  const json merged = ReportOf({"merge", "-o", folder.Path("merged"), a, b, c});
  CHECK(merged["num_merged"] == 3);
  CHECK(merged["num_keys"] == 1701);
  CHECK((folder.Read("merged") == folder.Read("all")));  // in brackets: bytes are no message
  CHECK(RunTool({"query", folder.Path("merged"), "--counts"}, "a1\n").out == "2\ta1\n");
}

TEST_CASE("the output may be one of the filters, and is locked as any output", "[tools][merge]") {
  const TempFolder folder;
  const std::string all = Built(folder, "all", "a\n", {"-n", "100", "-p", "1e-6"});
  const std::string day = Built(folder, "day", "b\n", {"-n", "100", "-p", "1e-6"});
  CHECK(RunTool({"merge", "-o", all, all, day}).exit_code == 2);  // it exists
  for (int i = 0; i < 2; ++i) MustRun({"merge", "-fo", all, all, day});
  CHECK(RunTool({"query", all, "--counts"}, "a\nb\nc\n").out == "1\ta\n2\tb\n0\tc\n");
}

TEST_CASE("what has no common filter is told apart, and nothing is written", "[tools][merge]") {
  const TempFolder folder;
  const std::string first = Built(folder, "first", "a\n", {"-n", "100"});
  const std::string precious = folder.Write("precious", "precious");
  const auto error_of = [&](const std::string& other, int exit_code) {
    const ToolResult result = RunTool({"merge", "-f", "-o", precious, first, other});
    CHECK(result.exit_code == exit_code);
    CHECK(result.out.empty());
    CHECK(folder.Read("precious") == "precious");
    return result.err;
  };
  const std::string larger = Built(folder, "larger", "a\n", {"-n", "100k"});
  CHECK_THAT(error_of(larger, 2),
             ContainsSubstring(larger + " cannot be merged with " + first + ": ") &&
                 ContainsSubstring("num_blocks") && ContainsSubstring("the same -n, -p"));
  CHECK_THAT(error_of(Built(folder, "grown", "a\n", {}), 2),
             ContainsSubstring("their types are counting and scalable; build all with one --type"));
  CHECK_THAT(error_of(folder.Path("none"), 3), ContainsSubstring("none"));
  CHECK_THAT(error_of(folder.Write("text", "no filter\n"), 3), ContainsSubstring("text"));
  const std::string rows = folder.Path("rows");
  MustRun({"attr", "build", "-o", rows}, "a\tb\n1\t2\n");
  const ToolResult attributes = RunTool({"merge", "-o", folder.Path("new"), rows, rows});
  CHECK(attributes.exit_code == 2);
  CHECK_THAT(attributes.err, ContainsSubstring("attribute filters cannot be merged"));
}

TEST_CASE("merge keeps the first file's metadata, and says whose is left out", "[tools][merge]") {
  const TempFolder folder;
  const CountingFilter filter = CountingFilter::Create({.capacity = 100}).value();
  const std::vector<std::byte> metadata(10, std::byte{1});
  const std::string noted = folder.Path("noted");
  REQUIRE(filter.Save(noted, {.metadata = metadata}).ok());
  const std::string plain = folder.Path("plain");
  REQUIRE(filter.Save(plain).ok());
  const std::string merged = folder.Path("merged");
  const ToolResult result = RunTool({"merge", noted, plain, "-o", merged});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, ContainsSubstring("plain: its user metadata is not that of"));
  CHECK(LoadMetadata(merged).value() == metadata);
  CHECK(RunTool({"merge", noted, noted, "-f", "-o", merged}).err.empty());
}

}  // namespace
}  // namespace trommel::tests
