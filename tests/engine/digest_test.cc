// Digests: those of xxHash, the published vectors, and the same digest however a key is given.
#include "trommel/digest.h"

#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "golden/digests.h"
#include "golden/siphash.h"
#include "kernels/siphash.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/digest_keys.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"
#include "trommel/one_key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel {
namespace {

const std::array<DigestPolicy, 5> kPolicies = {{{DigestKind::kXxh64, 0},
                                                {DigestKind::kXxh64, 0x0123456789abcdef},
                                                {DigestKind::kXxh3, 0},
                                                {DigestKind::kXxh3, 0x0123456789abcdef},
                                                tests::KeyedPolicy(77)}};

uint64_t HashedAlone(const DigestPolicy& policy, const void* bytes, size_t num_bytes) {
  if (policy.kind == DigestKind::kSipHash) {
    return kernels::SipHash13(tests::KeyFrom(77).words(), bytes, num_bytes);
  }
  return policy.kind == DigestKind::kXxh3 ? XXH3_64bits_withSeed(bytes, num_bytes, policy.seed)
                                          : XXH64(bytes, num_bytes, policy.seed);
}

// All lengths around those at which xxHash changes its algorithm: 32 for XXH64; 16, 128 and 240 for
// XXH3.
std::vector<std::string> Strings() {
  std::vector<std::string> strings;
  for (size_t length = 0; length < 300; ++length) {
    std::string text(length, '\0');
    for (size_t i = 0; i < length; ++i) text[i] = static_cast<char>(i * 151 + length);
    strings.push_back(std::move(text));
  }
  return strings;
}

std::vector<uint64_t> BatchOf(const DigestPolicy& policy, Keys keys) {
  std::vector<uint64_t> digests(keys.size());
  policy.Digests(keys, digests);
  return digests;
}

TEST_CASE("strings are hashed as batches of both kinds and one by one on every target",
          "[engine][digest]") {
  const std::vector<std::string> lengths = Strings();
  // In no order, and more than are hashed at a time.
  std::vector<std::string> mixed;
  for (const uint64_t random : tests::DrawnDigests(3000, 3000, Catch::rngSeed())) {
    mixed.push_back(lengths[random % (random % 4 == 0 ? lengths.size() : 64)]);
  }
  const std::vector<std::string> few(mixed.begin(), mixed.begin() + 33);
  tests::ForEachRunnableTarget([&] {
    for (const std::vector<std::string>& strings : {lengths, mixed, few}) {
      const std::vector<std::string_view> views(strings.begin(), strings.end());
      for (const DigestPolicy& policy : kPolicies) {
        std::vector<uint64_t> want;
        std::vector<uint64_t> points;
        for (const std::string& text : strings) {
          want.push_back(HashedAlone(policy, text.data(), text.size()));
          points.push_back(policy(text));
        }
        CHECK(tests::FirstDifference(BatchOf(policy, strings), want) == "");
        CHECK(tests::FirstDifference(BatchOf(policy, views), want) == "");
        CHECK(tests::FirstDifference(points, want) == "");
      }
    }
  });
}

TEST_CASE("integers are hashed by their bytes as batches and one by one on every target",
          "[engine][digest]") {
  const auto wide = tests::DrawnDigests(1030, 5000, Catch::rngSeed());
  std::vector<int32_t> narrow;
  for (const uint64_t key : wide) narrow.push_back(static_cast<int32_t>(key));
  tests::ForEachRunnableTarget([&] {
    for (const DigestPolicy& policy : kPolicies) {
      const auto of_wide = BatchOf(policy, wide);
      const auto of_narrow = BatchOf(policy, Keys::Int32(narrow));
      for (size_t i = 0; i < wide.size(); ++i) {
        REQUIRE(of_wide[i] == HashedAlone(policy, &wide[i], 8));
        REQUIRE(of_wide[i] == policy(wide[i]));
        REQUIRE(of_wide[i] == policy(static_cast<int64_t>(wide[i])));
        REQUIRE(of_narrow[i] == HashedAlone(policy, &narrow[i], 4));
        REQUIRE(of_narrow[i] == policy(Key::Int32(narrow[i])));
        REQUIRE(of_narrow[i] != of_wide[i]);
      }
    }
  });
}

// The lines of xxHash in the header, which programs contain.
void CheckIntegers(size_t num_integers) {
  std::mt19937_64 random(Catch::rngSeed());
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{random()}}) {
    const uint64_t flip = OneKey::FlipOf(seed);
    for (size_t i = 0; i < num_integers; ++i) {
      const uint64_t integer = i < 64 ? uint64_t{1} << i : random();
      const uint64_t digest = OneKey::Xxh3OfInteger(integer, flip);
      if (digest != XXH3_64bits_withSeed(&integer, sizeof(integer), seed)) {
        FAIL("integer " << integer << ", seed " << seed);
      }
    }
  }
}

TEST_CASE("ten million digests of integers that programs compute are XXH3's",
          "[engine][digest][long]") {
  CheckIntegers(10'000'000);
}

