// The seam between the engine and the ways of storing counts. An encoding is a table: how a block
// lies in memory, which kernels work on it, and how a single block is taken apart and put together.
// All encodings have the same presence bits; another one is another table here, and nothing else
// above it.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_ENCODING_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_ENCODING_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernels.h"
#include "trommel/sizing.h"

namespace trommel {

using BlockKernelsMember = const kernels::BlockKernels kernels::Kernels::*;

// Shapes are named by their slices; `num_slices` must be one of the encoding's.
struct BlockEncoding {
  // Whether a block's counts stand right behind its presence words, in one array of blocks. Else
  // there are two arrays.
  bool is_interleaved;
  // Words of counts of a block. Presence words there are as many as its counters / 32.
  size_t (*count_words)(size_t num_slices);

  // Where in a target's table the kernels for blocks of num_slices slices stand.
  BlockKernelsMember (*kernels)(size_t num_slices);

  // `presence` is the block's presence words, `counts` its words of counts; counters are indexed
  // slice * positions + position, which is their bit among the presence words.
  bool (*is_promoted)(const uint32_t* presence, const uint32_t* counts, size_t num_slices);
  void (*mark_promoted)(uint32_t* counts, size_t num_slices);
  void (*decode)(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                 std::span<uint64_t> counters);
  bool (*fits)(std::span<const uint64_t> counters, size_t num_slices);
  bool (*has_drained)(std::span<const uint64_t> counters, size_t num_slices);
  // The same of counts that are run strings, one a slice or some of them: cheap enough to ask after
  // every key.
  bool (*has_drained_runs)(std::span<const uint64_t> runs, size_t num_slices);
  // A block's counts as run strings, one a slice, and back. Null where counts are none.
  void (*unpack_runs)(const uint32_t* counts, size_t num_slices, std::span<uint64_t> runs);
  void (*pack_runs)(std::span<const uint64_t> runs, size_t num_slices, uint32_t* counts);
  void (*encode)(std::span<const uint64_t> counters, size_t num_slices, uint32_t* presence,
                 uint32_t* counts);
  uint32_t (*count_at)(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                       size_t slice_idx, uint32_t position);
};

// The table of a valid geometry's encoding.
const BlockEncoding& EncodingTable(Encoding encoding) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_ENCODING_H_
