// ShardContents: what a shard of a GrowingStore holds, in the one form that equal contents have.
#ifndef TROMMEL_ENGINE_SRC_GROWING_SHARD_CONTENTS_H_
#define TROMMEL_ENGINE_SRC_GROWING_SHARD_CONTENTS_H_

#include <cstdint>
#include <vector>

namespace trommel {

struct ValueCount {
  uint64_t value = 0;
  uint64_t count = 0;

  friend bool operator==(const ValueCount&, const ValueCount&) = default;
};

// A shard keeps whole digests, as strings (kernels/growing_layout.h), or their first bits, as
// values. Each is in `keys` once, ascending, and its copies beyond the first are in `further`,
// ascending; no count is 0.
struct ShardContents {
  bool keeps_digests = true;
  std::vector<uint64_t> keys;
  std::vector<ValueCount> further;

  friend bool operator==(const ShardContents&, const ShardContents&) = default;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_SHARD_CONTENTS_H_
