// Outputs: what may be replaced is locked, what is new must be new.
#include "tools/trommel/filters/filter_output.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <utility>

namespace trommel::tool {

FilterOutput::FilterOutput(Kind kind, std::string path, LockWait wait, std::optional<FileLock> lock)
    : kind_(kind), path_(std::move(path)), wait_(wait), lock_(std::move(lock)) {}

Result<FilterOutput> FilterOutput::Claim(const OutputOptions& options,
                                         const std::vector<std::string>& inputs, bool quiet) {
  const LockWait wait = {.seconds = options.wait_seconds, .quiet = quiet};
  if (Status apart = CheckNoInput(options.path, inputs); !apart.ok()) return apart.error();
  if (Status free = CheckNewFile(options.path, options.force); !free.ok()) return free.error();
  if (!options.force) return FilterOutput(Kind::kNew, options.path, wait, std::nullopt);
  Result<FileLock> lock = FileLock::Take(options.path, wait, Unopenable::kIsLeftUnlocked);
  if (!lock.ok()) return lock.error();
  return FilterOutput(Kind::kForced, options.path, wait, *std::move(lock));
}

Result<FilterOutput> FilterOutput::ClaimUpdate(const std::string& filter,
                                               const OutputOptions& options,
                                               std::vector<std::string> inputs, bool quiet) {
  if (!options.path.empty()) {
    inputs.push_back(filter);
    return Claim(options, inputs, quiet);
  }
  if (Status apart = CheckNoInput(filter, inputs, "filter"); !apart.ok()) return apart.error();
  if (Status writable = CheckWritable(filter); !writable.ok()) return writable.error();
  const LockWait wait = {.seconds = options.wait_seconds, .quiet = quiet};
  Result<FileLock> lock = FileLock::Take(filter, wait);
  if (!lock.ok()) return lock.error();
  return FilterOutput(Kind::kOwn, filter, wait, *std::move(lock));
}

Status FilterOutput::Save(const AnyFilter& filter, std::span<const std::byte> metadata) {
  if (kind_ == Kind::kForced) return SaveForced(filter, metadata);
  Status saved = SaveFilter(filter, path_, {.replace = false, .metadata = metadata});
  if (saved.ok() || saved.error().code != ErrorCode::kExists) return saved;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} was made by another program meanwhile; nothing was written: --force "
                           "overwrites it",
                           path_)};
}

Status FilterOutput::Save(const FilterFile& file) {
  if (kind_ == Kind::kOwn) return file.SaveBack(*lock_);
  return Save(file.filter(), file.metadata());
}

Status FilterOutput::SaveForced(const AnyFilter& filter, std::span<const std::byte> metadata) {
  for (;;) {
    // A file that appears now has not been locked. (What is there and is no file is a symbolic
    // link that leads nowhere, or will be refused.)
    struct stat ignored = {};
    const bool is_new = !lock_->is_held() && lstat(path_.c_str(), &ignored) != 0;
    const auto check = [this]() -> Status {
      if (lock_->IsCurrent()) return Ok();
      return Error{ErrorCode::kExists, fmt::format("{} is another file by now", path_)};
    };
    Status saved =
        SaveFilter(filter, path_, {.replace = !is_new, .check = check, .metadata = metadata});
    if (saved.ok() || saved.error().code != ErrorCode::kExists) return saved;
    lock_.reset();
    Result<FileLock> lock = FileLock::Take(path_, wait_, Unopenable::kIsLeftUnlocked);
    if (!lock.ok()) return lock.error();
    lock_.emplace(*std::move(lock));
  }
}

}  // namespace trommel::tool
