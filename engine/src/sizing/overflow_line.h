// The overflow line that a group of blocks shares (fingerprints/wide_store.h), for the models of
// sizing.
#ifndef TROMMEL_ENGINE_SRC_SIZING_OVERFLOW_LINE_H_
#define TROMMEL_ENGINE_SRC_SIZING_OVERFLOW_LINE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace trommel {

inline constexpr uint64_t kBlocksOfGroup = 64;
inline constexpr size_t kEntriesOfLine = 18;

// P(sum = i) for sums that a line holds: distributions that are cut off behind it.
using LineSums = std::array<double, kEntriesOfLine + 1>;

// The sum of num_blocks independent terms, each with the distribution `block`.
LineSums SumOfBlocks(LineSums block, uint64_t num_blocks) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIZING_OVERFLOW_LINE_H_
