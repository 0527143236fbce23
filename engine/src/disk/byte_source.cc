// A byte source: an open file.
#include "engine/src/disk/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace trommel {

Result<FileSource> FileSource::Open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe without a writer would wait for one.
  FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) return IoError("open", path, errno);
  struct stat status = {};
  if (fstat(fd.get(), &status) != 0) return IoError("read", path, errno);
  if (S_ISDIR(status.st_mode)) return IoError("read", path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::kIo, "cannot read " + path.string() + ": not a regular file"};
  }
  return FileSource(std::move(fd), static_cast<uint64_t>(status.st_size), path);
}

Status FileSource::ReadAt(uint64_t offset, std::span<std::byte> into) const {
  constexpr size_t kMaxRead = size_t{1} << 30;  // read() has a limit of its own near 2^31
  while (!into.empty()) {
    const ssize_t got =
        pread(fd_.get(), into.data(), std::min(into.size(), kMaxRead), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return IoError("read", path_, errno);
    if (got == 0) {
      return Error{ErrorCode::kIo, "cannot read " + path_.string() + ": it was cut at byte " +
                                       std::to_string(offset) + " while it was read"};
    }
    into = into.subspan(static_cast<size_t>(got));
    offset += static_cast<uint64_t>(got);
  }
  return Ok();
}

}  // namespace trommel
