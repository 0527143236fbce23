// Digest keys in files.
#include "tools/trommel/filters/key_file.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>

#include "tools/trommel/input/input_file.h"

namespace trommel::tool {
namespace {

bool IsStandardInput(const std::string& path) {
  struct stat named = {};
  struct stat input = {};
  return path == "-" || (stat(path.c_str(), &named) == 0 && fstat(STDIN_FILENO, &input) == 0 &&
                         named.st_dev == input.st_dev && named.st_ino == input.st_ino);
}

}  // namespace

Result<DigestKey> ReadKeyFile(const std::string& path) {
  if (IsStandardInput(path)) {
    return Error{ErrorCode::kInvalidArgument, "--key-file must name a file, not standard input"};
  }
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    return Error{ErrorCode::kIo, fmt::format("cannot read the key from {}: it is a folder", path)};
  }
  Result<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.error();
  std::array<char, DigestKey::kNumBytes + 1> bytes;  // one more, to see what is too long
  size_t num_bytes = 0;
  while (num_bytes < bytes.size()) {
    const Result<size_t> num_read = file->Read(std::span(bytes).subspan(num_bytes));
    if (!num_read.ok()) return num_read.error();
    if (*num_read == 0) break;
    num_bytes += *num_read;
  }
  if (num_bytes != DigestKey::kNumBytes) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} holds {} bytes; a key file must hold exactly {}: make one with "
                             "head -c {} /dev/urandom > FILE",
                             path,
                             num_bytes > DigestKey::kNumBytes
                                 ? fmt::format("more than {}", DigestKey::kNumBytes)
                                 : std::to_string(num_bytes),
                             DigestKey::kNumBytes, DigestKey::kNumBytes)};
  }
  const DigestKey key(std::as_bytes(std::span(bytes)).first<DigestKey::kNumBytes>());
  explicit_bzero(bytes.data(), bytes.size());
  return key;
}

Result<DigestKey> ReadGivenKey(const std::string& key_file) {
  return key_file.empty() ? DigestKey() : ReadKeyFile(key_file);
}

Result<FilterFile> LoadWithKey(const std::string& path, const std::string& key_file,
                               uint64_t memory_limit_bytes) {
  const Result<DigestKey> key = ReadGivenKey(key_file);
  if (!key.ok()) return key.error();
  return FilterFile::Load(path, *key, memory_limit_bytes);
}

Status CheckKeyGiven(const DigestPolicy& policy) {
  if (policy.kind != DigestKind::kSipHash || policy.can_hash()) return Ok();
  return Error{ErrorCode::kInvalidArgument,
               "this filter was made with --digest siphash: give the file of its key with "
               "--key-file"};
}

Status CheckCanHash(const DigestPolicy& policy, KeyFormat format) {
  if (policy.kind == DigestKind::kCaller && !IsInteger(format)) {
    return Error{ErrorCode::kInvalidArgument,
                 "this filter was made of its program's own digests: give them as --keys u64 or "
                 "raw64"};
  }
  return CheckKeyGiven(policy);
}

}  // namespace trommel::tool
