// Keys are cut and counted when all have come.
#include "tools/index/rows/row_sample.h"

#include <algorithm>
#include <string_view>

#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel::tool {
std::vector<std::string> KeySample::Splits(size_t num_regions) const {
  std::vector<std::string> keys = keys_.items();
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
