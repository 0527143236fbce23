// Filters as files: loading, saving without overwriting by accident, and updating in place.
#ifndef TROMMEL_TOOLS_FILTER_FILE_H_
#define TROMMEL_TOOLS_FILTER_FILE_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/filters/file_lock.h"
#include "trommel/any_filter.h"
#include "trommel/digest.h"

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

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FILTER_FILE_H_
