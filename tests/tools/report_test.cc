// One report, two forms.
#include "tools/trommel/report.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
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
  const auto exit_code = [](const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  CHECK(exit_code(tool + " query " + folder.Path("none") + " 2>&-") == 3);
  CHECK(exit_code(tool + " no-such-command 2>&-") == 2);
  if (access("/dev/full", W_OK) != 0) return;  // not every system has it
  CHECK(exit_code(tool + " query " + folder.Path("none") + " 2>/dev/full") == 3);
  CHECK(exit_code(tool + " --json query --print-present " + filter + " " + keys +
                  " >/dev/null 2>/dev/full") == 3);
}

TEST_CASE("a count that cannot be written is bad luck that is told", "[tools][report]") {
  if (access("/dev/full", W_OK) != 0) return;  // not every system has it
  const tests::TempFolder folder;
  const std::string rows = folder.Write("rows", "a\nb\n");
  const std::string filter = folder.Path("filter");
  const std::string attr = GENERATE("", "attr ");
  const std::string tool = TROMMEL_CLI + (" " + attr);
  const auto exit_code = [](const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  REQUIRE(exit_code(tool + "build -o " + filter + " " + rows + " >/dev/null") == 0);
  const std::string query = tool + "query -c " + filter + " " + rows;
  CHECK(exit_code(query + " >/dev/null") == 0);
  CHECK(exit_code(query + " >/dev/full 2>" + folder.Path("err")) == 3);
  CHECK(folder.Read("err") == "trommel: cannot write output: No space left on device\n");
}

}  // namespace
}  // namespace trommel::tool
