// Queries of two nested stores: the first says which digests are worth asking the large one for.
// Presence bits only, as BlockStore's queries.
#ifndef TROMMEL_ENGINE_SRC_BATCHES_NESTED_QUERY_H_
#define TROMMEL_ENGINE_SRC_BATCHES_NESTED_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/blocks/block_store.h"

namespace trommel {

// Both take at most kernels::kMaxChunkKeys digests, and answer "maybe present" where both stores
// do.

// Writes one word for every 64 digests; returns how many bits are set.
size_t QueryLayers(const BlockStore& first, const BlockStore& large,
                   std::span<const uint64_t> digests, uint64_t* maybe_present);

// Writes the ascending indices (plus first_idx) of the digests with that answer; `selection` must
// have room for all.
size_t SelectLayers(const BlockStore& first, const BlockStore& large,
                    std::span<const uint64_t> digests, bool maybe_present, uint32_t first_idx,
                    uint32_t* selection);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_NESTED_QUERY_H_
