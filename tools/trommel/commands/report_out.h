// Where a report of a command goes: a file, which appears whole or not at all, or standard output.
#ifndef TROMMEL_TOOLS_REPORT_OUT_H_
#define TROMMEL_TOOLS_REPORT_OUT_H_

#include <optional>
#include <string>
#include <string_view>

#include "bench/sweep/run_file.h"
#include "tools/trommel/filters/file_lock.h"
#include "trommel/result.h"

namespace trommel::tool {

class ReportOut {
 public:
  static constexpr const char* kToStdout = "-";

  // `path` is a file or kToStdout; empty: no report is wanted. Made before the work: a path that
  // cannot be written fails at once, a file that is there is locked.
  static Result<ReportOut> Create(const std::string& path, const LockWait& wait);

  bool is_stdout() const { return is_stdout_; }
  bool is_wanted() const { return is_stdout_ || file_.has_value(); }
  Status Write(std::string_view text);  // once

 private:
  Status WriteFile(std::string_view text);

  std::string path_;
  std::optional<FileLock> lock_;
  std::optional<bench::RunFileWriter> file_;
  bool is_stdout_ = false;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_REPORT_OUT_H_
