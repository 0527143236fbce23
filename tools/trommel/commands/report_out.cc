#include "tools/trommel/commands/report_out.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {

Result<ReportOut> ReportOut::Create(const std::string& path, const LockWait& wait) {
  ReportOut out;
  out.is_stdout_ = path == kToStdout;
  if (!path.empty() && !out.is_stdout_) {
    Result<FileLock> lock = FileLock::Take(path, wait, Unopenable::kIsLeftUnlocked);
    if (!lock.ok()) return lock.error();
    Result<bench::RunFileWriter> file = bench::RunFileWriter::Create(path);
    if (!file.ok()) return file.error();
    out.path_ = path;
    out.lock_.emplace(*std::move(lock));
    out.file_.emplace(std::move(*file));
  }
  return out;
}

Status ReportOut::Write(std::string_view text) {
  return file_ ? WriteFile(text) : WriteText(text, stdout);
}

// The writer replaces whatever has the name. So a name that was free is taken by an empty file
// first: of two programs only one can.
Status ReportOut::WriteFile(std::string_view text) {
  HoldInterrupts hold;
  struct stat ignored = {};
  const bool is_new = !lock_->is_held() && lstat(path_.c_str(), &ignored) != 0;
  bool is_ours = lock_->IsCurrent();
  if (is_ours && is_new) {
    const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) {
      return Error{ErrorCode::kIo, fmt::format("cannot write {}: {}", path_, std::strerror(errno))};
    }
    is_ours = fd >= 0;
    if (is_ours) close(fd);
  }
  if (!is_ours) {
    return Error{ErrorCode::kIo,
                 fmt::format("{} was made or changed by another program meanwhile; nothing was "
                             "written: run this again, or under another name",
                             path_)};
  }
  Status written = file_->Write(text);
  if (written.ok() || written.error().code == ErrorCode::kNotFlushed) {
    hold.DropForGood();
  } else if (is_new) {
    unlink(path_.c_str());
  }
  return written;
}

}  // namespace trommel::tool
