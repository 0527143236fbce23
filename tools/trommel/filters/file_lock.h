// FileLock: while one lives, no other command changes the file that it locks.
//
// An advisory lock: commands that read take none and never wait, and programs other than this
// command do not know of it. It belongs to an open file, not to a name, and replacing a file gives
// its name to another one. So a lock counts only while the path still names what was locked.
#ifndef TROMMEL_TOOLS_FILE_LOCK_H_
#define TROMMEL_TOOLS_FILE_LOCK_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "trommel/result.h"

namespace trommel::tool {

// How long to wait for a lock that another command holds.
struct LockWait {
  double seconds = 60;  // 0: not at all
  bool quiet = false;   // no line on the terminal that says so
};

enum class Unopenable { kFails, kIsLeftUnlocked };

// A command holds at most one, so that no two commands can wait for each other.
class FileLock {
 public:
  // Locks the file that `path` names, through symbolic links. Where it names no regular file
  // nothing is locked: what reads or writes it says why it cannot. A line on the terminal tells
  // that it waits; an interrupt ends the program. Fails with kIo when the time is over and where
  // the file system refuses. A file that this user may not open fails, too, or, for commands that
  // replace it unread, is only remembered for IsCurrent.
  static Result<FileLock> Take(const std::string& path, const LockWait& wait,
                               Unopenable unopenable = Unopenable::kFails);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  bool is_held() const noexcept { return fd_ >= 0; }

  // Whether the path names the file that was locked or remembered; if none was, whether it names
  // none.
  bool IsCurrent() const noexcept;

 private:
  struct FileId {
    dev_t device;
    ino_t inode;
    bool operator==(const FileId&) const = default;
  };

  FileLock(std::string path, int fd, std::optional<FileId> file) noexcept;
  static std::optional<FileId> FileAt(const std::string& path) noexcept;

  std::string path_;
  int fd_;  // -1: nothing is locked
  std::optional<FileId> file_;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FILE_LOCK_H_
