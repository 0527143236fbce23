#include "support/death.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "support/catch.h"

namespace trommel::tests {

std::string AbortMessage(const std::function<void()>& body) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // Catch's handler would report a failed test from the child.
    (void)std::signal(SIGABRT, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    body();
    _exit(0);
  }
  close(ends[1]);
  std::string message;
  std::array<char, 256> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    message.append(buffer.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) return message;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "survived" : "ended otherwise";
}

}  // namespace trommel::tests
