// Ctrl-C. The handler writes to a pipe that every wait for input also watches, so a signal that
// comes just before the wait is not slept through.
#include "tools/trommel/output/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace trommel::tool {
namespace {

// Any thread may get the signal, and any may ask.
std::atomic<int> noted_signal{0};
std::array<std::atomic<bool>, 3> held;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "signal handlers may not lock");
std::array<int, 2> wake_pipe = {-1, -1};

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

extern "C" void NoteSignal(int signal) {
  const int saved_errno = errno;
  noted_signal = signal;
  if (wake_pipe[1] >= 0) {
    const char wake = 0;
    [[maybe_unused]] const ssize_t ignored = write(wake_pipe[1], &wake, 1);
  }
  errno = saved_errno;
}

extern "C" void HoldSignal(int signal) {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) held[i] = true;
  }
}

sigset_t SignalSet() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

using Actions = std::array<struct sigaction, kSignals.size()>;

// Sets the handler of all signals and returns what was before. A signal that the program's parent
// set to be ignored (nohup) stays ignored.
Actions SetAll(void (*handler)(int), int flags) noexcept {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_mask = SignalSet();
  action.sa_flags = flags;
  Actions before = {};
  for (size_t i = 0; i < kSignals.size(); ++i) {
    if (sigaction(kSignals[i], nullptr, &before[i]) == 0 && before[i].sa_handler != SIG_IGN) {
      sigaction(kSignals[i], &action, nullptr);
    }
  }
  return before;
}

void Restore(const Actions& before) noexcept {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

}  // namespace

void NoteInterrupts() noexcept {
  if (pipe(wake_pipe.data()) == 0) {
    for (const int fd : wake_pipe) {
      fcntl(fd, F_SETFD, FD_CLOEXEC);
      fcntl(fd, F_SETFL, O_NONBLOCK);
    }
  }
  SetAll(NoteSignal, static_cast<int>(SA_RESETHAND));
}

int NotedInterrupt() noexcept { return noted_signal; }

bool WaitForInput(int fd) noexcept {
  if (wake_pipe[0] < 0) return true;
  while (noted_signal == 0) {
    std::array<pollfd, 2> watched = {{{fd, POLLIN, 0}, {wake_pipe[0], POLLIN, 0}}};
    const int num_ready = poll(watched.data(), watched.size(), -1);
    if (num_ready < 0 && errno != EINTR) return true;  // let read() say what is wrong
    if (num_ready > 0 && watched[0].revents != 0) break;
  }
  return noted_signal == 0;
}

void EndAsInterrupted() noexcept {
  const int signal_number = noted_signal;
  if (signal_number == 0) return;
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

// A handler, not a mask: a mask holds for one thread, and another would get the signal.
HoldInterrupts::HoldInterrupts() noexcept : before_(SetAll(HoldSignal, SA_RESTART)) {}

HoldInterrupts::~HoldInterrupts() {
  if (is_dropped_) return;
  Restore(before_);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    if (held[i].exchange(false)) std::raise(kSignals[i]);
  }
}

void HoldInterrupts::DropForGood() noexcept {
  is_dropped_ = true;
  SetAll(HoldSignal, 0);
}

EndAtInterrupts::EndAtInterrupts() noexcept : before_(SetAll(SIG_DFL, 0)) { EndAsInterrupted(); }

EndAtInterrupts::~EndAtInterrupts() { Restore(before_); }

}  // namespace trommel::tool
