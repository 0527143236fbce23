// Seeds are no protection (digest.h): keys can be chosen that collide under every seed, or many.
#include <random>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/digest_keys.h"
#include "trommel/digest.h"

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

}  // namespace
}  // namespace trommel
