// Filters as files.
#include "tools/trommel/filter_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/trommel/interrupt.h"
#include "tools/trommel/number_text.h"

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

Status CheckNoInput(const std::string& path, const std::vector<std::string>& inputs) {
  struct stat output = {};
  if (stat(path.c_str(), &output) != 0) return Ok();
  for (const std::string& input : inputs) {
    struct stat status = {};
    const bool is_stdin = input == "-";
    if ((is_stdin ? fstat(STDIN_FILENO, &status) : stat(input.c_str(), &status)) != 0) continue;
    if (status.st_dev == output.st_dev && status.st_ino == output.st_ino) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("the output {} is also an input{}", path,
                               is_stdin ? " (standard input)" : "")};
    }
  }
  return Ok();
}

Status CheckWritable(const std::string& path) {
  if (access(path.c_str(), W_OK) == 0 || errno == ENOENT) return Ok();
  return Error{ErrorCode::kIo, fmt::format("cannot write {}: {}", path, std::strerror(errno))};
}

Status SaveFilter(const CountingFilter& filter, const std::string& path) {
  const HoldInterrupts hold;
  if (Status saved = filter.Save(path); !saved.ok()) return Naming(path, saved.error());
  return Ok();
}

Result<FilterFile> FilterFile::Load(const std::string& path) {
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
  Result<CountingFilter> filter = CountingFilter::Load(real_path);
  if (!filter.ok()) return Naming(path, filter.error());
  return FilterFile(std::move(filter).value(), real_path, loaded);
}

FilterFile::FilterFile(CountingFilter filter, std::string path, const struct stat& loaded)
    : filter_(std::move(filter)), path_(std::move(path)), loaded_(loaded) {}

Status FilterFile::SaveBack() const {
  struct stat now = {};
  if (stat(path_.c_str(), &now) != 0 || !SameFile(now, loaded_)) {
    return Error{ErrorCode::kIo, fmt::format("{} was changed by another program meanwhile; nothing "
                                             "was written: run this again",
                                             path_)};
  }
  if (Status saved = SaveFilter(filter_, path_); !saved.ok()) return saved;
  // The file is whole and in place; on a file system without permissions this does nothing.
  [[maybe_unused]] const int ignored = chmod(path_.c_str(), loaded_.st_mode & 07777);
  return Ok();
}

Status CheckKeysFit(const CountingFilter& filter, KeyFormat format) {
  if (filter.digest_policy().kind == DigestKind::kCaller && !IsInteger(format)) {
    return Error{ErrorCode::kInvalidArgument,
                 "this filter was made of its program's own digests: give them as --keys u64 or "
                 "raw64"};
  }
  return Ok();
}

void DescribeFilter(const CountingFilter& filter, Report& report) {
  const Geometry& geometry = filter.geometry();
  const DigestPolicy& digest = filter.digest_policy();
  const Stats stats = filter.GetStats();
  const auto num_blocks = static_cast<double>(geometry.num_blocks);
  report.Add("num_keys", stats.num_keys, "keys",
             filter.capacity() == 0 ? FormatCount(stats.num_keys)
                                    : fmt::format("{} (sized for {})", FormatCount(stats.num_keys),
                                                  FormatCount(filter.capacity())));
  report.AddField("capacity", filter.capacity());
  report.Add("current_fpr", stats.current_fpr, "false positives",
             fmt::format("{} now; {} predicted for this many distinct keys",
                         FormatRate(stats.current_fpr, stats.predicted_fpr),
                         FormatRate(stats.predicted_fpr, stats.current_fpr)));
  report.AddField("predicted_fpr", stats.predicted_fpr);
  report.AddField("target_fpr", filter.target_fpr());
  report.Add("fill_ratio", stats.fill_ratio, "fill", FormatRate(stats.fill_ratio));
  report.Add("num_bytes", stats.num_bytes, "memory",
             stats.num_keys == 0
                 ? FormatBytes(stats.num_bytes)
                 : fmt::format("{}, {:.1f} bits a key", FormatBytes(stats.num_bytes),
                               static_cast<double>(stats.num_bytes) * 8 /
                                   static_cast<double>(stats.num_keys)));
  report.AddField("side_table_bytes", stats.side_table_bytes);
  report.Add("num_promoted", stats.num_promoted, "promoted blocks",
             fmt::format("{} of {} ({})", FormatCount(stats.num_promoted),
                         FormatCount(geometry.num_blocks),
                         FormatRate(static_cast<double>(stats.num_promoted) / num_blocks)));
  report.Add("num_refused_erases", stats.num_refused_erases, "refused erases",
             FormatCount(stats.num_refused_erases));
  report.Add("num_blocks", geometry.num_blocks, "geometry",
             fmt::format("{} of {} slices, {}", FormatCount(geometry.num_blocks, "block"),
                         geometry.num_slices, EncodingName(geometry.encoding)));
  report.AddField("num_slices", geometry.num_slices);
  report.AddField("shard_bits", geometry.shard_bits);
  report.AddField("encoding", std::string(EncodingName(geometry.encoding)));
  report.Add("digest", std::string(DigestKindName(digest.kind)), "digest",
             fmt::format("{}, seed {}", DigestKindName(digest.kind), digest.seed));
  report.AddField("seed", digest.seed);
}

}  // namespace trommel::tool
