// The counters of one block, of any shape, counted one by one: what long runs and the side table
// must come to.
#ifndef TROMMEL_TESTS_SUPPORT_BLOCK_COUNTERS_H_
#define TROMMEL_TESTS_SUPPORT_BLOCK_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/layout.h"

namespace trommel::tests {

inline constexpr uint32_t kAllShapes[] = {4, 5, 8, 10, 16};

struct BlockCounters {
  explicit BlockCounters(size_t slices)
      : num_slices(slices), counters(slices * kernels::SlicePositions(slices)) {}

  uint64_t& At(uint64_t digest, size_t slice_idx) {
    return counters[slice_idx * kernels::SlicePositions(num_slices) +
                    kernels::Position(digest, slice_idx, num_slices)];
  }
  void Add(uint64_t digest) {
    for (size_t s = 0; s < num_slices; ++s) At(digest, s) += 1;
  }
  void Take(uint64_t digest) {
    for (size_t s = 0; s < num_slices; ++s) At(digest, s) -= 1;
  }
  uint64_t NumKeys() const {
    uint64_t num_keys = 0;
    for (size_t i = 0; i < kernels::SlicePositions(num_slices); ++i) num_keys += counters[i];
    return num_keys;
  }
  // Counter i is bit i.
  std::vector<uint32_t> PresenceWords() const {
    std::vector<uint32_t> words(counters.size() / 32);
    for (size_t i = 0; i < counters.size(); ++i) {
      if (counters[i] > 0) words[i / 32] |= uint32_t{1} << (i % 32);
    }
    return words;
  }

  size_t num_slices;
  std::vector<uint64_t> counters;  // slice by slice
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_BLOCK_COUNTERS_H_
