// One report, two forms.
#include "tools/trommel/report.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

std::string Printed(const Report& report, bool json) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  REQUIRE(report.Print(json, file).ok());
  std::string text(static_cast<size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  REQUIRE(std::fread(text.data(), 1, text.size(), file) == text.size());
  std::fclose(file);
  return text;
}

int ExitCodeOf(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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

TEST_CASE("file names that are no UTF-8 do not break JSON", "[tools][report]") {
  CHECK_NOTHROW(JsonText(Json("\xff\xfe")));
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

TEST_CASE("a report that cannot be written is bad luck that is told", "[tools][report]") {
  std::FILE* full = std::fopen("/dev/full", "w");
  if (full == nullptr) return;  // not every system has it
  Report report;
  report.AddLine("Done.");
  CHECK(Finish(report, false, kDone, full) == kBadInput);
  std::fclose(full);
}

TEST_CASE("a standard error that is closed or full changes no exit code", "[tools][report]") {
  const tests::TempFolder folder;
  const std::string keys = folder.Write("keys", "a\n");
  const std::string filter = folder.Path("filter");
  REQUIRE(tests::RunTool({"build", "-o", filter, keys}).exit_code == 0);
  const std::string tool = TROMMEL_CLI;
  CHECK(ExitCodeOf(tool + " query " + folder.Path("none") + " 2>&-") == 3);
  CHECK(ExitCodeOf(tool + " no-such-command 2>&-") == 2);
  if (access("/dev/full", W_OK) != 0) return;  // not every system has it
  CHECK(ExitCodeOf(tool + " query " + folder.Path("none") + " 2>/dev/full") == 3);
  CHECK(ExitCodeOf(tool + " --json query --print-present " + filter + " " + keys +
                   " >/dev/null 2>/dev/full") == 3);
}

TEST_CASE("a count that cannot be written is bad luck that is told", "[tools][report]") {
  if (access("/dev/full", W_OK) != 0) return;  // not every system has it
  const tests::TempFolder folder;
  const std::string rows = folder.Write("rows", "a\nb\n");
  const std::string filter = folder.Path("filter");
  const std::string attr = GENERATE("", "attr ");
  const std::string tool = TROMMEL_CLI + (" " + attr);
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
  const std::string tool = TROMMEL_CLI + attr;
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
    return FinishChange("(expected in this test's output)", true, describe);
  };
  CHECK(code_of([](Report&) -> ExitCode { throw std::bad_alloc(); }) == kChanged);
  CHECK(code_of([](Report&) -> ExitCode { throw std::runtime_error("no"); }) == kChanged);
}

TEST_CASE("help and version that cannot be written are bad luck that is told", "[tools][report]") {
  if (access("/dev/full", W_OK) != 0) return;  // not every system has it
  const tests::TempFolder folder;
  const std::string page =
      GENERATE("--help", "--version", "size --help", "build --help", "insert --help",
               "erase --help", "query --help", "dedup --help", "stats --help", "verify --help",
               "attr --help", "attr build --help", "attr insert --help", "attr erase --help",
               "attr query --help", "attr stats --help", "attr size --help", "targets --help",
               "stress --help", "demo --help", "bench --help");
  const std::string command = TROMMEL_CLI + (" " + page);
  CHECK(ExitCodeOf(command + " >/dev/null") == 0);
  CHECK(ExitCodeOf(command + " >/dev/full 2>" + folder.Path("err")) == 3);
  CHECK(folder.Read("err") == "trommel: cannot write output: No space left on device\n");
  CHECK(ExitCodeOf(command + " >&- 2>/dev/null") == 3);
}

}  // namespace
}  // namespace trommel::tool
