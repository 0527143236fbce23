// Inputs by read(2): no stream layer, no copy beyond the kernel's own.
#include "tools/trommel/input/input_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

Error IoError(std::string_view what, std::string_view name, int error_number) {
  return {ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, name, std::strerror(error_number))};
}

}  // namespace

Result<InputFile> InputFile::Open(const std::string& path) {
  const bool is_stdin = path == "-";
  const int fd = is_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return IoError("open", path, errno);
  InputFile file(fd, is_stdin ? "(stdin)" : path, false);
  struct stat status = {};
  if (fstat(fd, &status) != 0) return IoError("open", file.name_, errno);
  if (S_ISDIR(status.st_mode)) {
    const bool has_r = std::string_view(ProgramName()) == "trommel";
    return Error{ErrorCode::kIo, fmt::format("{} is a folder{}", path,
                                             has_r ? ": -r reads the files below it" : "")};
  }
  file.is_regular_ = S_ISREG(status.st_mode);
#ifdef POSIX_FADV_SEQUENTIAL
  if (file.is_regular_) posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
#ifdef F_SETPIPE_SZ
  // Larger pipes mean fewer switches between the writer and us; a refusal does no harm.
  if (S_ISFIFO(status.st_mode)) fcntl(fd, F_SETPIPE_SZ, 1 << 20);
#endif
  return file;
}

InputFile::InputFile(int fd, std::string name, bool is_regular) noexcept
    : fd_(fd), name_(std::move(name)), is_regular_(is_regular) {}

InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::move(other.name_)),
      is_regular_(other.is_regular_),
      decompressor_(std::exchange(other.decompressor_, std::nullopt)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  std::swap(is_regular_, other.is_regular_);
  std::swap(decompressor_, other.decompressor_);
  return *this;
}

InputFile::~InputFile() {
  if (fd_ > STDIN_FILENO && !decompressor_) close(fd_);
}

Status InputFile::Decompress(InputKind kind, std::string_view start) {
  Result<Decompressor> started = Decompressor::Start(kind, fd_, is_regular_, start, name_);
  if (!started.ok()) return started.error();
  if (fd_ > STDIN_FILENO) close(fd_);
  decompressor_.emplace(*std::move(started));
  fd_ = decompressor_->output();
  return Ok();
}

Result<size_t> InputFile::ReadOnce(std::span<char> buffer) {
  for (;;) {
    const bool can_wait = !is_regular_ || decompressor_;
    if (can_wait && !WaitForInput(fd_)) return Error{ErrorCode::kIo, "interrupted"};
    const ssize_t num_read = read(fd_, buffer.data(), buffer.size());
    if (num_read >= 0) return static_cast<size_t>(num_read);
    if (errno != EINTR) return IoError("read", name_, errno);
    if (NotedInterrupt() != 0) return Error{ErrorCode::kIo, "interrupted"};
  }
}

bool InputFile::HasMoreNow() const noexcept {
  if (is_regular_) return true;
  pollfd watched = {fd_, POLLIN, 0};
  return poll(&watched, 1, 0) > 0 && (watched.revents & POLLIN) != 0;
}

Result<size_t> InputFile::Read(std::span<char> buffer) {
  size_t num_read = 0;
  do {
    Result<size_t> piece = ReadOnce(buffer.subspan(num_read));
    if (!piece.ok()) return piece;
    if (*piece == 0) break;
    num_read += *piece;
  } while (num_read < buffer.size() && HasMoreNow());
  // A program that failed is told of behind all that it wrote.
  if (num_read == 0 && decompressor_) {
    if (Status ended = decompressor_->Finish(); !ended.ok()) return ended.error();
  }
  return num_read;
}

Result<std::vector<std::string>> FilesBelow(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  const auto is_closed = [](const fs::path& folder) { return access(folder.c_str(), R_OK) != 0; };
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (path == "-" || !fs::is_directory(path, failed) || is_closed(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> below;
    constexpr auto kOptions = fs::directory_options::skip_permission_denied;
    fs::recursive_directory_iterator each(path, kOptions, failed);
    for (; !failed && each != fs::end(each); each.increment(failed)) {
      std::error_code hidden;  // in a folder that can be listed, and no more
      const fs::file_type type = each->symlink_status(hidden).type();
      if (type == fs::file_type::regular || type == fs::file_type::none ||
          (type == fs::file_type::directory && is_closed(each->path()))) {
        below.push_back(each->path().string());
      }
    }
    if (failed) {
      return Error{ErrorCode::kIo,
                   fmt::format("cannot read the folder {}: {}", path, failed.message())};
    }
    std::ranges::sort(below);
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

std::optional<uint64_t> TotalBytes(const std::vector<std::string>& paths) {
  if (paths.empty()) return std::nullopt;
  uint64_t total = 0;
  for (const std::string& path : paths) {
    struct stat status = {};
    if (path == "-" || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      return std::nullopt;
    }
    total += static_cast<uint64_t>(status.st_size);
  }
  return total;
}

std::optional<uint64_t> TotalTextBytes(const std::vector<std::string>& paths) {
  const std::optional<uint64_t> total = TotalBytes(paths);
  if (!total) return total;
  for (const std::string& path : paths) {
    std::array<char, 16> start;
    Result<InputFile> file = InputFile::Open(path);
    const Result<size_t> num_read = file.ok() ? file->Read(start) : Result<size_t>(size_t{0});
    const std::string_view text(start.data(), num_read.ok() ? *num_read : 0);
    if (FindCompressed(KindOfNulRecords(text)) != nullptr) return std::nullopt;
  }
  return total;
}

}  // namespace trommel::tool
