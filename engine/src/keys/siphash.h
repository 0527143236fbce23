// SipHash-c-d as in the paper: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (INDOCRYPT
// 2012), section 2. c rounds per word of 8 bytes, d at the end. This is the reference for kernels.
//
// Why SipHash: a key of n bytes takes c (floor(n / 8) + 1) + d rounds, each of 4 additions, 4 xors
// and 6 rotations of 64-bit words, without table lookups or multiplications, on a state of four
// words: the lanes of a vector can hash one key each. HighwayHash is faster on one key of 32 bytes
// and more, as its state of sixteen words fills vectors by itself; but for that reason 8 bytes cost
// it as much as 32, and one key per lane would not fit the registers. Why 1-3 rounds: hashing eight
// keys at a time in AVX2 stays within twice XXH3's time from 8 to 64 bytes, with 2-4 it does not.
#ifndef TROMMEL_ENGINE_SRC_KEYS_SIPHASH_H_
#define TROMMEL_ENGINE_SRC_KEYS_SIPHASH_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace trommel {

static_assert(std::endian::native == std::endian::little, "words are read as they are in memory");

class SipState {
 public:
  explicit SipState(const std::array<uint64_t, 2>& key)  // the constants: "somepseudorandomly..."
      : v0_(key[0] ^ 0x736f6d6570736575),
        v1_(key[1] ^ 0x646f72616e646f6d),
        v2_(key[0] ^ 0x6c7967656e657261),
        v3_(key[1] ^ 0x7465646279746573) {}

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
  // The last word: what is left, zeros, and in the top byte the length mod 256.
  uint64_t last = static_cast<uint64_t>(num_bytes) << 56;
  for (size_t i = tail_at; i < num_bytes; ++i) last |= uint64_t{bytes[i]} << 8 * (i - tail_at);
  state.Compress<kCompression>(last);
  return state.Finalize<kFinalization>();
}

// DigestKind::kSipHash.
inline uint64_t SipHash13(const std::array<uint64_t, 2>& key, const void* bytes, size_t num_bytes) {
  return SipHash<1, 3>(key, bytes, num_bytes);
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_SIPHASH_H_
