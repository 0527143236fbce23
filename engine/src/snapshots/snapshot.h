// Snapshots of counting filters: blocks and facts to bytes, and bytes that nobody vouches for to
// blocks and facts. The format is drawn in snapshot_format.h.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_H_

#include <cstdint>

#include "engine/src/blocks/block_store.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
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

// A whole valid filter, or kVersion, kCorrupt, kOutOfMemory (over limit_bytes; 0: physical memory),
// kInvalidArgument (as PolicyOfFile, before anything else is read) or what the source says. Takes
// no memory for what the header claims before the source has it.
Result<FilterContents> ReadSnapshot(const ByteSource& source, uint64_t limit_bytes,
                                    const DigestKey& digest_key = {});

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_H_
