// Where snapshots come from and go to: files, memory, sinks.
#ifndef TROMMEL_ENGINE_C_SRC_SNAPSHOTS_H_
#define TROMMEL_ENGINE_C_SRC_SNAPSHOTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "engine/c/src/failures.h"
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
// `options` may be null: the defaults.
LoadOptions LoadOptionsOf(const trommel_load_options* options);
SaveOptions SaveOptionsOf(const trommel_save_options* options);

// Two sources with the same members.
struct SnapshotFile {
  const char* path;

  int32_t Type() const;
  template <class Filter>
  Result<Filter> Load(const LoadOptions& options) const {
    return Filter::Load(path, options.memory_limit_bytes, options.digest_key);
  }
};
struct SnapshotBytes {
  std::span<const std::byte> bytes;

  int32_t Type() const;
  template <class Filter>
  Result<Filter> Load(const LoadOptions& options) const {
    return Filter::Deserialize(bytes, options.memory_limit_bytes, options.digest_key);
  }
};
SnapshotFile FileOf(const char* path);
SnapshotBytes BytesOf(const void* bytes, int64_t num_bytes);

// Copies what serialize() returns into the caller's buffer, or only says how much it is.
template <class Serialize>
void CopyOut(void* buffer, int64_t buffer_size, int64_t* num_bytes, const Serialize& serialize) {
  int64_t& size = Required(num_bytes, "num_bytes");
  if (buffer_size < 0) {
    ThrowInvalid("buffer_size is " + std::to_string(buffer_size) + "; it must not be negative");
  }
  if (buffer == nullptr && buffer_size > 0) ThrowInvalid("buffer is NULL");
  const std::vector<std::byte> bytes = serialize();
  size = static_cast<int64_t>(bytes.size());
  if (buffer == nullptr) return;
  if (buffer_size < size) {
    Throw(TROMMEL_BUFFER_TOO_SMALL, "buffer has " + std::to_string(buffer_size) +
                                        " bytes; it must have " + std::to_string(size));
  }
  std::memcpy(buffer, bytes.data(), bytes.size());
}

void PassOn(trommel_sink sink, void* context, std::span<const std::byte> bytes);

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_SNAPSHOTS_H_
