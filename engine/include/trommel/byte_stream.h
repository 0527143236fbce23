/// @file
/// ByteSink and ByteSource, through which files go to and come from anything but files.
#ifndef TROMMEL_BYTE_STREAM_H_
#define TROMMEL_BYTE_STREAM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "trommel/export.h"
#include "trommel/result.h"

namespace trommel {

/// Where a file is written to (CountingFilter::SaveTo): bytes one after the other, and the
/// headers over their places once what they describe is known. Derive from it for a store of your
/// own. A destination that cannot go back, such as a socket, needs the bytes of Serialize instead.
///
/// A sink's members are called by one thread, that of SaveTo. They must not throw. An error that
/// they return ends the writing, and SaveTo returns it.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  /// A hint, at most once and before anything is appended: about so many bytes will be
  /// appended in all.
  virtual void Reserve([[maybe_unused]] uint64_t num_bytes) {}
  /// Writes the bytes behind those that were appended before.
  virtual Status Append(std::span<const std::byte> bytes) = 0;
  /// Writes over bytes that were appended before, from this offset on.
  virtual Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) = 0;
};

/// Writes into a buffer of the caller.
class SpanSink final : public ByteSink {
 public:
  /// The buffer must outlive the sink.
  explicit SpanSink(std::span<std::byte> buffer) noexcept : buffer_(buffer) {}

  /// Fails with kOutOfMemory if the buffer has no space for the bytes.
  Status Append(std::span<const std::byte> bytes) override {
    if (bytes.size() > buffer_.size() - num_bytes_) {
      return Error{ErrorCode::kOutOfMemory, "the buffer has " + std::to_string(buffer_.size()) +
                                                " bytes, and the file has more than " +
                                                std::to_string(num_bytes_) +
                                                ": make it larger, or use Serialize"};
    }
    std::ranges::copy(bytes, buffer_.data() + num_bytes_);
    num_bytes_ += bytes.size();
    return Ok();
  }
  /// As ByteSink::Overwrite.
  Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, buffer_.data() + offset);
    return Ok();
  }

  /// Returns how many bytes were appended.
  size_t num_bytes() const noexcept { return num_bytes_; }

 private:
  std::span<std::byte> buffer_;
  size_t num_bytes_ = 0;
};

/// Where a file is read from (CountingFilter::LoadFrom): a known number of bytes, copied out by
/// offset. What was copied and checked is the filter's own, so bytes that change meanwhile can make
/// loading fail and do nothing worse.
///
/// A source's members are called by one thread, that of LoadFrom. They must not throw. An error
/// that they return ends the reading, and LoadFrom returns it.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Returns the number of bytes, always the same.
  virtual uint64_t num_bytes() const = 0;
  /// Fills `into` with the bytes from `offset` on, which are never more than there are.
  virtual Status ReadAt(uint64_t offset, std::span<std::byte> into) const = 0;
};

/// Reads from memory of the caller.
class SpanSource final : public ByteSource {
 public:
  /// The bytes must outlive the source.
  explicit SpanSource(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  /// Returns the number of bytes.
  uint64_t num_bytes() const override { return bytes_.size(); }
  /// As ByteSource::ReadAt.
  Status ReadAt(uint64_t offset, std::span<std::byte> into) const override {
    std::ranges::copy(bytes_.subspan(offset, into.size()), into.data());
    return Ok();
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace trommel

#endif  // TROMMEL_BYTE_STREAM_H_
