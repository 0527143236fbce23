// ShardContents: what a shard of a GrowingStore holds, in the one form that equal contents have.
#ifndef TROMMEL_ENGINE_SRC_GROWING_SHARD_CONTENTS_H_
#define TROMMEL_ENGINE_SRC_GROWING_SHARD_CONTENTS_H_

#include <cstdint>
#include <vector>

namespace trommel {

// A string of bits of y: the bits from the top, then a 1, then zeros. Sorted by this number, the
// strings of a block stand together.
struct StringCount {
  uint64_t string = 0;
  uint64_t count = 0;

  friend bool operator==(const StringCount&, const StringCount&) = default;
};

// No string begins another one. Each is in `digests` or `codes` once, and its copies beyond the
// first are in `further`.
struct ShardContents {
  // The shard has 2^depth blocks, and of its first num_split segments twice as many: the blocks
  // stand in the order of their prefixes. 0: it keeps digests.
  uint32_t depth = 0;
  uint64_t num_split = 0;
  std::vector<uint64_t> digests;      // as strings; ascending
  std::vector<uint32_t> block_sizes;  // the number of codes of each block
  std::vector<uint16_t> codes;        // of each block: ascending (growing_layout.h)
  std::vector<StringCount> further;   // ascending; no count is 0

  friend bool operator==(const ShardContents&, const ShardContents&) = default;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_SHARD_CONTENTS_H_
