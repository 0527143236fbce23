// Locks on open files, taken by polling.
#include "tools/trommel/filters/file_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {
namespace {

using Clock = std::chrono::steady_clock;

// Polled, because a call that waits has no time limit, and would wait for a file that its holder is
// about to replace: the lock that counts is then another file's.
constexpr std::chrono::milliseconds kBetweenTries(20);

// Far beyond all contents: over SMB other descriptors cannot read bytes that are locked.
constexpr off_t kLockedByte = off_t{1} << 62;

int OpenToLock(const std::string& path) {
  constexpr int kFlags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  for (const int mode : {O_RDWR, O_WRONLY, O_RDONLY}) {
    if (const int fd = open(path.c_str(), mode | kFlags); fd >= 0) return fd;
  }
  return -1;
}

// A lock that the kernel keeps with the open file, as long as that is open. POSIX record locks are
// the process's, and would go when what loads the file closes its own descriptor. False and errno
// EAGAIN when another command holds it.
bool TryLock(int fd) {
  // A write lock needs a file that is open for writing. One that this user may not write can only
  // be replaced without having been read, and then it is enough to keep its writers away.
  const bool is_writable = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
  struct flock lock = {};
  lock.l_type = static_cast<short>(is_writable ? F_WRLCK : F_RDLCK);
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockedByte;
  lock.l_len = 1;
  if (fcntl(fd, F_OFD_SETLK, &lock) == 0) return true;
  if (errno == EACCES) errno = EAGAIN;  // POSIX allows both
  // Systems without such locks (gVisor) have these, for the whole file.
  return errno == EINVAL && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

Error Busy(const std::string& path, double waited_seconds) {
  return {ErrorCode::kIo, fmt::format("another command is changing {} (waited {:g} s); nothing was "
                                      "changed here: run this again, or with a longer --wait",
                                      path, waited_seconds)};
}

Error Refused(const std::string& path, int error_number) {
  const bool has_no_locks =
      error_number == ENOSYS || error_number == ENOTSUP || error_number == ENOLCK;
  return {ErrorCode::kIo,
          fmt::format("cannot lock {}: {}{}", path, std::strerror(error_number),
                      has_no_locks ? "; its file system may have no locks: write a new file "
                                     "under another name, which needs none"
                                   : "")};
}

}  // namespace

FileLock::FileLock(std::string path, int fd, std::optional<FileId> file) noexcept
    : path_(std::move(path)), fd_(fd), file_(file) {}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), file_(other.file_) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(file_, other.file_);
  return *this;
}

FileLock::~FileLock() {
  if (is_held()) close(fd_);
}

Result<FileLock> FileLock::Take(const std::string& path, const LockWait& wait,
                                Unopenable unopenable) {
  const EndAtInterrupts end;
  Progress progress("waiting", wait.quiet, std::nullopt);
  const Clock::time_point deadline =
      Clock::now() +
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wait.seconds));
  for (;;) {
    // Opened anew each time: the name may be another file's by now.
    const std::optional<FileId> file = FileAt(path);
    FileLock lock(path, file ? OpenToLock(path) : -1, file);
    if (!file) return lock;
    if (!lock.is_held() && errno == EACCES && unopenable == Unopenable::kIsLeftUnlocked) {
      return lock;
    }
    const bool is_locked = lock.is_held() && TryLock(lock.fd_);
    if (!is_locked && errno != EAGAIN && errno != ENOENT) return Refused(path, errno);
    if (is_locked && lock.IsCurrent()) return lock;
    const Clock::duration left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) return Busy(path, wait.seconds);
    if (progress.IsDue()) {
      progress.Draw(fmt::format("another command is changing {}; {:.0f} s left", path,
                                std::ceil(std::chrono::duration<double>(left).count())));
    }
    std::this_thread::sleep_for(std::min<Clock::duration>(left, kBetweenTries));
  }
}

std::optional<FileLock::FileId> FileLock::FileAt(const std::string& path) noexcept {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

bool FileLock::IsCurrent() const noexcept { return FileAt(path_) == file_; }

}  // namespace trommel::tool
