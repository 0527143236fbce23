// trommel build: a filter file from keys, or no file at all.
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
  const ToolResult result = RunTool({"build", "-o", folder.Path("filter"), "-p", "0.1%", "--digest",
                                     "xxh3", "--seed", "7", "--json", keys});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(json::parse(result.out)["num_keys"] == 5000);

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

TEST_CASE("build from a pipe needs the number of keys", "[tools][build]") {
  const TempFolder folder;
  const ToolResult result = RunTool({"build", "-o", folder.Path("filter")}, "a\n");
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Matchers::ContainsSubstring("-n"));
  CHECK(folder.Names().empty());
  CHECK(RunTool({"build", "-n", "10", "-o", folder.Path("filter")}, "a\n").exit_code == 0);
  CHECK(folder.Names() == Names{"filter"});
}

TEST_CASE("build does not overwrite unless forced", "[tools][build]") {
  const TempFolder folder;
  const std::string filter = folder.Write("filter", "precious");
  CHECK(RunTool({"build", "-n", "10", "-o", filter}, "a\n").exit_code == 2);
  CHECK(folder.Read("filter") == "precious");
  CHECK(RunTool({"build", "-n", "10", "-o", filter, "--force"}, "a\n").exit_code == 0);
  CHECK(RunTool({"stats", filter}).exit_code == 0);
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
  const std::string empty = folder.Write("empty", "\n\n");
  CHECK(RunTool({"build", "-o", folder.Path("filter"), empty}).exit_code == 2);
  CHECK(RunTool({"build", "-o", folder.Path("filter"), folder.Path("none")}).exit_code == 3);
  CHECK(RunTool({"build", "-n", "10", "-o", folder.Path("no/filter")}, "a\n").exit_code == 3);
  CHECK(RunTool({"build", "-n", "10", "-o", folder.Path("")}, "a\n").exit_code == 2);
  CHECK(RunTool({"build", "-n", "900G", "-p", "1e-6", "-o", folder.Path("filter")}, "a\n")
            .exit_code == 2);
  CHECK(folder.Names() == Names{"empty"});
}

}  // namespace
}  // namespace trommel::tests
