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

TEST_CASE("a filter of fingerprints merged with itself has every key twice, less itself none",
          "[engine][counting][fingerprints]") {
  for (const Encoding encoding : {Encoding::kFingerprints16, Encoding::kFingerprints8}) {
    CountingConfig config{.capacity = 5'000, .target_fpr = 0.004, .encoding = encoding};
    CountingFilter filter = *CountingFilter::Create(config);
    for (uint64_t key = 0; key < 6'000; ++key) filter.Insert(key % 5'500);
    const std::vector<std::byte> once = filter.Serialize();
    CountingFilter copy = *CountingFilter::Deserialize(once);
    REQUIRE(filter.Merge(filter).ok());
    CHECK(filter.num_keys() == 12'000);
    REQUIRE(filter.Subtract(copy).ok());
    CHECK(filter.Serialize() == once);
    // 2^40 copies: added and taken at once.
    for (int i = 0; i < 40; ++i) REQUIRE(copy.Merge(copy).ok());
    REQUIRE(filter.Merge(copy).ok());
    CHECK(filter.CountEstimate(1) >= uint64_t{1} << 40);
    REQUIRE(filter.Subtract(copy).ok());
    CHECK(filter.Serialize() == once);
    REQUIRE(filter.Subtract(filter).ok());
    CHECK(filter.num_keys() == 0);
    CHECK(filter.GetStats().side_table_bytes == 0);
  }
}

}  // namespace
}  // namespace trommel
