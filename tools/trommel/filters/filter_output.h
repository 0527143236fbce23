// FilterOutput: the file that a command makes or replaces, checked and locked before the work, so
// that neither the work nor another command's change is lost.
#ifndef TROMMEL_TOOLS_FILTER_OUTPUT_H_
#define TROMMEL_TOOLS_FILTER_OUTPUT_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/trommel/filters/file_lock.h"
#include "tools/trommel/filters/filter_file.h"
#include "trommel/any_filter.h"
#include "trommel/result.h"

namespace trommel::tool {

struct OutputOptions {
  std::string path;    // of a command that changes a file: empty for that file
  bool force = false;  // replace what is there
  double wait_seconds = LockWait{}.seconds;
};

class FilterOutput {
 public:
  // A file that is none of `inputs`. Fails as CheckNoInput, CheckNewFile and FileLock::Take do.
  static Result<FilterOutput> Claim(const OutputOptions& options,
                                    const std::vector<std::string>& inputs, bool quiet);

  // That of insert and erase: the output, if there is one, or else `filter` itself, which must be
  // loaded after this. Fails as Claim and CheckWritable do.
  static Result<FilterOutput> ClaimUpdate(const std::string& filter, const OutputOptions& options,
                                          std::vector<std::string> inputs, bool quiet);

  const std::string& path() const noexcept { return path_; }

  // Makes the file or, with --force, replaces what is there by now, locked again if that is another
  // one. Fails with kInvalidArgument where a file appeared meanwhile and there is no --force, and
  // as SaveFilter and FileLock::Take do.
  Status Save(const AnyFilter& filter, std::span<const std::byte> metadata = {});

  // The same for the filter that was loaded from `file`, with its metadata; its own file as
  // FilterFile::SaveBack does.
  Status Save(const FilterFile& file);

 private:
  enum class Kind { kNew, kForced, kOwn };

  FilterOutput(Kind kind, std::string path, LockWait wait, std::optional<FileLock> lock);

  Status SaveForced(const AnyFilter& filter, std::span<const std::byte> metadata);

  Kind kind_;
  std::string path_;
  LockWait wait_;
  std::optional<FileLock> lock_;  // none for a new file
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FILTER_OUTPUT_H_
