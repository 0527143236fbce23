// Snapshots of counting filters: blocks and facts to bytes, and untrusted bytes to blocks and
// facts. The format is drawn in snapshot_format.h.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_H_

#include <cstdint>

#include "engine/src/blocks/block_store.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/snapshots/opened_snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

// What a filter knows beside its blocks.
struct FilterFacts {
  DigestPolicy policy;
  uint64_t capacity = 0;
  double target_fpr = 0;
  uint64_t num_keys = 0;
};

struct FilterContents {
  BlockStore store;
  FilterFacts facts;
};

// The size of the snapshot. Cost: one pass over the side table.
uint64_t SnapshotBytes(const BlockStore& store);

// Writes the canonical snapshot in one pass, straight from the store's memory. Fails as the sink
// does.
Status WriteSnapshot(const BlockStore& store, const FilterFacts& facts, ByteSink& sink);

// The header, whose every field could be a counting filter's of this file size. Fails with
// kCorrupt, kVersion or kMismatch.
Result<SnapshotHeader> ReadHeader(const OpenedSnapshot& snapshot);

// A whole valid filter. Fails as ReadHeader and ReadSections.
Result<FilterContents> ReadSnapshot(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                    const DigestKey& digest_key = {});

// The same of a header that ReadHeader returned. Fails with kInvalidArgument (as PolicyOfFile,
// before anything is read), kOutOfMemory (over limit_bytes; 0: the machine's memory), kCorrupt, and
// as the source does. Takes no memory for what the header claims before the source has it.
// `used_bytes` is what other parts of the same filter take of the limit already.
Result<FilterContents> ReadSections(const ByteSource& source, const SnapshotHeader& header,
                                    uint64_t limit_bytes, const DigestKey& digest_key,
                                    uint64_t used_bytes = 0);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_H_
