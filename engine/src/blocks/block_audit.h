// Are these the words of blocks that could have come about? The distrust of snapshots, at the speed
// of reading: whole words at a time, because a filter of 30 M keys has a million blocks.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_AUDIT_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_AUDIT_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/src/blocks/block_store.h"

namespace trommel {

struct BlockAudit {
  // Insertions less erasures of the blocks that are not promoted, and how many are promoted.
  uint64_t num_keys = 0;
  uint64_t num_promoted = 0;
  // The first block that is not valid, and why.
  std::optional<uint64_t> bad_block;
  std::string_view reason;
};

// Valid: counts only where presence is (and with runs a run for each present position, and nothing
// between the strings); every slice holds the same number of keys, for each key
// adds one to each slice; and a promoted block has nothing but its marker. Presence bits and
// counters of promoted blocks are not looked at.
BlockAudit AuditBlocks(const BlockStore& store);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_AUDIT_H_
