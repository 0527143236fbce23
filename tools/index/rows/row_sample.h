// Samples of the rows and keys that pass by.
#ifndef TROMMEL_TOOLS_INDEX_ROW_SAMPLE_H_
#define TROMMEL_TOOLS_INDEX_ROW_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trommel::tool {

// Reservoir: a sample in which each item of a sequence has the same chance to be (Vitter's
// algorithm R).

// Not thread-safe. With the same items in the same order, the sample is the same.
template <typename Item>
class Reservoir {
 public:
  explicit Reservoir(size_t most_items) : most_items_(most_items) {}

  // `item` is copied only if it comes into the sample.
  template <typename Source>
  void Add(const Source& item) {
    ++num_added_;
    if (items_.size() < most_items_) {
      items_.emplace_back(item);
      return;
    }
    // xorshift64 (Marsaglia, "Xorshift RNGs", 2003): enough to spread a sample.
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    const uint64_t place = random_ % num_added_;
    if (place < items_.size()) items_[place] = item;
  }

  const std::vector<Item>& items() const noexcept { return items_; }
  uint64_t num_added() const noexcept { return num_added_; }

 private:
  size_t most_items_;
  std::vector<Item> items_;
  uint64_t num_added_ = 0;
  uint64_t random_ = 0x9E3779B97F4A7C15;
};

// KeySample: where a table should be cut into regions, and how many keys are different.

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

#endif  // TROMMEL_TOOLS_INDEX_ROW_SAMPLE_H_
