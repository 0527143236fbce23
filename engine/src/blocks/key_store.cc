#include "engine/src/blocks/key_store.h"

#include <algorithm>
#include <array>

namespace trommel {

size_t KeyStore::Select(std::span<const uint64_t> digests, bool maybe_present, uint32_t first_idx,
                        uint32_t* selection) const {
  std::array<uint64_t, kBitmapWords> bits;
  size_t num_selected = 0;
  for (size_t first = 0; first < digests.size(); first += kernels::kMaxChunkKeys) {
    const size_t size = std::min(kernels::kMaxChunkKeys, digests.size() - first);
    Query(digests.subspan(first, size), bits.data());
    for (size_t i = 0; i < size; ++i) {
      // Always written, and kept only if it counts: no branch to mispredict.
      selection[num_selected] = first_idx + static_cast<uint32_t>(first + i);
      num_selected +=
          static_cast<size_t>((bits[i / 64] >> (i % 64) & 1) == uint64_t{maybe_present});
    }
  }
  return num_selected;
}

}  // namespace trommel
