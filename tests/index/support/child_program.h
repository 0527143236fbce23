// A test in a process of its own: for what ends a process, or limits all of it. The process runs
// this test program with one hidden test, which finds its folder in the environment. (A mere fork
// would not do: the databases of earlier tests have threads, which a child of fork does not have.)
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_CHILD_PROGRAM_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_CHILD_PROGRAM_H_

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel::index::tests {

inline constexpr char kChildFolder[] = "TROMMEL_TEST_CHILD_FOLDER";

// Returns the exit status of the hidden test with this name: 0 if it passed, -1 if a signal ended
// it. What it prints goes to the file `child.log` in the folder.
inline int RunChild(const char* test_name, const std::filesystem::path& folder) {
  const std::string log = folder / "child.log";
  const pid_t child = fork();
  if (child == 0) {
    const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    setenv(kChildFolder, folder.c_str(), 1);
    execl("/proc/self/exe", "child", test_name, nullptr);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// Returns the folder of a test that RunChild runs; empty in a run of all hidden tests.
inline std::filesystem::path FolderOfChild() {
  const char* const folder = std::getenv(kChildFolder);
  return folder == nullptr ? "" : folder;
}

// The hidden test passes in a folder of its own; what it prints is shown if it does not.
inline void CheckChild(const char* test_name) {
  const trommel::tests::ScratchFolder folder;
  const int status = RunChild(test_name, folder.path());
  const auto log = trommel::tests::ReadFile(folder / "child.log");
  INFO(std::string(reinterpret_cast<const char*>(log.data()), log.size()));
  CHECK(status == 0);
}

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_CHILD_PROGRAM_H_
