// FileLock: while one lives, no other command changes the file that it locks.
//
// An advisory lock: commands that read take none and never wait, and programs other than this
// command do not know of it. It belongs to an open file, not to a name, and replacing a file gives
// its name to another one. So a lock counts only while the path still names what was locked.
#ifndef TROMMEL_TOOLS_FILE_LOCK_H_
#define TROMMEL_TOOLS_FILE_LOCK_H_

#include <string>

#include "trommel/result.h"

namespace trommel::tool {

// How long to wait for a lock that another command holds.
struct LockWait {
  double seconds = 60;  // 0: not at all
  bool quiet = false;   // no line on the terminal that says so
};

// A command holds at most one, so that no two commands can wait for each other.
class FileLock {
 public:
  // Locks the file that `path` names, through symbolic links. Where it names no regular file
  // nothing is locked: what reads or writes it says why it cannot. A line on the terminal tells
  // that it waits; an interrupt ends the program. Fails with kIo when the time is over and where
  // the file system refuses.
  static Result<FileLock> Take(const std::string& path, const LockWait& wait);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  bool is_held() const noexcept { return fd_ >= 0; }

  // Whether the path names the file that was locked; if nothing was locked, whether it names none.
  bool IsCurrent() const noexcept;

 private:
  FileLock(std::string path, int fd) noexcept;

  std::string path_;
  int fd_;  // -1: nothing is locked
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FILE_LOCK_H_
