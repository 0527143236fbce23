// Digests that stand for the keys of fingerprint blocks.
#include "engine/src/fingerprints/key_digests.h"

#include <cstdint>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

// Which key of which block the digest belongs to, with so many blocks and bits.
bool BelongsTo(uint64_t digest, uint64_t num_blocks, uint32_t bits, uint64_t block_idx,
               uint64_t key) {
  const kernels::FingerprintPlace place = kernels::FingerprintPlaceOf(digest, num_blocks);
  return place.block_idx == block_idx && place.rest >> (64 - bits) == key;
}

TEST_CASE("a key's digest belongs to it, and at half and twice the size to what becomes of it",
          "[engine][counting][fingerprints]") {
  for (const uint64_t num_blocks : {uint64_t{1}, uint64_t{2}, uint64_t{64}, uint64_t{1000},
                                    kMaxBlocks / 2, kMaxBlocks - 1, kMaxBlocks}) {
    for (const uint32_t bits : {8U, 9U, 14U, 16U}) {
      KeyDigests digest_of({.num_slices = 0, .num_blocks = num_blocks, .fingerprint_bits = bits});
      for (const uint64_t block_idx : {uint64_t{0}, num_blocks / 2, num_blocks - 1}) {
        digest_of.GoTo(block_idx);
        for (uint64_t key = 0; key < uint64_t{1} << bits; key += 1 + key % 7) {
          const uint64_t digest = digest_of(static_cast<uint32_t>(key));
          const uint64_t top = key >> (bits - 1);
          const uint64_t odd = block_idx % 2;
          bool belongs = BelongsTo(digest, num_blocks, bits, block_idx, key);
          belongs = belongs && BelongsTo(digest, 2 * num_blocks, bits - 1, 2 * block_idx + top,
                                         key - (top << (bits - 1)));
          if (num_blocks % 2 == 0) {
            belongs = belongs &&
                      BelongsTo(digest, num_blocks / 2, bits + 1, block_idx / 2, odd << bits | key);
          }
          if (!belongs) FAIL(num_blocks << " blocks, " << bits << " bits, key " << key);
        }
      }
    }
  }
  SUCCEED();
}

}  // namespace
}  // namespace trommel
