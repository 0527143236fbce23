// User metadata behind a snapshot (FORMAT.md, section 19): bytes, then a trailer that tells how
// many.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_USER_METADATA_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_USER_METADATA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/metadata.h"
#include "trommel/result.h"

namespace trommel {

// Where the snapshot of a source ends, and what stands behind it.
struct FoundMetadata {
  uint64_t snapshot_bytes = 0;
  std::vector<std::byte> metadata;
};

// Fails with kCorrupt if there is a trailer and it is not one of the bytes before it, and as the
// source does.
Result<FoundMetadata> FindMetadata(const ByteSource& source);

// Fails with kInvalidArgument for more than kMaxMetadataBytes.
Status CheckMetadata(std::span<const std::byte> metadata);
// Appends the metadata and the trailer; nothing if there is no metadata.
Status AppendMetadata(std::span<const std::byte> metadata, ByteSink& sink);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_USER_METADATA_H_
