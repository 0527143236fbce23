// Compiled with -mavx2 (bench/CMakeLists.txt).
#include "bench/sides/inlined_bloom.h"

#if defined(__x86_64__) && defined(__AVX2__)

#include <immintrin.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel::bench {
namespace {

__m256i MaskOf(uint64_t digest) {
  const __m256i salts = _mm256_setr_epi32(0x47b6137b, 0x44974d91, static_cast<int>(0x8824ad5bU),
                                          static_cast<int>(0xa2b7289dU), 0x705495c7, 0x2df1424b,
                                          static_cast<int>(0x9efc4947U), 0x5c6bfb31);
  const __m256i low = _mm256_set1_epi32(static_cast<int>(static_cast<uint32_t>(digest)));
  const __m256i positions = _mm256_srli_epi32(_mm256_mullo_epi32(low, salts), 27);
  return _mm256_sllv_epi32(_mm256_set1_epi32(1), positions);
}

uint64_t DigestOf(uint64_t key) { return XXH3_64bits_withSeed(&key, sizeof(key), 0); }

uint64_t WordIndex(uint64_t digest, uint64_t num_blocks) {
  return ((digest >> 32) * num_blocks >> 32) * 8;
}

}  // namespace

bool InlinedBloom::IsRunnable() { return __builtin_cpu_supports("avx2") != 0; }

void InlinedBloom::Insert(std::span<const uint64_t> keys) {
  for (const uint64_t key : keys) {
    const uint64_t digest = DigestOf(key);
    auto* block = reinterpret_cast<__m256i*>(words_.data() + WordIndex(digest, num_blocks_));
    _mm256_store_si256(block, _mm256_or_si256(_mm256_load_si256(block), MaskOf(digest)));
  }
}

uint64_t InlinedBloom::CountFound(std::span<const uint64_t> keys) const {
  uint64_t num_found = 0;
  for (const uint64_t key : keys) {
    const uint64_t digest = DigestOf(key);
    const auto* block =
        reinterpret_cast<const __m256i*>(words_.data() + WordIndex(digest, num_blocks_));
    num_found +=
        static_cast<uint64_t>(_mm256_testc_si256(_mm256_load_si256(block), MaskOf(digest)));
  }
  return num_found;
}

}  // namespace trommel::bench

#else

namespace trommel::bench {

bool InlinedBloom::IsRunnable() { return false; }
void InlinedBloom::Insert(std::span<const uint64_t> /*keys*/) {}
uint64_t InlinedBloom::CountFound(std::span<const uint64_t> /*keys*/) const { return 0; }

}  // namespace trommel::bench

#endif
