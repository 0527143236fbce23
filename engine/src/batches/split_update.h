// Large batches, owned range by owned range, in three steps, each of which is a set of independent
// tasks:
//
//   1. per chunk         hash the keys and split the digests by owned range (radix_split.h)
//   2. per owned range   apply its digest range of every chunk, in the order of the chunks
//   3. per chunk         return the answers to input order
//
//              chunk 0            chunk 1          chunk 2
//            | a | b | c |      | a | b | c |    | a | b | c |       after step 1
//   range a    ^------------------^----------------^  one task      step 2
//
// The blocks of an owned range are few enough to stay in the caches while all its digests are
// applied, and no two tasks share a block. A block gets its keys in input order, whatever the
// number of threads.
#ifndef TROMMEL_ENGINE_SRC_BATCHES_SPLIT_UPDATE_H_
#define TROMMEL_ENGINE_SRC_BATCHES_SPLIT_UPDATE_H_

#include <cstdint>
#include <optional>
#include <span>

#include "engine/src/base/block_memory.h"
#include "engine/src/batches/update_batch.h"

namespace trommel {

// What a round needs, 18 bytes per key: kept for the next rounds of a batch, since memory that the
// system hands out anew costs more than the split.
struct SplitMemory {
  ScratchArray<uint64_t> digests;
  ScratchArray<uint16_t> ranges;
  ScratchArray<uint64_t> split;
  ScratchArray<uint32_t> starts;
  ScratchArray<uint64_t> answers;
};

// As UpdateBatch, for the keys of one of its rounds. Returns nothing, and changes no key, if the
// system refuses the memory.
std::optional<UpdateOutcome> UpdateSplit(const BatchTarget& target, Update update, Keys keys,
                                         std::span<uint64_t> answers, SplitMemory& memory) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_SPLIT_UPDATE_H_
