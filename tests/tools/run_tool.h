// Runs the built command as a user would, and makes folders that are removed with their objects.
#ifndef TROMMEL_TESTS_TOOLS_RUN_TOOL_H_
#define TROMMEL_TESTS_TOOLS_RUN_TOOL_H_

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/output/report.h"

namespace trommel::tests {

struct ToolResult {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

// The command, running. Its standard input is a pipe.
class RunningTool {
 public:
  // `environment` holds "NAME=value" entries added to ours.
  explicit RunningTool(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& environment = {});
  ~RunningTool();
  RunningTool(const RunningTool&) = delete;
  RunningTool& operator=(const RunningTool&) = delete;

  void Write(std::string_view input);  // a tool that stopped reading is no error
  void CloseInput();
  void Signal(int signal);
  std::string OutputSoFar();
  ToolResult Wait();  // closes the input
  ToolResult WaitWithInputOpen();

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  std::FILE* out_;
  std::FILE* err_;
};

ToolResult RunTool(const std::vector<std::string>& arguments, std::string_view input = "",
                   const std::vector<std::string>& environment = {});
// Requires that it exits with 0.
ToolResult MustRun(const std::vector<std::string>& arguments, std::string_view input = "");
// The JSON of its report: adds --json, and requires this exit code.
nlohmann::json ReportOf(std::vector<std::string> arguments, std::string_view input = "",
                        int exit_code = 0);

// The words, and then `more`.
std::vector<std::string> With(std::vector<std::string> words, const std::vector<std::string>& more);

// A folder that is there as long as the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string Path(const std::string& name) const { return (path_ / name).string(); }
  std::string Write(const std::string& name, std::string_view text) const;  // returns its path
  std::string Read(const std::string& name) const;
  std::vector<std::string> Names() const;  // sorted

 private:
  std::filesystem::path path_;
};

// What the report prints.
std::string Printed(const tool::Report& report, bool json);

// "<prefix>0\n" .. "<prefix><count - 1>\n".
std::string Lines(std::string_view prefix, size_t count);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_TOOLS_RUN_TOOL_H_
