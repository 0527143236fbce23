// The seam between the engine and the ways of storing counts. An encoding is a table: how much
// memory a block takes, which kernels work on it, and how a single block is taken apart and put
// together. A second encoding with the same presence bits is a second table here, and nothing else
// above it.
#ifndef TROMMEL_ENGINE_SRC_ENCODING_H_
#define TROMMEL_ENGINE_SRC_ENCODING_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernels.h"
#include "trommel/sizing.h"

namespace trommel {

using BlockKernelsMember = const kernels::BlockKernels kernels::Kernels::*;

struct BlockEncoding {
  uint32_t count_words_per_slice;  // words of counts beside each 32-bit presence word

  // Where in a target's table the kernels for blocks of num_slices slices stand.
  BlockKernelsMember (*kernels)(size_t num_slices);

  // `counts` is the block's words of counts, `presence` its presence words; counters are indexed
  // slice * 32 + position.
  bool (*is_promoted)(const uint32_t* counts, size_t num_slices);
  void (*mark_promoted)(uint32_t* counts, size_t num_slices);
  void (*decode)(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                 std::span<uint64_t> counters);
  bool (*fits)(std::span<const uint64_t> counters, size_t num_slices);
  bool (*has_drained)(std::span<const uint64_t> counters, size_t num_slices);
  // The same of counts that are run strings, one a slice: cheap enough to ask after every key.
  bool (*has_drained_runs)(std::span<const uint64_t> runs);
  void (*encode)(std::span<const uint64_t> counters, size_t num_slices, uint32_t* presence,
                 uint32_t* counts);
  uint32_t (*count_at)(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                       size_t slice_idx, uint32_t position);
};

// The table of a valid geometry's encoding.
const BlockEncoding& EncodingTable(Encoding encoding) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ENCODING_H_
