// FileDescriptor: an open file that closes itself; and the one way file errors are worded.
#ifndef TROMMEL_ENGINE_SRC_DISK_FILE_DESCRIPTOR_H_
#define TROMMEL_ENGINE_SRC_DISK_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "trommel/result.h"

namespace trommel {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    // What must be on disk was flushed before: there is nothing left to learn from close().
    if (fd_ >= 0) (void)close(fd_);
  }

  int get() const noexcept { return fd_; }
  bool is_open() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

// "cannot read /tmp/a: Permission denied" (`number` is an errno).
inline Error IoError(std::string_view verb, const std::filesystem::path& path, int number) {
  return {.code = ErrorCode::kIo,
          .message = "cannot " + std::string(verb) + " " + path.string() + ": " +
                     std::generic_category().message(number)};
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_DISK_FILE_DESCRIPTOR_H_
