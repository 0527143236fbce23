// KeyDigests: digests of the keys that fingerprint blocks hold. A digest of a key is any that
// belongs to this key of this block: its bits below the key are unlike those of the key that was
// inserted, and no longer known. It belongs to the right key at half or twice the number of blocks
// as well, so that whole filters are combined and resized by the kernels for keys.
//
//   digest x num_blocks = block index (64) | key, 0 .. 0, error    error <= 4 x num_blocks < 2^33
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_KEY_DIGESTS_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_KEY_DIGESTS_H_

#include <cassert>
#include <cstdint>

#include "trommel/sizing.h"

namespace trommel {

class KeyDigests {
 public:
  explicit KeyDigests(const Geometry& geometry)
      : num_blocks_(geometry.num_blocks), shift_(64 - geometry.fingerprint_bits) {
    assert(num_blocks_ > 0);
    inverse_ = ~uint64_t{0} / num_blocks_;
  }

  // The following keys are those of this block.
  void GoTo(uint64_t block_idx) {
    first_ = static_cast<uint64_t>((Uint128{block_idx} << 64) / num_blocks_) + kRoundedOff;
  }
  uint64_t operator()(uint32_t key) const {
    const uint64_t rest = uint64_t{key} << shift_;
    return first_ + static_cast<uint64_t>((Uint128{rest} * inverse_) >> 64);
  }

 private:
  __extension__ using Uint128 = unsigned __int128;
  // Both quotients are rounded down: together they are less than 4 too small.
  static constexpr uint64_t kRoundedOff = 4;

  uint64_t num_blocks_;
  uint64_t inverse_ = 0;
  uint32_t shift_;
  uint64_t first_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_KEY_DIGESTS_H_
