// One report, two forms; lines that come out whole; and progress, of which nothing is said here.
#include "tools/trommel/output/report.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/paths.h"
#include "tools/run_tool.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/line_writer.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {
namespace {

using tests::Printed;

int ExitCodeOf(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As a shell shows it, of a child that returns from main with the body's code: a change alters for
// good what signals do.
int StatusOf(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    NoteInterrupts();
    const int code = body();
    EndAsInterrupted();
    _exit(code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

TEST_CASE("a report is aligned text or one line of JSON", "[tools][report]") {
  Report report;
  report.Add("num_keys", uint64_t{1234}, "keys", "1,234");
  report.Add("measured_fpr", 0.5, "false positives", "50 %");
  report.AddField("ok", true);
  report.AddLine("Done.");
  CHECK(Printed(report, false) ==
        "keys             1,234\n"
        "false positives  50 %\n"
        "Done.\n");
  CHECK(Printed(report, true) == "{\"num_keys\":1234,\"measured_fpr\":0.5,\"ok\":true}\n");
}

TEST_CASE("values nest as JSON text", "[tools][report]") {
  Json list = Json::Array();
  CHECK(list.text() == "[]");
  list.Append(1.0);
  list.Append(int64_t{-1});
  list.Append(~uint64_t{0});
  list.Append(Json());
  list.Append(std::nan(""));
  list.Append(1e-7);
  CHECK(list.text() == "[1.0,-1,18446744073709551615,null,null,1e-07]");
  Json object = {{"list", list}, {"empty", Json::Object()}};
  object.Add("a \"b\"\n", true);
  CHECK(object.text() == "{\"list\":" + list.text() + ",\"empty\":{},\"a \\\"b\\\"\\n\":true}");
}

TEST_CASE("a field that comes again replaces the first in its place", "[tools][report]") {
  Report report;
  report.AddField("a", 1);
  report.AddField("b", 2);
  report.AddField("a", "x");
  CHECK(Printed(report, true) == "{\"a\":\"x\",\"b\":2}\n");
}

TEST_CASE("errors map to exit codes by whose fault they are", "[tools][report]") {
  CHECK(FailOnRequest({ErrorCode::kInvalidArgument, "(expected in this test's output)"}) == 2);
  CHECK(FailOnRequest({ErrorCode::kIo, "(expected in this test's output)"}) == 3);
  CHECK(FailOnRequest({ErrorCode::kOutOfMemory, "(expected in this test's output)"}) == 3);
  CHECK(FailOnInput({ErrorCode::kOutOfMemory, "(expected in this test's output)"}) == 3);
  CHECK(FailOnRequest({ErrorCode::kNotFlushed, "(expected in this test's output)"}) == 4);
  CHECK(FailOnInput({ErrorCode::kNotFlushed, "(expected in this test's output)"}) == 4);
  CHECK(FailOnInput({ErrorCode::kInvalidArgument, "(expected in this test's output)"}) == 3);
}

TEST_CASE("a standard error that is closed or full changes no exit code", "[tools][report]") {
  const tests::TempFolder folder;
  const std::string keys = folder.Write("keys", "a\n");
  const std::string filter = folder.Path("filter");
  tests::MustRun({"build", "-o", filter, keys});
  const std::string tool = tests::kCommand;
  CHECK(ExitCodeOf(tool + " query " + folder.Path("none") + " 2>&-") == 3);
  CHECK(ExitCodeOf(tool + " no-such-command 2>&-") == 2);
  if (access("/dev/full", W_OK) != 0) return;  // not every system has it
  CHECK(ExitCodeOf(tool + " query " + folder.Path("none") + " 2>/dev/full") == 3);
  CHECK(ExitCodeOf(tool + " --json query --print-present " + filter + " " + keys +
                   " >/dev/null 2>/dev/full") == 3);
}

TEST_CASE("a count that cannot be written is an error that is told", "[tools][report]") {
  if (access("/dev/full", W_OK) != 0) return;  // not every system has it
  const tests::TempFolder folder;
  const std::string rows = folder.Write("rows", "a\nb\n");
  const std::string filter = folder.Path("filter");
  const std::string attr = GENERATE("", "attr ");
  const std::string tool = tests::kCommand + (" " + attr);
  REQUIRE(ExitCodeOf(tool + "build -o " + filter + " " + rows + " >/dev/null") == 0);
  const std::string query = tool + "query -c " + filter + " " + rows;
  CHECK(ExitCodeOf(query + " >/dev/null") == 0);
  CHECK(ExitCodeOf(query + " >/dev/full 2>" + folder.Path("err")) == 3);
  CHECK(folder.Read("err") == "trommel: cannot write output: No space left on device\n");
}

TEST_CASE("a change whose report cannot be written has an exit code of its own",
          "[tools][report]") {
  if (access("/dev/full", W_OK) != 0) return;  // not every system has it
  const tests::TempFolder folder;
  const std::string attr = GENERATE("", " attr");
  const std::string tool = tests::kCommand + attr;
  const std::string rows = folder.Write("rows", "a\nb\n");
  const std::string filter = folder.Path("filter");
  const auto changes = [&](const std::string& command, const std::string& out,
                           const std::string& why) {
    INFO(command << out);
    const std::string before = folder.Read("filter");
    CHECK(ExitCodeOf(tool + command + out + " 2>" + folder.Path("err")) == 4);
    CHECK(folder.Read("err") == "trommel: " + filter +
                                    " was changed, but the report of it was not written: cannot "
                                    "write output: " +
                                    why + "\n");
    CHECK(folder.Read("filter") != before);
  };
  const std::string full = "No space left on device";
  changes(" build -o " + filter + " " + rows, " >/dev/full", full);
  changes(" insert " + filter + " " + rows, " >/dev/full", full);
  changes(" insert " + filter + " " + rows, " >&-", "Bad file descriptor");
  changes(" erase " + filter + " " + rows, " --json >/dev/full", full);
}

TEST_CASE("a change whose report cannot be made is told all the same", "[tools][report]") {
  const auto code_of = [](const std::function<ExitCode(Report&)>& describe) {
    return StatusOf(
        [&] { return FinishChange("(expected in this test's output)", true, Ok, describe); });
  };
  CHECK(code_of([](Report&) -> ExitCode { throw std::bad_alloc(); }) == kChanged);
  CHECK(code_of([](Report&) -> ExitCode { throw std::runtime_error("no"); }) == kChanged);
}

TEST_CASE("a signal during a save ends the command only if nothing was changed",
          "[tools][report]") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const auto code_of = [&](const Status& saved) {
    const auto save = [&] {
      std::raise(signal);
      std::raise(signal);
      return saved;
    };
    const auto describe = [&](Report&) {
      std::raise(signal);  // there is nothing left to interrupt
      return kNegativeAnswer;
    };
    return StatusOf([&] { return FinishChange("filter", true, save, describe); });
  };
  CHECK(code_of(Ok()) == kNegativeAnswer);
  CHECK(code_of(Error{ErrorCode::kNotFlushed, "(expected in this test's output)"}) == kChanged);
  CHECK(code_of(Error{ErrorCode::kIo, "(expected in this test's output)"}) == 128 + signal);
}

TEST_CASE("a signal right before a save leaves the file as it was", "[tools][report]") {
  CHECK(StatusOf([] {
          std::raise(SIGTERM);
          const auto save = []() -> Status { _exit(99); };
          return FinishChange("filter", true, save, [](Report&) { return kDone; });
        }) == 128 + SIGTERM);
}

TEST_CASE("a signal ends a report that is not read", "[tools][report]") {
  CHECK(StatusOf([&] {
          std::array<int, 2> pipe_ends = {};
          if (pipe(pipe_ends.data()) != 0) return 99;
          fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK);
          while (write(pipe_ends[1], "x", 1) == 1) {
          }
          fcntl(pipe_ends[1], F_SETFL, 0);
          dup2(pipe_ends[1], STDOUT_FILENO);
          std::thread([printer = pthread_self()] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            pthread_kill(printer, SIGTERM);
          }).detach();
          return FinishChange("(expected in this test's output)", true, Ok,
                              [](Report&) { return kDone; });
        }) == kChanged);
}

TEST_CASE("a change whose reader is gone is told and has the exit code of a change",
          "[tools][report]") {
  const tests::TempFolder folder;
  const std::string attr = GENERATE("", " attr");
  const std::string tool = tests::kCommand + attr;
  const std::string rows = folder.Write("rows", "a\nb\n");
  const std::string filter = folder.Path("filter");
  // As most programs are started: a test may have ignored the signal.
  const auto into_closed_pipe = [&](const std::string& command) {
    const std::string before = folder.Read("filter");
    CHECK(ExitCodeOf("bash -c '" + tool + command + " 2>" + folder.Path("err") +
                     " | sleep 0; exit ${PIPESTATUS[0]}'") == 4);
    CHECK(folder.Read("err") == "trommel: " + filter +
                                    " was changed, but the report of it was not written: cannot "
                                    "write output: Broken pipe\n");
    CHECK(folder.Read("filter") != before);
  };
  const std::string slowly = " <(sleep 0.3; cat " + rows + ")";
  into_closed_pipe(" build -n 10 -o " + filter + slowly);
  into_closed_pipe(" insert " + filter + slowly);
}

TEST_CASE("a file beyond the size limit is an error that is told", "[tools][report]") {
  const tests::TempFolder folder;
  CHECK(ExitCodeOf("bash -c 'ulimit -f 8; " + std::string(tests::kCommand) + " build -n 1M -o " +
                   folder.Path("filter") + " /dev/null 2>" + folder.Path("err") + "'") == 3);
  CHECK_THAT(folder.Read("err"), Catch::Matchers::ContainsSubstring("File too large"));
  CHECK(folder.Names() == std::vector<std::string>{"err"});
}

TEST_CASE("help and version that cannot be written are an error that is told", "[tools][report]") {
  if (access("/dev/full", W_OK) != 0) return;  // not every system has it
  const tests::TempFolder folder;
  const std::string page = GENERATE("--help", "--version", "attr build --help");
  const std::string command = tests::kCommand + (" " + page);
  CHECK(ExitCodeOf(command + " >/dev/null") == 0);
  CHECK(ExitCodeOf(command + " >/dev/full 2>" + folder.Path("err")) == 3);
  CHECK(folder.Read("err") == "trommel: cannot write output: No space left on device\n");
  CHECK(ExitCodeOf(command + " >&- 2>/dev/null") == 3);
}

using tests::TempFolder;

TEST_CASE("selected lines are written for every buffer size", "[tools][line_writer]") {
  const TempFolder folder;
  std::vector<std::string> lines;
  for (size_t i = 0; i < 130; ++i) lines.emplace_back(i % 7, static_cast<char>('a' + i % 26));
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  std::vector<uint64_t> bitmap = {0x8000000000000001, 0x00ff00ff00ff00ff, 2};
  const bool wanted = GENERATE(true, false);
  const size_t buffer_bytes = GENERATE(size_t{1}, size_t{3}, size_t{8}, size_t{4096});
  std::string want;
  uint64_t num_wanted = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (((bitmap[i / 64] >> (i % 64) & 1) == 1) != wanted) continue;
    want += lines[i] + ";\n";
    ++num_wanted;
  }

  const int fd = open(folder.Path("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(fd >= 0);
  LineWriter writer(fd, ";\n", buffer_bytes);
  const Result<uint64_t> num_written = writer.WriteSelected(views, bitmap, wanted);
  REQUIRE(num_written.ok());
  CHECK(*num_written == num_wanted);
  REQUIRE(writer.Flush().ok());
  close(fd);
  CHECK(folder.Read("out") == want);
}

}  // namespace
}  // namespace trommel::tool
