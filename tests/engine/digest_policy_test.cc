// Policies of callers and files, and which filters may be merged: what fits, and the errors.
#include "engine/src/keys/digest_policy.h"

#include <new>
#include <string>

#include "engine/src/keys/merge_compatibility.h"
#include "kernels/siphash.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/digest_keys.h"
#include "support/sample_filters.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a keyed policy is SipHash-1-3 of the key's bytes, integers little-endian",
          "[engine][digest][keyed]") {
  const DigestPolicy policy = tests::KeyedPolicy();
  const auto words = tests::KeyFrom().words();
  CHECK(policy.kind == DigestKind::kSipHash);
  CHECK(policy("the quick brown fox") == kernels::SipHash13(words, "the quick brown fox", 19));
  CHECK(policy(0x0706050403020100) == policy(std::string("\0\1\2\3\4\5\6\7", 8)));
  CHECK(policy(Key::Int32(0x03020100)) == policy(std::string("\0\1\2\3", 4)));
  CHECK(policy(Key::Digest(99)) == 99);
  // What the authors' reference code gives with 1 and 3 rounds.
  CHECK(policy(uint64_t{12345}) == 0x492ed113db87bb80);
  CHECK(policy(Key::Int32(12345)) == 0x678f550c2b4fe6ae);
  CHECK(policy("the quick brown fox") == 0xd1331521417aa905);
}

TEST_CASE("the check value is the digest of its label, and is compared instead of the key",
          "[engine][digest][keyed]") {
  const DigestPolicy policy = tests::KeyedPolicy();
  CHECK(policy.seed == policy("trommel digest key check"));
  CHECK(policy.seed == 0xadd1ad41a0cc35cf);
  CHECK(policy == tests::KeyedPolicy());
  CHECK(policy == tests::WithoutKey(policy));
  CHECK(policy != tests::KeyedPolicy(1));
  CHECK(policy != DigestPolicy{.kind = DigestKind::kXxh64, .seed = policy.seed});
}

TEST_CASE("a policy without the caller's digests or its key cannot hash",
          "[engine][digest][keyed]") {
  CHECK(DigestPolicy{}.can_hash());
  CHECK(DigestPolicy{.kind = DigestKind::kXxh64}.can_hash());
  CHECK_FALSE(DigestPolicy{.kind = DigestKind::kCaller}.can_hash());
  CHECK(tests::KeyedPolicy().can_hash());
  const DigestPolicy keyless = tests::WithoutKey(tests::KeyedPolicy());
  CHECK_FALSE(keyless.can_hash());
  CHECK(keyless(Key::Digest(7)) == 7);
  CHECK_THAT(tests::AbortMessage([&] { (void)keyless("bytes"); }),
             ContainsSubstring("misuse: this filter hashes under a key"));
  CHECK_THAT(tests::AbortMessage([&] {
               std::vector<uint64_t> digests(1);
               keyless.Digests(std::vector<uint64_t>{1}, digests);
             }),
             ContainsSubstring("without it"));
  CHECK_THAT(tests::AbortMessage([] { DigestPolicy::Keyed(DigestKey()); }),
             ContainsSubstring("needs a key"));
}

TEST_CASE("a digest key overwrites its memory when it is destroyed", "[engine][digest][keyed]") {
  alignas(DigestKey) std::byte memory[sizeof(DigestKey)];
  const auto* key = new (memory) DigestKey(tests::KeyBytes(1));
  REQUIRE(memory[0] == std::byte{1});
  key->~DigestKey();
  const volatile std::byte* bytes = memory;
  for (size_t i = 0; i < DigestKey::kNumBytes; ++i) REQUIRE(bytes[i] == std::byte{0});
}

TEST_CASE("policies whose fields do not go together are refused", "[engine][digest][keyed]") {
  const auto refusal = [](const DigestPolicy& policy) {
    const Status checked = CheckPolicy(policy);
    if (checked) return std::string();
    CHECK(checked.error().code == ErrorCode::kInvalidArgument);
    return checked.error().message;
  };
  CHECK(refusal({}) == "");
  CHECK(refusal(tests::KeyedPolicy()) == "");
  CHECK(refusal(tests::WithoutKey(tests::KeyedPolicy())) == "");
  CHECK(refusal({.kind = static_cast<DigestKind>(4)}) ==
        "digest kind is 4; it must be between 0 and 3 (xxh64, xxh3, caller, siphash)");
  DigestPolicy policy = tests::KeyedPolicy();
  policy.seed ^= 1;
  CHECK_THAT(refusal(policy), ContainsSubstring("not the check value of its key"));
  CHECK_THAT(refusal({.digest_key = tests::KeyFrom()}),
             ContainsSubstring("digest kind is xxh3, which takes no key"));
}

TEST_CASE("a file's policy takes its own key, or none", "[engine][digest][keyed]") {
  const DigestPolicy keyed = tests::KeyedPolicy();
  const DigestKey right = tests::KeyFrom();
  const DigestKey wrong = tests::KeyFrom(1);
  CHECK(PolicyOfFile(3, keyed.seed, right)->can_hash());
  CHECK(*PolicyOfFile(3, keyed.seed, {}) == keyed);
  CHECK_FALSE(PolicyOfFile(3, keyed.seed, {})->can_hash());
  CHECK_THAT(PolicyOfFile(3, keyed.seed, wrong).error().message, ContainsSubstring("wrong key"));
  CHECK_THAT(PolicyOfFile(1, keyed.seed, right).error().message,
             ContainsSubstring("the filter's digest is xxh3, which takes none"));
}

TEST_CASE("the difference of two policies names the field, and no secret",
          "[engine][digest][keyed]") {
  const DigestPolicy keyed = tests::KeyedPolicy();
  CHECK(PolicyDifference(keyed, tests::WithoutKey(keyed)) == "");
  CHECK(PolicyDifference(keyed, tests::KeyedPolicy(1)) == "digest key differs");
  CHECK(PolicyDifference({.seed = 1}, {.seed = 2}) == "digest seed differs");
  CHECK(PolicyDifference(keyed, {}) == "digest kind differs: siphash here, xxh3 there");
}

TEST_CASE("the difference of two filters names the first field, and no seed", "[engine][digest]") {
  const Geometry geometry{.num_slices = 8, .shard_bits = 1, .num_blocks = 8};
  const CountingFilter filter = tests::MakeFilter(geometry, {.seed = 4711});
  const auto difference = [&](Geometry other, DigestPolicy policy) {
    const CountingFilter there = tests::MakeFilter(other, policy);
    return DifferenceOf(filter.geometry(), filter.digest_policy(), there.geometry(),
                        there.digest_policy());
  };
  const DigestPolicy same{.seed = 4711};
  CHECK(difference(geometry, same) == "");
  Geometry other = geometry;
  other.num_slices = 5;
  other.encoding = Encoding::kRuns;
  CHECK(difference(other, same) == "num_slices differs: 8 here, 5 there");
  other = geometry;
  other.num_blocks = 10;
  CHECK(difference(other, same) == "num_blocks differs: 8 here, 10 there");
  other = geometry;
  other.shard_bits = 2;
  CHECK(difference(other, same) == "shard_bits differs: 1 here, 2 there");
  other = geometry;
  other.encoding = Encoding::kRuns;
  CHECK(difference(other, same) == "encoding differs: planes here, runs there");
  CHECK(difference(geometry, {.kind = DigestKind::kXxh64, .seed = 4711}) ==
        "digest kind differs: xxh3 here, xxh64 there");
  CHECK(difference(geometry, {.seed = 99}) == "digest seed differs");
}

}  // namespace
}  // namespace trommel
