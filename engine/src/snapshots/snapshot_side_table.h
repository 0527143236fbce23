// Reading the side table section of a snapshot, entry by entry. Its bytes are untrusted.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_SIDE_TABLE_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_SIDE_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/src/blocks/block_store.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/result.h"

namespace trommel {

class SideTableReader {
 public:
  // The store's presence and counts are those of the snapshot, and have been audited.
  SideTableReader(const ByteSource& source, const SectionRecord& section, BlockStore& store)
      : source_(source), section_(section), store_(store), at_(section.offset) {}

  Status CheckSum() const;

  // Puts all entries into the store. Every one that is put is of a block that the counts mark as
  // promoted, in the canonical form, and fits the block's presence bits.
  Status ReadEntries();

  uint64_t num_entries() const { return num_entries_; }
  uint64_t num_keys() const { return num_keys_; }  // insertions less erasures in these blocks

 private:
  Status ReadEntry();
  Status PutEntry(const SideEntryHeader& entry);

  const ByteSource& source_;
  const SectionRecord& section_;
  BlockStore& store_;
  uint64_t at_;  // where in the file the current entry begins
  uint64_t last_block_ = 0;
  uint64_t num_entries_ = 0;
  uint64_t num_keys_ = 0;
  Checksum loaded_;  // of all that ReadEntries has read
  BlockStore::Counters counters_;
  std::array<std::byte, sizeof(BlockStore::Counters)> narrow_;  // the same as in the file
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_SIDE_TABLE_H_
