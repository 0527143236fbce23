// Ctrl-C: no half-written file, and the exit status that shells expect.
#include "tools/trommel/output/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
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
  const std::string num_threads = GENERATE("1", "3");
  RunningTool tool({"build", "-n", "1000", "--threads", num_threads, "-o", folder.Path("filter")});
  tool.Write(tests::Lines("key", 10000));
  LetItRun();
  tool.Signal(signal);
  const ToolResult result = tool.Wait();
  CHECK(result.signal == signal);  // a shell shows 128 + signal
  CHECK(result.err.empty());
  CHECK(folder.Names().empty());
}

volatile std::sig_atomic_t num_signals = 0;
extern "C" void CountSignal(int) { num_signals = num_signals + 1; }

TEST_CASE("held interrupts wait, whichever thread they come to", "[tools][interrupt]") {
  const auto raise_elsewhere = [](int signal) {
    std::thread([signal] { std::raise(signal); }).join();
  };
  num_signals = 0;
  std::signal(SIGHUP, CountSignal);
  std::signal(SIGTERM, SIG_IGN);
  {
    const HoldInterrupts hold;
    raise_elsewhere(SIGHUP);
    raise_elsewhere(SIGTERM);
    CHECK(num_signals == 0);
  }
  CHECK(num_signals == 1);
  raise_elsewhere(SIGHUP);
  CHECK(num_signals == 2);
  std::signal(SIGHUP, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

// What ends a child that runs the body.
int SignalThatEnds(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_CASE("noted interrupts end the program at once where they are let", "[tools][interrupt]") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  CHECK(SignalThatEnds([=] {
          NoteInterrupts();
          std::raise(signal);
        }) == 0);
  CHECK(SignalThatEnds([=] {
          NoteInterrupts();
          const EndAtInterrupts end;
          std::raise(signal);
        }) == signal);
  CHECK(SignalThatEnds([=] {
          NoteInterrupts();
          std::raise(signal);
          const EndAtInterrupts end;
        }) == signal);
  CHECK(SignalThatEnds([=] {
          NoteInterrupts();
          { const EndAtInterrupts end; }
          std::raise(signal);
        }) == 0);
}

}  // namespace
}  // namespace trommel::tool
