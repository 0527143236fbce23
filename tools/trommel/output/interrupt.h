// Ctrl-C for the subcommands that write filters: they stop at the next batch and leave no file
// behind. A second Ctrl-C ends the program at once. A file being saved is finished first, and then
// the command is done: no signal ends it any more, and its exit status tells that.
#ifndef TROMMEL_TOOLS_INTERRUPT_H_
#define TROMMEL_TOOLS_INTERRUPT_H_

#include <signal.h>

#include <array>

namespace trommel::tool {

// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the program. Call once per
// process.
void NoteInterrupts() noexcept;

// The signal that was noted, or 0. Any thread.
int NotedInterrupt() noexcept;

// Waits until `fd` can be read (or is at its end), or until an interrupt is noted. True: read it.
bool WaitForInput(int fd) noexcept;

// Ends the program as the noted signal would have: a shell sees 128 + its number (130 for Ctrl-C),
// and stops its loop or script. Does nothing if none was noted.
void EndAsInterrupted() noexcept;

// While one lives, interrupts are held off, whichever thread they come to, and raised again at its
// end. One at a time.
class HoldInterrupts {
 public:
  HoldInterrupts() noexcept;
  ~HoldInterrupts();
  HoldInterrupts(const HoldInterrupts&) = delete;
  HoldInterrupts& operator=(const HoldInterrupts&) = delete;

  // Drops those held off, and all that come until the program ends: what they could stop is done.
  // They still end a write that blocks (EINTR), such as to a pipe that is full.
  void DropForGood() noexcept;

 private:
  std::array<struct sigaction, 3> before_ = {};
  bool is_dropped_ = false;
};

// While one lives, an interrupt ends the program at once: for long work that cannot look whether
// one was noted, and has written nothing. One that was noted before ends it here.
class EndAtInterrupts {
 public:
  EndAtInterrupts() noexcept;
  ~EndAtInterrupts();
  EndAtInterrupts(const EndAtInterrupts&) = delete;
  EndAtInterrupts& operator=(const EndAtInterrupts&) = delete;

 private:
  std::array<struct sigaction, 3> before_ = {};
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INTERRUPT_H_
