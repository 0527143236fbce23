// Seeds are no protection (digest.h): keys can be chosen that collide under every seed, or many.
#include <random>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/digest_keys.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

// Keys of each length mod 32 whose tail has two whole lanes, short and long.
std::vector<std::string> KeysWithTwins() {
  std::vector<std::string> keys = {"alice@example.org", "0123456789abcdef"};
  for (const size_t body : {0, 32, 96}) {
    for (size_t tail = 16; tail < 32; ++tail) {
      std::string key(body + tail, '\0');
      for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<char>('a' + i * 7 % 26);
      keys.push_back(std::move(key));
    }
  }
  return keys;
}

TEST_CASE("twins collide under XXH64 with every seed, and SipHash tells them apart",
          "[engine][digest][hostile]") {
  std::mt19937_64 random(Catch::rngSeed());
  const DigestPolicy keyed = tests::KeyedPolicy();
  for (const std::string& key : KeysWithTwins()) {
    const std::string twin = tests::TwinOf(key);
    REQUIRE(twin != key);
    REQUIRE(tests::TwinOf(twin) == key);
    for (const uint64_t seed : {uint64_t{0}, ~uint64_t{0}}) {
      REQUIRE(DigestPolicy{.kind = DigestKind::kXxh64, .seed = seed}(twin) ==
              DigestPolicy{.kind = DigestKind::kXxh64, .seed = seed}(key));
    }
    for (int i = 0; i < 100; ++i) {
      const DigestPolicy policy{.kind = DigestKind::kXxh64, .seed = random()};
      REQUIRE(policy(twin) == policy(key));
    }
    CHECK(keyed(twin) != keyed(key));
    const DigestPolicy xxh3{.kind = DigestKind::kXxh3, .seed = random()};
    CHECK(xxh3(twin) != xxh3(key));
  }
}

// Thomas Ahle, Cyan4973/xxHash, issue 1127: the second key is the first with its last 16
// bytes complemented.
TEST_CASE("a published pair collides under XXH3 with some seeds, and SipHash tells it apart",
          "[engine][digest][hostile]") {
  std::string key(16, '\0');
  for (const int byte : {0x51, 0x15, 0x12, 0x10, 0x40, 0x44, 0, 0, 0, 0, 0, 0x82, 4, 0, 1, 5}) {
    key += static_cast<char>(byte);
  }
  std::string twin = key;
  for (size_t i = 16; i < twin.size(); ++i) twin[i] = static_cast<char>(~twin[i]);
  const DigestPolicy seeded{.kind = DigestKind::kXxh3, .seed = 0x2468b3bc26a44073};
  CHECK(seeded(key) == 0xdd686b61e2f6dc69);
  CHECK(seeded(twin) == seeded(key));
  CHECK(DigestPolicy{.kind = DigestKind::kXxh3}(twin) !=
        DigestPolicy{.kind = DigestKind::kXxh3}(key));
  CHECK(tests::KeyedPolicy()(twin) != tests::KeyedPolicy()(key));
}

TEST_CASE("erasing a twin erases the key under a secret seed, and not under a digest key",
          "[engine][digest][hostile]") {
  const std::string alice = "alice@example.org";
  const std::string twin = tests::TwinOf(alice);
  const auto filter_of = [&](const DigestPolicy& policy) {
    auto filter = std::move(CountingFilter::Create({.capacity = 1000, .digest = policy})).value();
    filter.Insert(alice);
    return filter;
  };
  CountingFilter seeded =
      filter_of({.kind = DigestKind::kXxh64, .seed = std::random_device()() | uint64_t{1} << 40});
  CHECK(seeded.Erase(twin));
  CHECK_FALSE(seeded.MayContain(alice));

  CountingFilter keyed = filter_of(tests::KeyedPolicy());
  CHECK_FALSE(keyed.Erase(twin));
  CHECK(keyed.MayContain(alice));
}

TEST_CASE("XXH64 of 8 bytes is invertible: a key of any digest can be computed",
          "[engine][digest][hostile]") {
  constexpr uint64_t kPrime3 = 0x165667b19e3779f9;
  constexpr uint64_t kPrime4 = 0x85ebca77c2b2ae63;
  constexpr uint64_t kPrime5 = 0x27d4eb2f165667c5;
  const auto key_of = [&](uint64_t digest, uint64_t seed) {
    uint64_t h = digest;  // the avalanche, backwards
    h ^= h >> 32;
    h *= tests::InverseOf(kPrime3);
    h ^= h >> 29 ^ h >> 58;
    h *= tests::InverseOf(tests::kXxhPrime2);
    h ^= h >> 33;
    h = std::rotr((h - kPrime4) * tests::InverseOf(tests::kXxhPrime1), 27);
    const uint64_t round = h ^ (seed + kPrime5 + 8);
    return std::rotr(round * tests::InverseOf(tests::kXxhPrime1), 31) *
           tests::InverseOf(tests::kXxhPrime2);
  };
  for (const uint64_t digest : {uint64_t{0}, uint64_t{4711}, ~uint64_t{0}}) {
    for (const uint64_t seed : {uint64_t{0}, uint64_t{0x0123456789abcdef}}) {
      CHECK(DigestPolicy{.kind = DigestKind::kXxh64, .seed = seed}(key_of(digest, seed)) == digest);
    }
  }
}

}  // namespace
}  // namespace trommel
