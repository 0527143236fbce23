// The audit of blocks, for loading snapshots: could inserts and erases have left these words? It
// works on whole words, to keep up with reading: a filter of 30 M keys has a million blocks.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_AUDIT_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_AUDIT_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/src/blocks/block_store.h"

namespace trommel {

struct BlockAudit {
  // The keys in blocks that are not promoted, and the number of promoted blocks.
  uint64_t num_keys = 0;
  uint64_t num_promoted = 0;
  // The first block that is not valid, and why.
  std::optional<uint64_t> bad_block;
  std::string_view reason;
};

// A block is valid if it has counts only at present positions (with runs: a run per present
// position, and no bits between the strings); if every slice holds the same number of keys, for
// each key adds one to each slice; and, promoted, if it has nothing but its marker. The presence
// bits and counters of promoted blocks are not checked.
BlockAudit AuditBlocks(const BlockStore& store);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_AUDIT_H_
