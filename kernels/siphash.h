// SipHash-c-d as in the paper: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (INDOCRYPT
// 2012), section 2. c rounds per word of 8 bytes, d at the end. This is the reference for kernels.
//
// Why SipHash: a key of n bytes takes c (floor(n / 8) + 1) + d rounds, each of 4 additions, 4 xors
// and 6 rotations of 64-bit words, without table lookups or multiplications, on a state of four
// words: the lanes of a vector can hash one key each. HighwayHash is faster on one key of 32 bytes
// and more, as its state of sixteen words fills vectors by itself; but for that reason 8 bytes cost
// it as much as 32, and one key per lane would not fit the registers. Why 1-3 rounds: hashing eight
// keys at a time in AVX2 stays within twice XXH3's time from 8 to 64 bytes, with 2-4 it does not.
#ifndef TROMMEL_KERNELS_SIPHASH_H_
#define TROMMEL_KERNELS_SIPHASH_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace trommel::kernels {

static_assert(std::endian::native == std::endian::little, "words are read as they are in memory");

// "somepseudorandomlygeneratedbytes".
inline constexpr std::array<uint64_t, 4> kSipInit = {0x736f6d6570736575, 0x646f72616e646f6d,
                                                     0x6c7967656e657261, 0x7465646279746573};

class SipState {
 public:
  explicit SipState(const std::array<uint64_t, 2>& key)
      : v0_(key[0] ^ kSipInit[0]),
        v1_(key[1] ^ kSipInit[1]),
        v2_(key[0] ^ kSipInit[2]),
        v3_(key[1] ^ kSipInit[3]) {}

  template <int kRounds>
  void Compress(uint64_t word) {
    v3_ ^= word;
    for (int i = 0; i < kRounds; ++i) Round();
    v0_ ^= word;
  }

  template <int kRounds>
  uint64_t Finalize() {
    v2_ ^= 0xff;
    for (int i = 0; i < kRounds; ++i) Round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void Round() {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
  }

  uint64_t v0_, v1_, v2_, v3_;
};

// The last word: the bytes behind the last whole word, zeros, and in the top byte the length mod
// 256. Reads no byte but the key's, and branches on nothing but whether it has eight: lengths are
// hard to predict.
inline uint64_t LastSipWord(const unsigned char* bytes, size_t num_bytes) {
  const size_t num_left = num_bytes % 8;
  const uint64_t length = static_cast<uint64_t>(num_bytes) << 56;
  if (num_bytes >= 8) {
    uint64_t word;
    std::memcpy(&word, bytes + num_bytes - 8, sizeof(word));
    return length | word >> 8 >> (56 - 8 * num_left);
  }
  if (num_bytes >= 4) {
    uint32_t low;
    uint32_t high;
    std::memcpy(&low, bytes, sizeof(low));
    std::memcpy(&high, bytes + num_bytes - 4, sizeof(high));
    return length | low | uint64_t{high} << 8 * (num_bytes - 4);
  }
  if (num_bytes == 0) return length;
  const size_t middle = num_bytes / 2;
  const size_t last = num_bytes - 1;
  return length | bytes[0] | uint64_t{bytes[middle]} << 8 * middle |
         uint64_t{bytes[last]} << 8 * last;
}

template <int kCompression, int kFinalization>
uint64_t SipHash(const std::array<uint64_t, 2>& key, const void* data, size_t num_bytes) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  SipState state(key);
  const size_t tail_at = num_bytes / 8 * 8;
  for (size_t at = 0; at < tail_at; at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + at, sizeof(word));
    state.Compress<kCompression>(word);
  }
  state.Compress<kCompression>(LastSipWord(bytes, num_bytes));
  return state.Finalize<kFinalization>();
}

// DigestKind::kSipHash.
inline uint64_t SipHash13(const std::array<uint64_t, 2>& key, const void* bytes, size_t num_bytes) {
  return SipHash<1, 3>(key, bytes, num_bytes);
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_SIPHASH_H_
