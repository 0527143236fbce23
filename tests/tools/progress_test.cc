// Progress is for terminals: here it must say nothing.
#include "tools/trommel/output/progress.h"

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

TEST_CASE("progress is silent where there is no terminal", "[tools][progress]") {
  Progress progress("counting", true, 100);
  for (uint64_t i = 0; i < 1000; ++i) progress.Update(i, i);  // also: nothing divides by zero
  CHECK_FALSE(progress.IsDue());
  progress.Draw("one of two");
  progress.Clear();
}

TEST_CASE("a pass writes no progress into a pipe", "[tools][progress]") {
  const tests::TempFolder folder;
  tests::RunningTool tool({"dedup", "-n", "1000"});
  tool.Write("a\n");
  const tests::ToolResult result = tool.Wait();
  CHECK(result.err.find('\r') == std::string::npos);
  CHECK(result.err.find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace trommel::tool
