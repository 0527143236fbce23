// Locks: commands that change one file take turns, and commands that read wait for none.
#include "tools/trommel/filters/file_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/paths.h"
#include "tools/run_tool.h"
#include "tools/trommel/filters/filter_file.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Lines;
using tests::MustRun;
using tests::RunningTool;
using tests::RunTool;
using tests::TempFolder;
using tests::ToolResult;

constexpr LockWait kNoWait = {.seconds = 0};

FileLock Locked(const std::string& path) { return FileLock::Take(path, kNoWait).value(); }

void LetItWait() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

struct LockedFiles {
  LockedFiles() {
    MustRun({"build", "-n", "1000", "-o", filter, c});
    MustRun({"attr", "build", "-n", "1000", "-o", attributes}, "x\ty\n0\t0\n");
  }

  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string attributes = folder.Path("attributes");
  const std::string a = folder.Write("a", Lines("a", 100));
  const std::string b = folder.Write("b", Lines("b", 100));
  const std::string c = folder.Write("c", Lines("c", 100));
  const std::string rows_a = folder.Write("rows_a", "x\ty\n1\t2\n");
  const std::string rows_b = folder.Write("rows_b", "x\ty\n3\t4\n");
};

using Arguments = std::vector<std::string>;

void RunBoth(const Arguments& one, const Arguments& other) {
  RunningTool first(one);
  RunningTool second(other);
  const ToolResult results[] = {first.Wait(), second.Wait()};
  for (const ToolResult& result : results) {
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    REQUIRE(result.err.empty());
  }
}

TEST_CASE("two commands that change one file lose no update", "[tools][file_lock]") {
  const LockedFiles files;
  const std::string before = files.folder.Read("filter");
  const std::string attributes_before = files.folder.Read("attributes");
  for (int round = 0; round < 5; ++round) {
    files.folder.Write("filter", before);
    RunBoth({"insert", files.filter, files.a}, {"insert", files.filter, files.b});
    MustRun({"verify", files.filter, files.a, files.b, files.c});

    RunBoth({"insert", files.filter, files.a}, {"erase", files.filter, files.b});
    MustRun({"verify", files.filter, files.a, files.c});
    REQUIRE_THAT(RunTool({"stats", "--json", files.filter}).out,
                 ContainsSubstring("\"num_keys\":300,"));

    files.folder.Write("attributes", attributes_before);
    RunBoth({"attr", "insert", files.attributes, files.rows_a},
            {"attr", "insert", files.attributes, files.rows_b});
    REQUIRE_THAT(RunTool({"stats", "--json", files.attributes}).out,
                 ContainsSubstring("\"num_tuples\":3,"));
  }
}

TEST_CASE("a command that does not wait exits 3 and changes nothing", "[tools][file_lock]") {
  const LockedFiles files;
  const std::string& filter = files.filter;
  const std::string& attributes = files.attributes;
  const FileLock lock_of_filter = Locked(filter);
  const FileLock lock_of_attributes = Locked(attributes);
  const std::string before = files.folder.Read("filter");
  const std::string attributes_before = files.folder.Read("attributes");
  const auto refused = [](Arguments command, const std::string& path) {
    command.insert(command.end(), {"--wait", "0"});
    const ToolResult result = RunTool(command);
    INFO(command[0] << " " << command[1]);
    CHECK(result.exit_code == 3);
    CHECK(result.out.empty());
    CHECK(result.err == "trommel: another command is changing " + path +
                            " (waited 0 s); nothing was changed here: run this again, or with a "
                            "longer --wait\n");
  };
  refused({"insert", filter, files.a}, filter);
  refused({"build", "-n", "10", "-f", "-o", filter, files.a}, filter);
  refused({"attr", "build", "-n", "10", "-f", "-o", filter, files.rows_a}, filter);
  refused({"attr", "erase", attributes, files.rows_a}, attributes);
  CHECK(files.folder.Read("filter") == before);
  CHECK(files.folder.Read("attributes") == attributes_before);
}

TEST_CASE("a command waits as long as it was told, or until its turn", "[tools][file_lock]") {
  const LockedFiles files;
  auto lock = std::make_unique<FileLock>(Locked(files.filter));
  const auto start = std::chrono::steady_clock::now();
  const ToolResult late = RunTool({"insert", "--wait", "0.3", files.filter, files.a});
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(300));
  CHECK(late.exit_code == 3);
  CHECK_THAT(late.err, ContainsSubstring("(waited 0.3 s)"));

  RunningTool waiting({"insert", files.filter, files.a});
  LetItWait();
  lock.reset();
  const ToolResult result = waiting.Wait();
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());  // a pipe is no terminal
  CHECK(RunTool({"verify", files.filter, files.a}).exit_code == 0);
}

TEST_CASE("an interrupt ends the wait at once", "[tools][file_lock]") {
  const LockedFiles files;
  const std::string before = files.folder.Read("filter");
  const FileLock lock = Locked(files.filter);
  RunningTool waiting({"insert", files.filter, files.a});
  LetItWait();
  const auto start = std::chrono::steady_clock::now();
  waiting.Signal(SIGINT);
  CHECK(waiting.Wait().signal == SIGINT);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  CHECK(files.folder.Read("filter") == before);
}

TEST_CASE("a file is locked by any of its names", "[tools][file_lock]") {
  const LockedFiles files;
  const std::string link = files.folder.Path("link");
  std::filesystem::create_symlink("filter", link);
  {
    const FileLock lock = Locked(link);
    CHECK(RunTool({"insert", "--wait", "0", files.filter, files.a}).exit_code == 3);
  }
  const FileLock lock = Locked(files.filter);
  CHECK(RunTool({"insert", "--wait", "0", link, files.a}).exit_code == 3);
}

