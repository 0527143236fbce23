// Filters as files.
#include "tools/trommel/filters/filter_file.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/trommel/output/report.h"
#include "trommel/metadata.h"

namespace trommel::tool {
namespace {

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// The library's message, with the path in front unless it names it already.
Error Naming(const std::string& path, Error error) {
  if (error.message.find(path) == std::string::npos) error.message = path + ": " + error.message;
  return error;
}

}  // namespace

Status CheckNewFile(const std::string& path, bool force) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("{} is a folder", path)};
    }
    if (!force) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{} exists: --force overwrites it", path)};
    }
  }
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  if (access(folder.c_str(), W_OK) != 0) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot write to folder {}: {}", folder, std::strerror(errno))};
  }
  return Ok();
}

Status CheckNoInput(const std::string& path, const std::vector<std::string>& inputs,
                    std::string_view what) {
  struct stat output = {};
  if (stat(path.c_str(), &output) != 0) return Ok();
  for (const std::string& input : inputs) {
    struct stat status = {};
    const bool is_stdin = input == "-";
    if ((is_stdin ? fstat(STDIN_FILENO, &status) : stat(input.c_str(), &status)) != 0) continue;
    if (status.st_dev == output.st_dev && status.st_ino == output.st_ino) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("the {} {} is also an input{}", what, path,
                               is_stdin ? " (standard input)" : "")};
    }
  }
  return Ok();
}

Status CheckWritable(const std::string& path) {
  if (access(path.c_str(), W_OK) == 0 || errno == ENOENT) return Ok();
  return Error{ErrorCode::kIo, fmt::format("cannot write {}: {}", path, std::strerror(errno))};
}

Status SaveFilter(const AnyFilter& filter, const std::string& path, const SaveOptions& options) {
  if (Status saved = filter.Save(path, options); !saved.ok()) {
    return Naming(path, saved.error());
  }
  return Ok();
}

Result<FilterFile> FilterFile::Load(const std::string& path, const DigestKey& digest_key,
                                    uint64_t memory_limit_bytes) {
  std::error_code ignored;
  const std::filesystem::path target = std::filesystem::canonical(path, ignored);
  const std::string real_path = ignored ? path : target.string();
  struct stat loaded = {};
  if (stat(real_path.c_str(), &loaded) != 0) {
    return Error{ErrorCode::kIo, fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  if (S_ISDIR(loaded.st_mode)) {
    return Error{ErrorCode::kIo, fmt::format("cannot read {}: {}", path, std::strerror(EISDIR))};
  }
  Result<AnyFilterPtr> filter = AnyFilter::Load(real_path, memory_limit_bytes, digest_key);
  if (!filter.ok()) {
    Error error = filter.error();
    // Only of this: what else a file's numbers are called is no option of the command that reads
    // it.
    if (error.code == ErrorCode::kOutOfMemory) error.message = NamingOptions(error.message);
    return Naming(path, std::move(error));
  }
  Result<std::vector<std::byte>> metadata = LoadMetadata(real_path);
  if (!metadata.ok()) return Naming(path, metadata.error());
  return FilterFile(*std::move(filter), *std::move(metadata), real_path, loaded);
}

FilterFile::FilterFile(AnyFilterPtr filter, std::vector<std::byte> metadata, std::string path,
                       const struct stat& loaded)
    : filter_(std::move(filter)),
      metadata_(std::move(metadata)),
      path_(std::move(path)),
      loaded_(loaded) {}

Status FilterFile::SaveBack(const FileLock& lock) const {
  const auto check = [&]() -> Status {
    struct stat now = {};
    if (lock.IsCurrent() && stat(path_.c_str(), &now) == 0 && SameFile(now, loaded_)) return Ok();
    return Error{ErrorCode::kIo, fmt::format("{} was changed by another program meanwhile; nothing "
                                             "was written: run this again",
                                             path_)};
  };
  return SaveFilter(*filter_, path_, {.check = check, .metadata = metadata_});
}

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
