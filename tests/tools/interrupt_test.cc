// Ctrl-C: no half-written file, and the exit status that shells expect.
#include "tools/trommel/interrupt.h"

#include <signal.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::RunningTool;
using tests::RunTool;
using tests::TempFolder;
using tests::ToolResult;

// Time for the program to start and to wait for its input. If a slow machine needs longer, the
// signal comes before the handlers are there: the outcome is the same.
void LetItRun() { std::this_thread::sleep_for(std::chrono::milliseconds(300)); }

TEST_CASE("an interrupted build leaves nothing behind", "[tools][interrupt]") {
  const TempFolder folder;
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  RunningTool tool({"build", "-n", "1000", "-o", folder.Path("filter")});
  tool.Write(tests::Lines("key", 10000));
  LetItRun();
  tool.Signal(signal);
  const ToolResult result = tool.Wait();
  CHECK(result.signal == signal);  // a shell shows 128 + signal
  CHECK(result.err.empty());
  CHECK(folder.Names().empty());
}

TEST_CASE("an interrupted insert leaves the filter as it was", "[tools][interrupt]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "-n", "1000", "-o", filter}, "a\n").exit_code == 0);
  const std::string before = folder.Read("filter");
  RunningTool tool({"insert", filter});
  tool.Write("b\nc\n");
  LetItRun();
  tool.Signal(SIGINT);
  CHECK(tool.Wait().signal == SIGINT);
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Names() == std::vector<std::string>{"filter"});
}

TEST_CASE("without an interrupt nothing is noted", "[tools][interrupt]") {
  CHECK(NotedInterrupt() == 0);
  EndAsInterrupted();
  const HoldInterrupts hold;
  CHECK(WaitForInput(0));
}

}  // namespace
}  // namespace trommel::tool
