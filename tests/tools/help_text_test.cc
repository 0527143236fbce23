// The help pages fit a terminal.
#include "tools/trommel/help_text.h"

#include <sstream>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

TEST_CASE("words are wrapped and none is lost", "[tools][help_text]") {
  CHECK(Wrapped("", 10).empty());
  CHECK(Wrapped("one two", 10) == "one two");
  CHECK(Wrapped("one two six", 7) == "one two\nsix");
  CHECK(Wrapped("incomprehensible to all", 6) == "incomprehensible\nto all");
}

TEST_CASE("no line of a help page is longer than 100 columns", "[tools][help_text]") {
  const std::string command =
      GENERATE("size", "build", "insert", "erase", "query", "dedup", "stats", "verify", "demo");
  std::istringstream lines(tests::RunTool({command, "--help"}).out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}

}  // namespace
}  // namespace trommel::tool
