// fork, exec, wait. Output goes to unnamed files: a pipe that is not read could fill up.
#include "tools/run_tool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/catch.h"
#include "support/paths.h"

namespace trommel::tests {
namespace {

std::string ReadAll(std::FILE* file) {
  std::string text;
  std::array<char, 4096> piece;
  std::rewind(file);
  while (const size_t num_read = std::fread(piece.data(), 1, piece.size(), file)) {
    text.append(piece.data(), num_read);
  }
  return text;
}

}  // namespace

RunningTool::RunningTool(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment)
    : out_(std::tmpfile()), err_(std::tmpfile()) {
  std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> input;
  if (out_ == nullptr || err_ == nullptr || pipe2(input.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot make temporary files or a pipe");
  }
  std::vector<char*> argv = {const_cast<char*>("trommel")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(input[0], STDIN_FILENO);
    dup2(fileno(out_), STDOUT_FILENO);
    dup2(fileno(err_), STDERR_FILENO);
    for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
    execv(kCommand, argv.data());
    _exit(127);
  }
  close(input[0]);
  input_ = input[1];
  if (pid_ < 0) throw std::runtime_error("cannot fork");
}

RunningTool::~RunningTool() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  CloseInput();
  std::fclose(out_);
  std::fclose(err_);
}

void RunningTool::Write(std::string_view input) {
  while (!input.empty()) {
    const ssize_t num_written = write(input_, input.data(), input.size());
    if (num_written <= 0) return;
    input.remove_prefix(static_cast<size_t>(num_written));
  }
}

void RunningTool::CloseInput() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

void RunningTool::Signal(int signal) { kill(pid_, signal); }

std::string RunningTool::OutputSoFar() { return ReadAll(out_); }

ToolResult RunningTool::Wait() {
  CloseInput();
  return WaitWithInputOpen();
}

ToolResult RunningTool::WaitWithInputOpen() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  ToolResult result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.out = ReadAll(out_);
  result.err = ReadAll(err_);
  return result;
}

ToolResult RunTool(const std::vector<std::string>& arguments, std::string_view input,
                   const std::vector<std::string>& environment) {
  RunningTool tool(arguments, environment);
  tool.Write(input);
  return tool.Wait();
}

ToolResult MustRun(const std::vector<std::string>& arguments, std::string_view input) {
  ToolResult result = RunTool(arguments, input);
  CAPTURE(arguments, result.err);
  REQUIRE(result.exit_code == 0);
  return result;
}

nlohmann::json ReportOf(std::vector<std::string> arguments, std::string_view input, int exit_code) {
  arguments.emplace_back("--json");
  const ToolResult result = RunTool(arguments, input);
  CAPTURE(arguments, result.err);
  REQUIRE(result.exit_code == exit_code);
  return nlohmann::json::parse(result.out);
}

std::vector<std::string> With(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "trommel-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::Write(const std::string& name, std::string_view text) const {
  std::ofstream file(path_ / name, std::ios::binary);
  file << text;
  return Path(name);
}

std::string TempFolder::Read(const std::string& name) const {
  std::ifstream file(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> TempFolder::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Printed(const tool::Report& report, bool json) {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr || !report.Print(json, file).ok()) {
    throw std::runtime_error("cannot print a report");
  }
  std::string text = ReadAll(file);
  std::fclose(file);
  return text;
}

std::string Lines(std::string_view prefix, size_t count) {
  std::string lines;
  for (size_t i = 0; i < count; ++i) {
    lines += prefix;
    lines += std::to_string(i);
    lines += '\n';
  }
  return lines;
}

}  // namespace trommel::tests
