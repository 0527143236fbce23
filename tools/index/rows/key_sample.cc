// A reservoir and its quantiles.
#include "tools/index/rows/key_sample.h"

#include <algorithm>

#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel::tool {

void KeySample::Add(std::string_view key) {
  ++num_added_;
  if (keys_.size() < most_keys_) {
    keys_.emplace_back(key);
    return;
  }
  // xorshift64 (Marsaglia, "Xorshift RNGs", 2003): enough to spread a sample.
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  const uint64_t place = random_ % num_added_;
  if (place < keys_.size()) keys_[place] = key;
}

std::vector<std::string> KeySample::Splits(size_t num_regions) const {
  std::vector<std::string> keys = keys_;
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::string> splits;
  const size_t num_ranges = std::min(num_regions, keys.size());
  for (size_t range = 1; range < num_ranges; ++range) {
    splits.push_back(keys[range * keys.size() / num_ranges]);
  }
  return splits;
}

void DifferentKeys::Add(std::string_view key) {
  digests_.push_back(DigestPolicy{.kind = DigestKind::kXxh3}(Key(key)));
}

uint64_t DifferentKeys::Count() {
  std::ranges::sort(digests_);
  const auto end = std::unique(digests_.begin(), digests_.end());
  return static_cast<uint64_t>(end - digests_.begin());
}

}  // namespace trommel::tool
