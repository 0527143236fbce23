#include "engine/c/src/snapshots.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "engine/c/src/failures.h"
#include "engine/c/src/filter.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/structs.h"
#include "trommel/any_filter.h"
#include "trommel/c.h"

namespace trommel::c_abi {
namespace {

constexpr size_t kSinkBytes = size_t{1} << 20;  // of one call

uint64_t SizeOfSnapshot(int64_t num_bytes) {
  if (num_bytes < 0) {
    ThrowInvalid("num_bytes is " + std::to_string(num_bytes) + "; it must not be negative");
  }
  return static_cast<uint64_t>(num_bytes);
}

}  // namespace

LoadOptions LoadOptionsOf(const trommel_load_options* options) {
  if (options == nullptr) return {};
  const trommel_load_options given = Read(options, "options");
  if (given.type != TROMMEL_TYPE_ANY && TypeText(given.type) == "unknown") {
    ThrowInvalid("options.type is " + std::to_string(given.type) + "; it must be one of " +
                 "TROMMEL_TYPE_*");
  }
  return {given.type, given.memory_limit_bytes, DigestKeyOf(given.digest_key)};
}

SaveOptions SaveOptionsOf(const trommel_save_options* options) {
  if (options == nullptr) return {};
  const trommel_save_options given = Read(options, "options");
  if (given.metadata_bytes < 0 || (given.metadata == nullptr && given.metadata_bytes > 0)) {
    ThrowInvalid(given.metadata == nullptr ? "options.metadata is NULL"
                                           : "options.metadata_bytes is negative");
  }
  SaveOptions made;
  made.replace = given.keep_existing == 0;
  made.point_in_time = given.point_in_time != 0;
  made.metadata = {static_cast<const std::byte*>(given.metadata),
                   static_cast<size_t>(given.metadata_bytes)};
  return made;
}

SnapshotFile FileOf(const char* path) { return {&Required(path, "path")}; }

std::span<const std::byte> BytesOf(const void* bytes, int64_t num_bytes) {
  const uint64_t size = SizeOfSnapshot(num_bytes);
  if (size > 0 && bytes == nullptr) ThrowInvalid("bytes is NULL");
  return {static_cast<const std::byte*>(bytes), size};
}

int32_t SnapshotFile::Type() const { return static_cast<int32_t>(ValueOf(TypeOfFile(path))); }

int32_t SnapshotSource::Type() const { return static_cast<int32_t>(ValueOf(TypeOfSource(source))); }

CallbackSource::CallbackSource(trommel_source read, void* context, int64_t num_bytes)
    : read_(read), context_(context), num_bytes_(SizeOfSnapshot(num_bytes)) {
  if (read == nullptr) ThrowInvalid("source is NULL");
}

Status CallbackSource::ReadAt(uint64_t offset, std::span<std::byte> into) const {
  if (into.empty()) return Ok();
  const int32_t stopped =
      read_(context_, static_cast<int64_t>(offset), into.data(), static_cast<int64_t>(into.size()));
  if (stopped == 0) return Ok();
  return Error{ErrorCode::kIo, "the source returned " + std::to_string(stopped)};
}

void BufferSink::Put(uint64_t offset, std::span<const std::byte> bytes) noexcept {
  if (offset >= buffer_.size()) return;
  const size_t num_kept = std::min<uint64_t>(bytes.size(), buffer_.size() - offset);
  std::copy_n(bytes.data(), num_kept, buffer_.data() + offset);
}

Status BufferSink::Append(std::span<const std::byte> bytes) {
  Put(num_bytes_, bytes);
  num_bytes_ += bytes.size();
  return Ok();
}

Status BufferSink::Overwrite(uint64_t offset, std::span<const std::byte> bytes) {
  Put(offset, bytes);
  return Ok();
}

void BufferSink::CheckFits() const {
  if (num_bytes_ <= buffer_.size()) return;
  Throw(TROMMEL_BUFFER_TOO_SMALL, "buffer has " + std::to_string(buffer_.size()) +
                                      " bytes; it must have " + std::to_string(num_bytes_));
}

void CheckBuffer(const void* buffer, int64_t buffer_size, const int64_t* num_bytes) {
  Required(num_bytes, "num_bytes");
  if (buffer_size < 0) {
    ThrowInvalid("buffer_size is " + std::to_string(buffer_size) + "; it must not be negative");
  }
  if (buffer == nullptr && buffer_size > 0) ThrowInvalid("buffer is NULL");
}

void PassOn(trommel_sink sink, void* context, std::span<const std::byte> bytes) {
  if (sink == nullptr) ThrowInvalid("sink is NULL");
  while (!bytes.empty()) {
    const std::span part = bytes.first(std::min(bytes.size(), kSinkBytes));
    const int32_t stopped = sink(context, part.data(), static_cast<int64_t>(part.size()));
    if (stopped != 0) Throw(TROMMEL_IO, "the sink returned " + std::to_string(stopped));
    bytes = bytes.subspan(part.size());
  }
}

}  // namespace trommel::c_abi
