// KeySample: where a table should be cut into regions, and how many keys are different.
#ifndef TROMMEL_TOOLS_INDEX_KEY_SAMPLE_H_
#define TROMMEL_TOOLS_INDEX_KEY_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trommel::tool {

// Not thread-safe. Each key has the same chance to be in the sample (Vitter's algorithm R); with
// the same keys in the same order, the sample is the same.
class KeySample {
 public:
  explicit KeySample(size_t most_keys = 200'000) : most_keys_(most_keys) {}

  void Add(std::string_view key);

  // Keys that cut the sampled ones into num_regions ranges of about the same number, strictly
  // ascending. Fewer where there are not enough different keys.
  std::vector<std::string> Splits(size_t num_regions) const;

 private:
  size_t most_keys_;
  std::vector<std::string> keys_;
  uint64_t num_added_ = 0;
  uint64_t random_ = 0x9E3779B97F4A7C15;
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
