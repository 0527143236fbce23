// Where snapshots come from and go to: files, memory, sinks.
#ifndef TROMMEL_ENGINE_C_SRC_SNAPSHOTS_H_
#define TROMMEL_ENGINE_C_SRC_SNAPSHOTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/c/src/failures.h"
#include "trommel/byte_stream.h"
#include "trommel/c.h"
#include "trommel/digest.h"
#include "trommel/result.h"
#include "trommel/save_options.h"

namespace trommel::c_abi {

struct LoadOptions {
  int32_t type = TROMMEL_TYPE_ANY;
  uint64_t memory_limit_bytes = 0;
  DigestKey digest_key;
};
// Keeps what fits, and counts all.
class BufferSink final : public ByteSink {
 public:
  explicit BufferSink(std::span<std::byte> buffer) noexcept : buffer_(buffer) {}

  Status Append(std::span<const std::byte> bytes) override;
  Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) override;

  uint64_t num_bytes() const noexcept { return num_bytes_; }
  // Throws Failure unless all did.
  void CheckFits() const;

 private:
  void Put(uint64_t offset, std::span<const std::byte> bytes) noexcept;

  std::span<std::byte> buffer_;
  uint64_t num_bytes_ = 0;
};

// `options` may be null: the defaults.
LoadOptions LoadOptionsOf(const trommel_load_options* options);
SaveOptions SaveOptionsOf(const trommel_save_options* options);

// Reads from a source of the caller's.
class CallbackSource final : public ByteSource {
 public:
  // Throws Failure for no function and for a negative size.
  CallbackSource(trommel_source read, void* context, int64_t num_bytes);

  uint64_t num_bytes() const override { return num_bytes_; }
  Status ReadAt(uint64_t offset, std::span<std::byte> into) const override;

 private:
  trommel_source read_;
  void* context_;
  uint64_t num_bytes_;
};

// Where a snapshot is: two classes with the same members.
struct SnapshotFile {
  const char* path;

  int32_t Type() const;
  template <class Filter>  // AnyFilter, too
  auto Load(const LoadOptions& options) const {
    return Filter::Load(path, options.memory_limit_bytes, options.digest_key);
  }
};
struct SnapshotSource {
  const ByteSource& source;

  int32_t Type() const;
  template <class Filter>  // AnyFilter, too
  auto Load(const LoadOptions& options) const {
    return Filter::LoadFrom(source, options.memory_limit_bytes, options.digest_key);
  }
};
SnapshotFile FileOf(const char* path);
std::span<const std::byte> BytesOf(const void* bytes, int64_t num_bytes);

// Checks a caller's buffer, which may be NULL with size 0: only the size is asked for.
void CheckBuffer(const void* buffer, int64_t buffer_size, const int64_t* num_bytes);

// Calls write(ByteSink), which returns a Status, and copies what it writes into the caller's
// buffer; says how much it is in any case.
template <class Write>
void WriteOut(void* buffer, int64_t buffer_size, int64_t* num_bytes, const Write& write) {
  CheckBuffer(buffer, buffer_size, num_bytes);
  BufferSink sink({static_cast<std::byte*>(buffer), static_cast<size_t>(buffer_size)});
  ValueOf(write(sink));
  *num_bytes = static_cast<int64_t>(sink.num_bytes());
  if (buffer != nullptr) sink.CheckFits();
}

void PassOn(trommel_sink sink, void* context, std::span<const std::byte> bytes);

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_SNAPSHOTS_H_
