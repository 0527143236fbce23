// ComparingSink: whether what is written to it is the same as bytes that exist already.
#ifndef TROMMEL_ENGINE_SRC_DISK_COMPARING_SINK_H_
#define TROMMEL_ENGINE_SRC_DISK_COMPARING_SINK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/result.h"

namespace trommel {

// Keeps what differs, because it may be written over: headers and tables. Where more differs than
// they can be, the contents do, which are written once, and the writing ends with an error.
class ComparingSink final : public ByteSink {
 public:
  // The bytes must outlive the sink.
  explicit ComparingSink(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // After the last byte: were all of them the same?
  bool are_same() const {
    return num_appended_ == bytes_.size() &&
           std::ranges::all_of(differing_, [&](const Part& part) { return IsSame(part); });
  }

  Status Append(std::span<const std::byte> bytes) override {
    const uint64_t offset = num_appended_;
    num_appended_ += bytes.size();
    if (num_appended_ > bytes_.size()) return Differ();
    return Take(offset, bytes);
  }
  Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) override {
    for (Part& part : differing_) {
      if (offset < part.offset || offset + bytes.size() > part.offset + part.bytes.size()) continue;
      std::ranges::copy(bytes,
                        part.bytes.begin() + static_cast<std::ptrdiff_t>(offset - part.offset));
      return Ok();
    }
    return Take(offset, bytes);
  }

 private:
  static constexpr size_t kMostKept = size_t{4} << 20;

  struct Part {
    uint64_t offset;
    std::vector<std::byte> bytes;
  };

  bool IsSame(const Part& part) const {
    return std::ranges::equal(part.bytes, bytes_.subspan(part.offset, part.bytes.size()));
  }
  Status Take(uint64_t offset, std::span<const std::byte> bytes) {
    if (std::ranges::equal(bytes, bytes_.subspan(offset, bytes.size()))) return Ok();
    num_kept_ += bytes.size();
    if (num_kept_ > kMostKept) return Differ();
    differing_.push_back({offset, {bytes.begin(), bytes.end()}});
    return Ok();
  }
  static Status Differ() { return Error{ErrorCode::kMismatch, "the bytes differ"}; }

  std::span<const std::byte> bytes_;
  uint64_t num_appended_ = 0;
  std::vector<Part> differing_;
  size_t num_kept_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_DISK_COMPARING_SINK_H_
