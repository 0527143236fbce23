// Digests that must never change: files and other programs depend on them.
#ifndef TROMMEL_TESTS_GOLDEN_DIGESTS_H_
#define TROMMEL_TESTS_GOLDEN_DIGESTS_H_

#include <array>
#include <cstdint>

namespace trommel::golden {

// XXH64 with seed 0 of the bytes 0, 1, .., n - 1 for n = 0 .. 31: apache/arrow,
// bloom_filter_test.cc (there as signed integers).
inline constexpr std::array<uint64_t, 32> kXxh64OfFirstBytes = {
    0xef46db3751d8e999, 0xe934a84adb052768, 0x4865a00ba85b7cd6, 0xe5c7bb4533bc65dd,
    0xffced8604453cc1e, 0xdd0274386e26030c, 0x438e2507bf950423, 0x14cc643f630c72d2,
    0x884a173614b81b8d, 0x67d85784a7c78c5b, 0xf76d60ec32541987, 0x652a564a95365aca,
    0x424af23f1f08dca5, 0x13d17c4c779723a8, 0x5cda8b69bbfc1d45, 0xa948f5f0f6abac2d,
    0x44b6ef2fb84169f7, 0x5603e60c527599b6, 0x50297af5a62c6c94, 0xf74e4b128deb27ae,
    0xa3e3fbe96798d8ac, 0x742b5135879d8608, 0xe85325844a45e58b, 0x9261c231bda56181,
    0xdd14a0292632be9b, 0x73f9acb5acbae666, 0xc2bf3773323881b0, 0xac2d59a1653fcb2b,
    0x1424bb04e9f164ff, 0x91b302cb6ee942e4, 0x76e444d8a036c867, 0xc346d2b59b4d8ee1,
};

// Digests of the 64-bit integer 12345, of the 32-bit integer 12345 and of "the quick brown fox",
// made with xxHash 0.8.1 itself.
struct DigestRecord {
  uint8_t kind;  // DigestKind
  uint64_t seed;
  uint64_t of_int64;
  uint64_t of_int32;
  uint64_t of_string;
};

inline constexpr std::array<DigestRecord, 6> kDigests = {{
    {0, 0x0, 0xf641f64ab4ebb803, 0x2c0274013cb15a19, 0x150018d41c31b193},
    {0, 0x2a, 0x7a00c60df8712e5e, 0xfe4c7a9eed108caa, 0x5f82e84dee552e20},
    {0, 0x123456789abcdef, 0x9b4a2afcd4488a78, 0x101dbae0070bfaa5, 0x9043eef351a1396d},
    {1, 0x0, 0x9be867392a73b1c1, 0x55c90d064bb05e1b, 0x70ec367636ee7079},
    {1, 0x2a, 0x33d50d1bd6cf7fbc, 0x664b731a613781e1, 0xb8e7e8326ef3145d},
    {1, 0x123456789abcdef, 0xbbc225751e3bd806, 0x6c274d52befb5682, 0xec6e15e82f9a124c},
}};

}  // namespace trommel::golden

#endif  // TROMMEL_TESTS_GOLDEN_DIGESTS_H_
