// Long runs: the counts of one block of up to 63 keys as run strings of 64 bits, one a slice
// (kernels/run_slice.h), beside the block's presence bits. Which block, and where its strings lie,
// is the side table's affair.
//
// A block without keys has the closing 1 alone in each string here, not 0: so no string of a block
// in long runs is ever 0, and the first key is a key like any other.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_LONG_RUNS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_LONG_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace trommel {

// `runs` has one string for each slice of the block, `presence` are its presence words, and
// `counters` go slice by slice (kernels/layout.h).

// False, with runs in no state to use, if the counters hold more than kernels::kMaxLongRunKeys
// keys, or not the same number in all slices.
bool MakeLongRuns(std::span<const uint64_t> counters, std::span<uint64_t> runs);
void CopyLongRuns(std::span<const uint64_t> runs, const uint32_t* presence,
                  std::span<uint64_t> counters);
uint64_t LongRunCount(std::span<const uint64_t> runs, const uint32_t* presence, uint64_t digest,
                      size_t slice_idx);

// One key more, in a block of fewer than kernels::kMaxLongRunKeys, and one key less, all of whose
// positions are present. Beside queries (kernels/presence_words.h).
void AddToLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs);
void TakeFromLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_LONG_RUNS_H_
