// What insert and erase share: all keys or none reach the file.
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

TEST_CASE("an update that meets a bad key changes nothing", "[tools][update]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "10", "--keys", "u64", "-o", filter}, "1\n2\n").exit_code == 0);
  const std::string before = folder.Read("filter");
  const std::string command = GENERATE("insert", "erase");
  CHECK(RunTool({command, filter, "--keys", "u64"}, "1\n2\nx\n").exit_code == 3);
  CHECK(RunTool({command, filter, folder.Path("none")}).exit_code == 3);
  CHECK(RunTool({command, folder.Path("none")}, "1\n").exit_code == 3);
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Names() == std::vector<std::string>{"filter"});
}

TEST_CASE("an update with no keys writes the same bytes", "[tools][update]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "10", "-o", filter}, "a\nb\n").exit_code == 0);
  const std::string before = folder.Read("filter");
  CHECK(RunTool({"insert", filter}, "").exit_code == 0);
  CHECK(folder.Read("filter") == before);
}

TEST_CASE("an update does not write over what it reads", "[tools][update]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string keys = folder.Write("keys", "a\n");
  REQUIRE(RunTool({"build", "-o", filter, keys}).exit_code == 0);
  const std::string command = GENERATE("insert", "erase");
  CHECK(RunTool({command, filter, "-f", "-o", keys, keys}).exit_code == 2);
  CHECK(RunTool({command, filter, "-f", "-o", filter, keys}).exit_code == 2);
  const std::string before = folder.Read("filter");
  const ToolResult itself = RunTool({command, filter, keys, filter});
  CHECK(itself.exit_code == 2);
  CHECK(itself.err == "trommel: the filter " + filter + " is also an input\n");
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Read("keys") == "a\n");
}

}  // namespace
}  // namespace trommel::tests
