// Atomic files: an unnamed or temporary file, flushed, then linked or renamed into place.
#include "engine/src/disk/atomic_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

namespace trommel {
namespace {

constexpr int kMaxNamesTried = 100;

// A name that no other file has, short even if the target's is already as long as allowed.
std::filesystem::path TemporaryName(const std::filesystem::path& folder) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random)) {
    static std::atomic<uint64_t> num_names = 0;  // a clash is noticed: unlikely is enough
    random = static_cast<uint64_t>(getpid()) << 32 | ++num_names;
  }
  std::array<char, 32> name;
  std::snprintf(name.data(), name.size(), ".trommel-%016llx.tmp",
                static_cast<unsigned long long>(random));
  return folder / name.data();
}

// The name under which the kernel lets an open file be linked. Needs /proc.
std::string LinkableName(const FileDescriptor& fd) {
  return "/proc/self/fd/" + std::to_string(fd.get());
}

Status WriteAll(const FileDescriptor& fd, const std::filesystem::path& path, uint64_t offset,
                std::span<const std::byte> bytes) {
  constexpr size_t kMaxWrite = size_t{1} << 30;  // write() has a limit of its own near 2^31
  while (!bytes.empty()) {
    const ssize_t done = pwrite(fd.get(), bytes.data(), std::min(bytes.size(), kMaxWrite),
                                static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return IoError("write", path, errno);
    if (done == 0) return IoError("write", path, ENOSPC);
    bytes = bytes.subspan(static_cast<size_t>(done));
    offset += static_cast<uint64_t>(done);
  }
  return Ok();
}

Error NotNew(const std::filesystem::path& path) {
  return {ErrorCode::kExists, "cannot make " + path.string() + ": a file is there already"};
}

}  // namespace

AtomicFile::AtomicFile(FileDescriptor fd, FileDescriptor folder, std::filesystem::path path,
                       std::filesystem::path temporary, SaveOptions options)
    : fd_(std::move(fd)),
      folder_(std::move(folder)),
      path_(std::move(path)),
      temporary_(std::move(temporary)),
      options_(std::move(options)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      folder_(std::move(other.folder_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      options_(std::move(other.options_)),
      end_(other.end_) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) (void)unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::Create(const std::filesystem::path& path, SaveOptions options) {
  std::filesystem::path target = path;
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0) {
    if (!options.replace) return NotNew(path);
    if (S_ISDIR(status.st_mode)) return IoError("write", path, EISDIR);
    if (!S_ISREG(status.st_mode)) {  // a rename would replace /dev/null
      return Error{ErrorCode::kIo, "cannot write " + path.string() + ": not a regular file"};
    }
    std::error_code failed;
    target = std::filesystem::canonical(path, failed);
    if (failed) return IoError("write", path, failed.value());
  } else if (errno != ENOENT || path.filename().empty()) {
    return IoError("write", path, path.empty() ? ENOENT : errno == ENOENT ? EISDIR : errno);
  }
  std::filesystem::path folder_path = target.parent_path();
  if (folder_path.empty()) folder_path = ".";
  FileDescriptor folder(open(folder_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() && errno != EACCES) return IoError("write", path, errno);

  constexpr int kMode = 0666;  // the system takes the umask off
  FileDescriptor fd(open(folder_path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode));
  if (fd.is_open() && access(LinkableName(fd).c_str(), F_OK) == 0) {
    return AtomicFile(std::move(fd), std::move(folder), std::move(target), {}, std::move(options));
  }
  for (int i = 0; i < kMaxNamesTried; ++i) {
    std::filesystem::path temporary = TemporaryName(folder_path);
    FileDescriptor named(open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
    if (named.is_open()) {
      return AtomicFile(std::move(named), std::move(folder), std::move(target),
                        std::move(temporary), std::move(options));
    }
    if (errno != EEXIST) break;
  }
  return IoError("write", path, errno);
}

Status AtomicFile::Append(std::span<const std::byte> bytes) {
  Status written = WriteAll(fd_, path_, end_, bytes);
  if (written) end_ += bytes.size();
  return written;
}

Status AtomicFile::Overwrite(uint64_t offset, std::span<const std::byte> bytes) {
  return WriteAll(fd_, path_, offset, bytes);
}

Status AtomicFile::Commit() {
  if (options_.replace) {
    if (Status taken = TakeAfterReplaced(); !taken) return taken;
  }
  if (fsync(fd_.get()) != 0) return IoError("flush", path_, errno);
  if (Status named = GiveName(); !named) return named;
  temporary_.clear();
  // EINVAL: a file system whose folders cannot be flushed. A folder we may write but not read
  // cannot be opened to be flushed, either.
  if (folder_.is_open() && fsync(folder_.get()) != 0 && errno != EINVAL) {
    return Error{ErrorCode::kNotFlushed, IoError("flush the folder of", path_, errno).message +
                                             " (the file itself is complete and in place)"};
  }
  return Ok();
}

Status AtomicFile::TakeAfterReplaced() {
  struct stat replaced = {};
  struct stat ours = {};
  if (stat(path_.c_str(), &replaced) != 0) return Ok();  // nothing there
  if (fstat(fd_.get(), &ours) != 0) return IoError("write", path_, errno);
  mode_t mode = replaced.st_mode & 0777;
  if (ours.st_uid != replaced.st_uid || ours.st_gid != replaced.st_gid) {
    // Only root may give files away, and others only to a group of theirs. Where the group cannot
    // be kept its rights must not pass to another one.
    if (fchown(fd_.get(), replaced.st_uid, replaced.st_gid) != 0 &&
        fchown(fd_.get(), static_cast<uid_t>(-1), replaced.st_gid) != 0) {
      mode &= ~static_cast<mode_t>(S_IRWXG);
    }
  }
  if (fchmod(fd_.get(), mode) != 0 && errno != EPERM) {
    return IoError("write", path_, errno);
  }
  return Ok();
}

Status AtomicFile::GiveName() {
  const auto check = [this] { return options_.check ? options_.check() : Ok(); };
  if (Status checked = check(); !checked) return checked;
  if (!options_.replace) {
    if (TakeFreeName() == 0) return Ok();
    return errno == EEXIST ? NotNew(path_) : IoError("write", path_, errno);
  }
  if (temporary_.empty()) {
    if (LinkAs(path_) == 0) return Ok();
    for (int i = 0; errno == EEXIST && temporary_.empty() && i < kMaxNamesTried; ++i) {
      std::filesystem::path name = TemporaryName(path_.parent_path());
      if (LinkAs(name) == 0) temporary_ = std::move(name);
    }
    if (temporary_.empty()) return IoError("write", path_, errno);
    // What has the path's name may have got it just now.
    if (Status checked = check(); !checked) return checked;
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return IoError("write", path_, errno);
  return Ok();
}

int AtomicFile::LinkAs(const std::filesystem::path& name) const {
  return linkat(AT_FDCWD, LinkableName(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
}

int AtomicFile::TakeFreeName() const {
  if (temporary_.empty()) return LinkAs(path_);
  const char* const from = temporary_.c_str();
  const char* const to = path_.c_str();
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno == EEXIST) return -1;
  // NFS and 9P take no flags, but link.
  if (linkat(AT_FDCWD, from, AT_FDCWD, to, 0) == 0) {
    (void)unlink(from);
    return 0;
  }
  if (errno == EEXIST) return -1;
  // Some FUSE file systems do neither.
  if (!FileDescriptor(open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)).is_open()) return -1;
  if (rename(from, to) == 0) return 0;
  const int failed = errno;
  (void)unlink(to);
  errno = failed;
  return -1;
}

}  // namespace trommel
