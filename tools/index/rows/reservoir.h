// Reservoir: a sample in which each item of a sequence has the same chance to be (Vitter's
// algorithm R).
#ifndef TROMMEL_TOOLS_INDEX_RESERVOIR_H_
#define TROMMEL_TOOLS_INDEX_RESERVOIR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trommel::tool {

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

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_RESERVOIR_H_