TEST_CASE("a file that was replaced while a command waits is what it changes",
          "[tools][file_lock]") {
  const LockedFiles files;
  const FileLock lock = Locked(files.filter);
  RunningTool waiting({"insert", files.filter, files.a});
  LetItWait();
  MustRun({"build", "-n", "1000", "-o", files.folder.Path("new"), files.b});
  std::filesystem::rename(files.folder.Path("new"), files.filter);
  CHECK_FALSE(lock.IsCurrent());
  CHECK(waiting.Wait().exit_code == 0);
  CHECK(RunTool({"verify", files.filter, files.a, files.b}).exit_code == 0);
}

TEST_CASE("commands that read do not wait for a lock", "[tools][file_lock]") {
  const LockedFiles files;
  const FileLock lock = Locked(files.filter);
  CHECK(RunTool({"query", files.filter, files.c}).exit_code == 0);
  CHECK(RunTool({"stats", files.filter}).exit_code == 0);
  CHECK(RunTool({"verify", files.filter, files.c}).exit_code == 0);
  CHECK(RunTool({"insert", files.filter, files.a, "-o", files.folder.Path("new")}).exit_code == 0);
  CHECK(RunTool({"build", files.a, "-o", files.folder.Path("newer")}).exit_code == 0);
}

TEST_CASE("what is no file is not locked", "[tools][file_lock]") {
  const TempFolder folder;
  const std::string none = folder.Path("none");
  const FileLock nothing = Locked(none);
  CHECK_FALSE(nothing.is_held());
  CHECK(nothing.IsCurrent());
  folder.Write("none", "now it is there");
  CHECK_FALSE(nothing.IsCurrent());
  CHECK_FALSE(Locked(folder.Path("")).is_held());
  REQUIRE(mkfifo(folder.Path("pipe").c_str(), 0600) == 0);
  CHECK_FALSE(Locked(folder.Path("pipe")).is_held());
}

// Runs the body in a child that is another user than root, to whom files can be closed.
bool HoldsForNobody(const TempFolder& folder, const std::function<bool()>& body) {
  constexpr uid_t kNobody = 65534;
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0) {
      for (const std::string& path : {folder.Path(""), folder.Path("filter")}) {
        if (chown(path.c_str(), kNobody, kNobody) != 0) _exit(2);
      }
      if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(2);
      prctl(PR_SET_DUMPABLE, 1);  // saving opens /proc/self
    }
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status == 0;
}

TEST_CASE("a file that can only be written is locked for writing", "[tools][file_lock]") {
  const LockedFiles files;
  REQUIRE(chmod(files.filter.c_str(), 0200) == 0);
  CHECK(HoldsForNobody(files.folder, [&] {
    const Result<FileLock> lock = FileLock::Take(files.filter, kNoWait);
    return lock.ok() && lock->is_held() && !FileLock::Take(files.filter, kNoWait).ok();
  }));
}

TEST_CASE("a file that cannot be opened is replaced by force, but not if it changed",
          "[tools][file_lock]") {
  const LockedFiles files;
  const bool changes = GENERATE(false, true);
  REQUIRE(chmod(files.filter.c_str(), 0) == 0);
  CHECK(HoldsForNobody(files.folder, [&] {
    const Result<FileLock> refused = FileLock::Take(files.filter, kNoWait);
    const auto lock = FileLock::Take(files.filter, kNoWait, Unopenable::kIsLeftUnlocked);
    if (refused.ok() || !lock.ok() || lock->is_held() || !lock->IsCurrent()) return false;
    if (changes) {
      files.folder.Write("new", "of another program");
      std::filesystem::rename(files.folder.Path("new"), files.filter);
      return !lock->IsCurrent();
    }
    Result<FilterOutput> output =
        FilterOutput::Claim({.path = files.filter, .force = true, .wait_seconds = 0}, {}, true);
    return output.ok() &&
           output->Save(*AnyFilter::Of(CountingFilter::Create({.capacity = 10}).value())).ok();
  }));
}

// A pseudo-terminal; -1 where there is none, as in a chroot without /dev/pts.
int OpenTerminal() {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || (grantpt(terminal) == 0 && unlockpt(terminal) == 0)) return terminal;
  close(terminal);
  return -1;
}

// Standard error of a command on a terminal, until it ends. Closes the terminal.
std::string TerminalOf(int terminal, const Arguments& arguments) {
  const std::string name = ptsname(terminal);
  const pid_t child = fork();
  if (child == 0) {
    const int screen = open(name.c_str(), O_RDWR | O_NOCTTY);
    dup2(screen, STDERR_FILENO);
    std::vector<char*> argv = {const_cast<char*>("trommel")};
    for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(tests::kCommand, argv.data());
    _exit(127);
  }
  std::string text;
  std::array<char, 1024> piece;
  ssize_t num_read = 0;
  while ((num_read = read(terminal, piece.data(), piece.size())) > 0) {  // EIO at the end
    text.append(piece.data(), static_cast<size_t>(num_read));
  }
  waitpid(child, nullptr, 0);
  close(terminal);
  return text;
}

TEST_CASE("on a terminal a line tells that a command waits", "[tools][file_lock]") {
  const LockedFiles files;
  const FileLock lock = Locked(files.filter);
  const Arguments command = {"insert", "--wait", "1", files.filter, files.a};
  const int terminal = OpenTerminal();
  if (terminal < 0) {
    WARN("not tested: no pseudo-terminal can be opened: " << std::strerror(errno));
    return;
  }
  CHECK_THAT(TerminalOf(terminal, command),
             ContainsSubstring("\rwaiting: another command is changing " + files.filter));
}

}  // namespace
}  // namespace trommel::tool
