// Byte sinks of the library's own (trommel/byte_stream.h): memory, and parts of other sinks.
#ifndef TROMMEL_ENGINE_SRC_DISK_BYTE_SINK_H_
#define TROMMEL_ENGINE_SRC_DISK_BYTE_SINK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/result.h"

namespace trommel {

// Writes to memory.
class VectorSink final : public ByteSink {
 public:
  void Reserve(uint64_t num_bytes) override { bytes_.reserve(num_bytes); }
  Status Append(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return Ok();
  }
  Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    return Ok();
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// What comes after the bytes that a sink already has, as a file of its own within the file.
class PartSink final : public ByteSink {
 public:
  // `offset`: the bytes appended to the sink so far. The sink must outlive the part.
  PartSink(ByteSink& sink, uint64_t offset) : sink_(sink), offset_(offset) {}

  Status Append(std::span<const std::byte> bytes) override { return sink_.Append(bytes); }
  Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) override {
    return sink_.Overwrite(offset_ + offset, bytes);
  }

 private:
  ByteSink& sink_;
  uint64_t offset_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_DISK_BYTE_SINK_H_
