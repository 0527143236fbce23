// Byte sources of the library's own (trommel/byte_stream.h): files, and parts of other sources.
// Bytes are copied out, not mapped: what was checked is then our own, and a file that another
// program changes or cuts meanwhile can neither change it afterwards nor end the process with
// SIGBUS.
#ifndef TROMMEL_ENGINE_SRC_DISK_BYTE_SOURCE_H_
#define TROMMEL_ENGINE_SRC_DISK_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/src/disk/file_descriptor.h"
#include "trommel/byte_stream.h"
#include "trommel/result.h"

namespace trommel {

// A regular file.
class FileSource final : public ByteSource {
 public:
  // kIo if it cannot be opened or is anything but a regular file.
  static Result<FileSource> Open(const std::filesystem::path& path);

  uint64_t num_bytes() const override { return num_bytes_; }
  Status ReadAt(uint64_t offset, std::span<std::byte> into) const override;

 private:
  FileSource(FileDescriptor fd, uint64_t num_bytes, std::filesystem::path path)
      : fd_(std::move(fd)), num_bytes_(num_bytes), path_(std::move(path)) {}

  FileDescriptor fd_;
  uint64_t num_bytes_;
  std::filesystem::path path_;
};

// A range of another source, as a file of its own. The source must outlive it.
class PartSource final : public ByteSource {
 public:
  // The range must lie within the source.
  PartSource(const ByteSource& source, uint64_t offset, uint64_t num_bytes)
      : source_(source), offset_(offset), num_bytes_(num_bytes) {}

  uint64_t num_bytes() const override { return num_bytes_; }
  Status ReadAt(uint64_t offset, std::span<std::byte> into) const override {
    return source_.ReadAt(offset_ + offset, into);
  }

 private:
  const ByteSource& source_;
  uint64_t offset_;
  uint64_t num_bytes_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_DISK_BYTE_SOURCE_H_
