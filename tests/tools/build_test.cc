// trommel build and targets: a filter file from keys, the same bytes on all targets, or no file.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/counting_filter.h"

namespace trommel::tests {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

TEST_CASE("build writes what the library would", "[tools][build]") {
  const TempFolder folder;
  const std::string keys = folder.Write("keys", Lines("key", 5000));
  CHECK(ReportOf({"build", "-o", folder.Path("filter"), "-n", "5k", "-p", "0.1%", "--digest",
                  "xxh3", "--seed", "7", keys})["num_keys"] == 5000);

  CountingConfig config;
  config.capacity = 5000;
  config.target_fpr = 0.001;
  config.digest = {DigestKind::kXxh3, 7};
  Result<CountingFilter> filter = CountingFilter::Create(config);
  REQUIRE(filter.ok());
  for (int i = 0; i < 5000; ++i) filter->Insert("key" + std::to_string(i));
  const std::vector<std::byte> bytes = filter->Serialize();
  CHECK(folder.Read("filter") ==
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  CHECK(folder.Names() == Names{"filter", "keys"});
}

TEST_CASE("without -n a filter grows with the keys of a pipe, below its rate", "[tools][build]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string keys = Lines("key", 200'000);  // three times what it begins with
  const json report = ReportOf({"build", "-o", filter}, keys);
  CHECK(report["type"] == "scalable");
  CHECK(report["num_keys"] == 200'000);
  CHECK(report["current_fpr"] <= 0.01);
  CHECK(RunTool({"query", filter, "-c"}, keys).out == "200000\n");
  CHECK(RunTool({"erase", filter}, keys).exit_code == 0);
}

TEST_CASE("what only a sized filter has needs -n or its type", "[tools][build]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const ToolResult result = RunTool({"build", "--power-of-two", "-o", filter}, "a\n");
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Matchers::ContainsSubstring(
                             "is for --type counting, not scalable, which is the default without "
                             "-n"));
  const ToolResult rare = RunTool({"build", "-p", "1e-7", "-o", filter}, "a\n");
  CHECK(rare.exit_code == 2);
  CHECK_THAT(rare.err, Catch::Matchers::ContainsSubstring("-p is 1e-07") &&
                           Catch::Matchers::ContainsSubstring("with -n a sized one"));
  CHECK(folder.Names().empty());
  // Its keys are counted where they can be read twice.
  const ToolResult piped = RunTool({"build", "--type", "counting", "-o", filter}, "a\n");
  CHECK(piped.exit_code == 2);
  CHECK_THAT(piped.err, Catch::Matchers::ContainsSubstring("give the number of keys with -n"));
  const std::string keys = folder.Write("keys", "a\n");
  CHECK(RunTool({"build", "--type", "counting", "-o", filter, keys}).exit_code == 0);
}

TEST_CASE("a bad key stops the build and leaves no file", "[tools][build]") {
  const TempFolder folder;
  const std::string keys = folder.Write("keys", "1\n2\nthree\n");
  const ToolResult result =
      RunTool({"build", "-n", "10", "-o", folder.Path("filter"), "--keys", "u64", keys});
  CHECK(result.exit_code == 3);
  CHECK(result.err == "trommel: " + keys + ":3: not a decimal integer: 'three'\n");
  CHECK(folder.Names() == Names{"keys"});
  // The counting pass finds it as well.
  CHECK(RunTool({"build", "-o", folder.Path("filter"), "--keys", "u64", keys}).exit_code == 3);
}

TEST_CASE("build says what it cannot do", "[tools][build]") {
  const TempFolder folder;
  CHECK(RunTool({"build", "-o", folder.Path("filter"), folder.Path("none")}).exit_code == 3);
  CHECK(RunTool({"build", "-n", "10", "-o", folder.Path("no/filter")}, "a\n").exit_code == 3);
  CHECK(RunTool({"build", "-n", "10", "-o", folder.Path("")}, "a\n").exit_code == 2);
  CHECK(RunTool({"build", "-n", "900G", "-p", "1e-6", "-o", folder.Path("filter")}, "a\n")
            .exit_code == 2);
  CHECK(folder.Names().empty());
}

TEST_CASE("build of an empty input makes an empty filter", "[tools][build]") {
  const TempFolder folder;
  const std::string empty = folder.Write("empty", GENERATE("", "\n\n"));
  const std::string filter = folder.Path("filter");
  CHECK(RunTool({"build", "-o", filter, empty}).exit_code == 0);
  CHECK(ReportOf({"stats", filter})["num_keys"] == 0);
  CHECK(RunTool({"query", filter}, "a\n").exit_code == 1);
}

TEST_CASE("build is sized for distinct keys, not for lines", "[tools][build]") {
  const TempFolder folder;
  const std::string once = folder.Write("once", Lines("key", 3000));
  const std::string thrice =
      folder.Write("thrice", Lines("key", 3000) + Lines("key", 3000) + Lines("key", 3000));
  const std::string path = folder.Path("filter");
  const std::string type = GENERATE("counting", "window");
  CAPTURE(type);
  std::vector<std::string> build = {"build", "--json", "-f", "-o", path, "--type", type};
  if (type == "window") build.insert(build.end(), {"--window", "10m"});
  build.push_back(thrice);
  const ToolResult result = MustRun(build);
  CHECK(result.err.empty());
  const json report = json::parse(result.out);
  CHECK(report["capacity"] == 3000);
  CHECK(report["num_keys"] == 9000);
  CHECK_THAT(report["num_distinct_keys"].get<double>(), Catch::Matchers::WithinRel(3000, 0.05));
  CHECK(report["predicted_fpr"] < 0.012);
  build.erase(build.begin() + 1);
  CHECK_THAT(RunTool(build).out, !Catch::Matchers::ContainsSubstring("larger -n"));
  const ToolResult more = RunTool({"insert", path}, Lines("other", 6000));
  CHECK_THAT(more.out, Catch::Matchers::ContainsSubstring("more distinct keys than"));
}

json Targets(const std::vector<std::string>& arguments, const std::vector<std::string>& variables) {
  return json::parse(RunTool(With({"targets", "--json"}, arguments), "", variables).out);
}

TEST_CASE("the target is the option's, else the environment's, else the best", "[tools][targets]") {
  const json best = Targets({}, {"TROMMEL_TARGET="});
  CHECK(best["active"] == best["runnable"][0]);
  const std::string last = best["runnable"].back();
  const json from_environment = Targets({}, {"TROMMEL_TARGET=" + last});
  CHECK(from_environment["active"] == last);
  CHECK(from_environment["reason"] == "TROMMEL_TARGET");
  const json from_option = Targets({"--target", last}, {"TROMMEL_TARGET="});
  CHECK(from_option["active"] == last);
  CHECK(from_option["reason"] == "--target");
}

TEST_CASE("a target that cannot run is a usage error for every subcommand", "[tools][targets]") {
  const ToolResult result = RunTool({"size", "-n", "10"}, "", {"TROMMEL_TARGET=Z80"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Matchers::ContainsSubstring("Z80"));
  CHECK(RunTool({"targets", "--target", "Z80"}).exit_code == 2);
}

TEST_CASE("keys that come a thousand times do not fill a filter", "[tools][build]") {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += Lines("key", 10);
  const std::string encoding = GENERATE("runs", "dense");
  CAPTURE(encoding);
  const std::string path = folder.Path("filter");
  const ToolResult result =
      RunTool({"build", "-n", "10", "--encoding", encoding, "-o", path}, text);
  CHECK_THAT(result.out, Catch::Matchers::ContainsSubstring("10,000 (about 1") &&
                             Catch::Matchers::ContainsSubstring(" distinct; sized for 10)") &&
                             !Catch::Matchers::ContainsSubstring("larger -n"));
  const json stats = ReportOf({"stats", path});
  CHECK(stats["predicted_fpr"] < 0.01);
  // Nor do they where they come later.
  const ToolResult inserted = RunTool({"insert", "--json", path}, text);
  CHECK(json::parse(inserted.out)["num_distinct_keys"] == stats["num_distinct_keys"]);
  CHECK_THAT(RunTool({"insert", path}, text).out, !Catch::Matchers::ContainsSubstring("sized for"));
}

}  // namespace
}  // namespace trommel::tests
