// KeySample: where a table should be cut into regions, and how many keys are different.
#ifndef TROMMEL_TOOLS_INDEX_KEY_SAMPLE_H_
#define TROMMEL_TOOLS_INDEX_KEY_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/index/rows/reservoir.h"

namespace trommel::tool {

// Not thread-safe.
class KeySample {
 public:
  explicit KeySample(size_t most_keys = 200'000) : keys_(most_keys) {}

  void Add(std::string_view key) { keys_.Add(key); }

  // Keys that cut the sampled ones into num_regions ranges of about the same number, strictly
  // ascending. Fewer where there are not enough different keys.
  std::vector<std::string> Splits(size_t num_regions) const;

 private:
  Reservoir<std::string> keys_;
};

// Counts different keys by their digests: two keys have the same one with probability 2^-64. 8
// bytes per key that is added.
class DifferentKeys {
 public:
  void Add(std::string_view key);
  uint64_t Count();

 private:
  std::vector<uint64_t> digests_;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_KEY_SAMPLE_H_
