// trommel verify: whole files pass, cut and changed ones do not, and missing keys are found.
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

TEST_CASE("verify tells whole filters from damaged ones", "[tools][verify]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "1k", "-o", filter}, Lines("a", 1000)).exit_code == 0);
  CHECK(RunTool({"verify", filter}).exit_code == 0);
  const std::string bytes = folder.Read("filter");
  CHECK(RunTool({"verify", folder.Write("cut", bytes.substr(0, bytes.size() - 1))}).exit_code == 3);
  std::string changed = bytes;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 4);
  CHECK(RunTool({"verify", folder.Write("changed", changed)}).exit_code == 3);
}

TEST_CASE("verify finds keys that are missing", "[tools][verify]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "1k", "-p", "1e-6", "-o", filter}, Lines("a", 1000)).exit_code ==
          0);
  CHECK(RunTool({"verify", filter, folder.Write("keys", Lines("a", 1000))}).exit_code == 0);
  const ToolResult missing = RunTool({"verify", filter, "-", "--json"}, "a1\nb1\na2\n");
  CHECK(missing.exit_code == 1);
  CHECK(json::parse(missing.out)["num_missing"] == 1);
}

}  // namespace
}  // namespace trommel::tests
