// Filters as files: loading, saving without overwriting by accident, and updating in place. A
// command claims its output before the work.
#ifndef TROMMEL_TOOLS_FILTER_FILE_H_
#define TROMMEL_TOOLS_FILTER_FILE_H_

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/filters/file_lock.h"
#include "trommel/any_filter.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel::tool {

// Ok if a new file can be made at `path`: nothing is there (or `force`), and its folder can be
// written to. Asked before the work, so that it is not lost. Fails with kInvalidArgument or kIo.
Status CheckNewFile(const std::string& path, bool force);

// Ok unless `path` is the same file as one of `inputs` ("-" being standard input), which saving the
// filter would destroy. Fails with kInvalidArgument, calling the path `what`.
Status CheckNoInput(const std::string& path, const std::vector<std::string>& inputs,
                    std::string_view what = "output");

// Ok if this user may write to the file, or it is not there. Replacing a file asks only for its
// folder's permission, but read-only on the file is a wish too. Fails with kIo.
Status CheckWritable(const std::string& path);

// Saves it; what it fails with names the path.
Status SaveFilter(const AnyFilter& filter, const std::string& path,
                  const SaveOptions& options = {});

// A filter that was loaded from a file and may go back there.
class FilterFile {
 public:
  // Fails as AnyFilter::Load does, naming the path. `digest_key`: the filter's, or none. The limit
  // holds for what the filter grows to, too; 0: the machine's memory.
  static Result<FilterFile> Load(const std::string& path, const DigestKey& digest_key = {},
                                 uint64_t memory_limit_bytes = 0);

  AnyFilter& filter() noexcept { return *filter_; }
  const AnyFilter& filter() const noexcept { return *filter_; }

  // The file's user metadata, which commands that change the filter keep.
  const std::vector<std::byte>& metadata() const noexcept { return metadata_; }

  // Replaces the file atomically, keeping a symbolic link to it and its permissions (but none of
  // the group's where the group cannot be kept). `lock` was taken before it was loaded. Fails with
  // kIo and changes nothing if the file was changed since, or is not the one that is locked: not
  // every program takes locks. Looks right before it replaces the file.
  Status SaveBack(const FileLock& lock) const;

 private:
  FilterFile(AnyFilterPtr filter, std::vector<std::byte> metadata, std::string path,
             const struct stat& loaded);

  AnyFilterPtr filter_;
  std::vector<std::byte> metadata_;
  std::string path_;
  struct stat loaded_;
};

// FilterOutput: the file that a command makes or replaces, checked and locked before the work, so
// that neither the work nor another command's change is lost.

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

#endif  // TROMMEL_TOOLS_FILTER_FILE_H_
