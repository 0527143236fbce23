// User metadata behind a snapshot (FORMAT.md, section 19): bytes, then a trailer that tells how
// many.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_USER_METADATA_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_USER_METADATA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/snapshots/opened_snapshot.h"
#include "trommel/metadata.h"
#include "trommel/result.h"

namespace trommel {

// The metadata behind the snapshot in its source; nothing where there is no trailer, though the
// source may go on, or end too early: what reads the snapshot compares the sizes. Fails with
// kCorrupt if there is a trailer of something else, and as the source does.
Result<std::vector<std::byte>> MetadataBehind(const OpenedSnapshot& snapshot);

// Fails with kInvalidArgument for more than kMaxMetadataBytes.
Status CheckMetadata(std::span<const std::byte> metadata);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_USER_METADATA_H_
