// Where a snapshot is read from: a known number of bytes, copied out by offset. Copied, not mapped:
// what was checked is then our own, and a file that another program changes or cuts meanwhile can
// neither change it afterwards nor end the process with SIGBUS.
#ifndef TROMMEL_ENGINE_SRC_DISK_BYTE_SOURCE_H_
#define TROMMEL_ENGINE_SRC_DISK_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/src/disk/file_descriptor.h"
#include "trommel/result.h"

namespace trommel {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual uint64_t num_bytes() const = 0;
  // Fills `into`; offset + into.size() must not exceed num_bytes().
  virtual Status ReadAt(uint64_t offset, std::span<std::byte> into) const = 0;
};

// Memory of the caller's.
class SpanSource final : public ByteSource {
 public:
  explicit SpanSource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t num_bytes() const override { return bytes_.size(); }
  Status ReadAt(uint64_t offset, std::span<std::byte> into) const override;

 private:
  std::span<const std::byte> bytes_;
};

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