TEST_CASE("XXH64 with seed 0 gives the published digests on every target", "[engine][digest]") {
  const DigestPolicy policy{.kind = DigestKind::kXxh64};
  std::string bytes(32, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  std::vector<std::string_view> prefixes;
  for (size_t n = 0; n < golden::kXxh64OfFirstBytes.size(); ++n) {
    prefixes.push_back(std::string_view(bytes).substr(0, n));
  }
  const std::vector<uint64_t> want(golden::kXxh64OfFirstBytes.begin(),
                                   golden::kXxh64OfFirstBytes.end());
  tests::ForEachRunnableTarget([&] {
    CHECK(tests::FirstDifference(BatchOf(policy, prefixes), want) == "");
    CHECK(policy("") == 0xef46db3751d8e999);
    CHECK(policy(Key::Int32(42)) == 0xd756d7b62fc50bf1);
    CHECK(policy(42) == 0xb556806fb6d14353);
  });
}

TEST_CASE("the default policy is XXH3 with seed 0, whose published digests it gives",
          "[engine][digest]") {
  const DigestPolicy policy;
  CHECK(policy == DigestPolicy{.kind = DigestKind::kXxh3, .seed = 0});
  tests::ForEachRunnableTarget([&] {
    CHECK(policy("") == 0x2d06800538d394c2);
    CHECK(BatchOf(policy, std::vector<std::string_view>{""})[0] == 0x2d06800538d394c2);
  });
}

TEST_CASE("each policy gives the recorded digests on every target", "[engine][digest]") {
  tests::ForEachRunnableTarget([] {
    for (const golden::DigestRecord& record : golden::kDigests) {
      const DigestPolicy policy{static_cast<DigestKind>(record.kind), record.seed};
      INFO(DigestKindName(policy.kind) << " seed " << record.seed);
      CHECK(policy(uint64_t{12345}) == record.of_int64);
      CHECK(policy(Key::Int32(12345)) == record.of_int32);
      CHECK(policy("the quick brown fox") == record.of_string);
      CHECK(BatchOf(policy, std::vector<uint64_t>{12345})[0] == record.of_int64);
    }
  });
}

TEST_CASE("the caller's digests pass through unchanged under every policy", "[engine][digest]") {
  const auto digests = tests::DrawnDigests(100, 1000, Catch::rngSeed());
  for (const DigestKind kind : {DigestKind::kXxh64, DigestKind::kXxh3, DigestKind::kCaller}) {
    const DigestPolicy policy{kind, 99};
    CHECK(BatchOf(policy, Keys::Digests(digests)) == digests);
    CHECK(policy(Key::Digest(digests[0])) == digests[0]);
  }
}

TEST_CASE("misuse of a policy ends the program with a message", "[engine][digest]") {
  using Catch::Matchers::ContainsSubstring;
  const DigestPolicy caller{DigestKind::kCaller, 0};
  CHECK_THAT(tests::AbortMessage([&] { (void)caller("bytes"); }), ContainsSubstring("misuse"));
  CHECK_THAT(tests::AbortMessage([&] { BatchOf(caller, std::vector<uint64_t>{1}); }),
             ContainsSubstring("caller's digests"));
  CHECK_THAT(tests::AbortMessage([] {
               std::vector<uint64_t> digests(2);
               DigestPolicy().Digests(std::vector<uint64_t>{1, 2, 3}, digests);
             }),
             ContainsSubstring("another size"));
}

TEST_CASE("SipHash-1-3 and SipHash-2-4 give the published vectors", "[engine][digest][golden]") {
  std::string bytes(golden::kSipHash13.size(), '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  const DigestKey key = tests::KeyFrom(0);
  std::vector<uint64_t> fast;
  std::vector<uint64_t> whole;
  for (size_t n = 0; n < bytes.size(); ++n) {
    fast.push_back(kernels::SipHash13(key.words(), bytes.data(), n));
    whole.push_back(kernels::SipHash<2, 4>(key.words(), bytes.data(), n));
  }
  CHECK(tests::FirstDifference(fast, {golden::kSipHash13.begin(), golden::kSipHash13.end()}) == "");
  CHECK(tests::FirstDifference(whole, {golden::kSipHash24.begin(), golden::kSipHash24.end()}) ==
        "");
}

TEST_CASE("SipHash takes keys of any alignment, and lengths beyond a byte", "[engine][digest]") {
  const DigestKey key = tests::KeyFrom(0);
  const std::string text(1000, 'x');
  const uint64_t want = kernels::SipHash13(key.words(), text.data(), 600);
  for (size_t offset = 0; offset < 9; ++offset) {
    CHECK(kernels::SipHash13(key.words(), text.data() + offset, 600) == want);
  }
  // The length is hashed mod 256: the bytes themselves must make the difference.
  CHECK(kernels::SipHash13(key.words(), text.data(), 600 - 256) != want);
}

}  // namespace
}  // namespace trommel
