// Filters as files.
#include "tools/trommel/filters/filter_file.h"

#include <fmt/core.h>
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

}  // namespace trommel::tool
