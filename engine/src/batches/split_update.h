// Large batches, shard by shard. A pass has three steps, each a set of independent tasks:
//
//   1. chunk by chunk    hash the keys and split the digests by range (radix_split.h)
//   2. range by range    apply the range's run of every chunk, in the order of chunks
//   3. chunk by chunk    hand the answers back to input order
//
//              chunk 0            chunk 1          chunk 2
//            | a | b | c |      | a | b | c |    | a | b | c |       after step 1
//   range a    ^------------------^----------------^  one task      step 2
//
// An range's part of memory is small enough to stay near while all its runs are applied, and no two
// tasks share a block. Blocks see their keys in input order, whatever the number of threads.
#ifndef TROMMEL_ENGINE_SRC_BATCHES_SPLIT_UPDATE_H_
#define TROMMEL_ENGINE_SRC_BATCHES_SPLIT_UPDATE_H_

#include <cstdint>
#include <optional>
#include <span>

#include "engine/src/batches/update_batch.h"

namespace trommel {

// As UpdateBatch. Nothing, and nothing done, when the system refuses memory (18 bytes a key of a
// pass, and a pass is at most four keys a block); a system that overcommits seldom does.
std::optional<uint64_t> UpdateSplit(const UpdateTarget& target, Update update, Keys keys,
                                    std::span<uint64_t> answers) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_SPLIT_UPDATE_H_
