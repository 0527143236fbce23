// The frame of main.
#include "tools/trommel/output/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>

#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

// A file opened while standard error is closed would get its number, and our messages. Each end is
// made unusable the way a closed one is: what is read cannot be read, what is written not written.
void FillClosedStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

}  // namespace

int RunProgram(const char* name, const std::function<int()>& run) {
  NameProgram(name);
  // A parent may have left SIGPIPE ignored; a reader that is gone must end this program silently.
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond ulimit -f is an error like one to a full disk
  FillClosedStreams();
  int code = kBadInput;
  try {
    code = run();
  } catch (const std::bad_alloc&) {
    code = Fail(kBadInput, "out of memory");
  } catch (const std::exception& error) {
    code = Fail(kBadInput, error.what());
  }
  EndAsInterrupted();
  return code;
}

}  // namespace trommel::tool
