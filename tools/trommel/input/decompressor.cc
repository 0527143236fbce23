// A regular file is the program's standard input. A pipe, of which the beginning was read already,
// goes through cat, behind that beginning, which fits an empty pipe:
//
//   file  -> gzip -> output_              pipe -> cat -> [ start | rest ] -> gzip -> output_
#include "tools/trommel/input/decompressor.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace trommel::tool {
namespace {

// Closes itself; not passed on to programs, but as what they were given.
class PipeEnd {
 public:
  explicit PipeEnd(int fd = -1) : fd_(fd) {}
  PipeEnd(PipeEnd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  PipeEnd& operator=(PipeEnd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~PipeEnd() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

struct Pipe {
  PipeEnd read;
  PipeEnd write;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) {
    return Error{ErrorCode::kIo, fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  }
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return Pipe{PipeEnd(ends[0]), PipeEnd(ends[1])};
}

// What the program said first, or how it ended.
std::string Complaint(int errors, int status) {
  std::array<char, 512> text;
  const ssize_t num_read = read(errors, text.data(), text.size());
  std::string line(text.data(), num_read > 0 ? static_cast<size_t>(num_read) : 0);
  line.erase(0, line.find_first_not_of('\n'));  // gzip begins a new line
  line = line.substr(0, line.find('\n'));
  if (!line.empty()) return line;
  return WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                             : fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

Result<Decompressor> Decompressor::Start(InputKind kind, int fd, bool is_regular,
                                         std::string_view start, const std::string& name) {
  const CompressedKind* const format = FindCompressed(kind);
  Decompressor started;
  started.name_ = name;
  started.what_ = fmt::format("{} data", format->name);
  Result<Pipe> output = MakePipe();
  Result<Pipe> errors = MakePipe();
  if (!output.ok()) return output.error();
  if (!errors.ok()) return errors.error();
  PipeEnd rest;
  int input = fd;
  if (is_regular) {
    if (lseek(fd, -static_cast<off_t>(start.size()), SEEK_CUR) < 0) {
      return Error{ErrorCode::kIo, fmt::format("cannot read {}: {}", name, std::strerror(errno))};
    }
  } else {
    Result<Pipe> joined = MakePipe();
    if (!joined.ok()) return joined.error();
    if (write(joined->write.get(), start.data(), start.size()) !=
        static_cast<ssize_t>(start.size())) {
      return Error{ErrorCode::kIo, fmt::format("cannot read {}: {}", name, std::strerror(errno))};
    }
    const Status passed = started.Spawn({"cat"}, fd, joined->write.get(), errors->write.get());
    if (!passed.ok()) return passed.error();
    rest = std::move(joined->read);
    input = rest.get();
  }
  const Status begun =
      started.Spawn({format->program, "-dc"}, input, output->write.get(), errors->write.get());
  if (!begun.ok()) return begun.error();
#ifdef F_SETPIPE_SZ
  fcntl(output->read.get(), F_SETPIPE_SZ, 1 << 20);  // fewer switches; a refusal does no harm
#endif
  // cat, which has the other end, too, may wait for input still.
  fcntl(errors->read.get(), F_SETFL, O_NONBLOCK);
  started.output_ = output->read.Release();
  started.errors_ = errors->read.Release();
  return started;
}

Status Decompressor::Spawn(const std::vector<const char*>& arguments, int input, int output,
                           int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  std::vector<char*> argv;
  for (const char* argument : arguments) argv.push_back(const_cast<char*>(argument));
  argv.push_back(nullptr);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == 0) {
    children_.push_back(child);
    return Ok();
  }
  return Error{ErrorCode::kIo,
               fmt::format("{}: {}, and the program {}, which reads it, cannot be run: {}", name_,
                           what_, argv[0], std::strerror(failed))};
}

Decompressor::Decompressor(Decompressor&& other) noexcept
    : name_(std::move(other.name_)),
      what_(std::move(other.what_)),
      children_(std::exchange(other.children_, {})),
      output_(std::exchange(other.output_, -1)),
      errors_(std::exchange(other.errors_, -1)) {}

Decompressor& Decompressor::operator=(Decompressor&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(what_, other.what_);
  std::swap(children_, other.children_);
  std::swap(output_, other.output_);
  std::swap(errors_, other.errors_);
  return *this;
}

Decompressor::~Decompressor() {
  for (const pid_t child : children_) {
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (output_ >= 0) close(output_);
  if (errors_ >= 0) close(errors_);
}

Status Decompressor::Finish() {
  if (children_.empty()) return Ok();
  int status = 0;
  while (waitpid(children_.back(), &status, 0) < 0 && errno == EINTR) {
  }
  children_.pop_back();
  const std::string complaint = Complaint(errors_, status);
  // bzip2 exits with 0 where a stream is followed by what is none, such as a damaged one.
  const bool reads_all = complaint.find("trailing garbage") == std::string::npos;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && reads_all) return Ok();
  return Error{ErrorCode::kCorrupt,
               fmt::format("{}: {} that is damaged or cut short ({})", name_, what_, complaint)};
}

}  // namespace trommel::tool
