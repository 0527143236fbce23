// Long runs: the counts of one block of up to 63 keys as run strings of 64 bits, one per slice
// (kernels/run_slice.h), beside the block's presence bits. The side table keeps the strings.
//
// The strings of a block without keys are the closing 1 alone, not 0: so no string of a block in
// long runs is ever 0, and the first key is no special case.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_LONG_RUNS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_LONG_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace trommel {

// `runs` has one string per slice of the block, `presence` are its presence words, and `counters`
// lie slice by slice (kernels/layout.h).

// Returns false, and leaves `runs` unspecified, if the counters hold more than
// kernels::kMaxLongRunKeys keys, or not the same number in all slices.
bool MakeLongRuns(std::span<const uint64_t> counters, std::span<uint64_t> runs);
void CopyLongRuns(std::span<const uint64_t> runs, const uint32_t* presence,
                  std::span<uint64_t> counters);
uint64_t LongRunCount(std::span<const uint64_t> runs, const uint32_t* presence, uint64_t digest,
                      size_t slice_idx);

// Count one key more, which requires fewer than kernels::kMaxLongRunKeys, and one key less, which
// requires all its positions to be present. Thread safety: beside queries
// (kernels/presence_words.h).
void IncrementLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs);
void DecrementLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_LONG_RUNS_H_
