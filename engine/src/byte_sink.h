// Where a snapshot is written to: bytes one after the other, and the header over its place at last.
#ifndef TROMMEL_ENGINE_SRC_BYTE_SINK_H_
#define TROMMEL_ENGINE_SRC_BYTE_SINK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trommel/result.h"

namespace trommel {

class ByteSink {
 public:
  virtual ~ByteSink() = default;

  virtual Status Append(std::span<const std::byte> bytes) = 0;
  // Over bytes appended before.
  virtual Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) = 0;
};

// Writes to memory.
class VectorSink final : public ByteSink {
 public:
  Status Append(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return Ok();
  }
  Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    return Ok();
  }

  void Reserve(uint64_t num_bytes) { bytes_.reserve(num_bytes); }
  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BYTE_SINK_H_
