// Encodings of counts. Each is a table of functions: how a block lies in memory, which kernels work
// on it, and how a single block is decoded and encoded. All encodings have the same presence bits.
// A new encoding is a new table here, and changes nothing above it.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_ENCODING_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_ENCODING_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernels.h"
#include "trommel/sizing.h"

namespace trommel {

using BlockKernelsMember = const kernels::BlockKernels kernels::KernelTable::*;

// Requires of every function: num_slices is one that the encoding has.
struct BlockEncoding {
  // Whether a block's counts follow its presence words in one array of blocks. Else there are two
  // arrays.
  bool is_interleaved;
  // Words of counts per block. (Presence words: one per 32 counters.)
  size_t (*count_words)(size_t num_slices);

  // The member of a target's kernel table for blocks of num_slices slices.
  BlockKernelsMember (*kernels)(size_t num_slices);

  // `presence` is the block's presence words, `counts` its words of counts; counters are indexed
  // slice * positions + position, which is their bit among the presence words.
  bool (*is_promoted)(const uint32_t* presence, const uint32_t* counts, size_t num_slices);
  void (*mark_promoted)(uint32_t* counts, size_t num_slices);
  void (*decode)(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                 std::span<uint64_t> counters);
  bool (*fits)(std::span<const uint64_t> counters, size_t num_slices);
  bool (*has_drained)(std::span<const uint64_t> counters, size_t num_slices);
  // The same of counts as run strings, of all slices or of some: cheap enough to call after every
  // key.
  bool (*has_drained_runs)(std::span<const uint64_t> runs, size_t num_slices);
  // A block's counts as run strings, one per slice, and back. Null if the encoding has no runs.
  void (*unpack_runs)(const uint32_t* counts, size_t num_slices, std::span<uint64_t> runs);
  void (*pack_runs)(std::span<const uint64_t> runs, size_t num_slices, uint32_t* counts);
  void (*encode)(std::span<const uint64_t> counters, size_t num_slices, uint32_t* presence,
                 uint32_t* counts);
  uint32_t (*count_at)(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                       size_t slice_idx, uint32_t position);
};

// Requires a valid encoding.
const BlockEncoding& EncodingTable(Encoding encoding) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_ENCODING_H_
