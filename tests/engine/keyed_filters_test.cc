// Filters under a digest key, of every type: with the key they do all they do, without it all that
// hashes nothing, and with another one they are not loaded.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/digest_keys.h"
#include "support/every_type.h"
#include "support/file_forge.h"
#include "support/sample_filters.h"
#include "support/scratch_folder.h"
#include "trommel/any_filter.h"
#include "trommel/concurrent_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::HeldFilter;
using tests::NamedFilter;
using tests::NumPresent;

std::vector<std::string> SomeKeys() {
  std::vector<std::string> keys;
  for (int i = 0; i < 60; ++i) keys.push_back("user" + std::to_string(i) + "@example.org");
  return keys;
}

std::vector<uint64_t> DigestsOf(const DigestPolicy& policy, const std::vector<std::string>& keys) {
  std::vector<uint64_t> digests(keys.size());
  policy.Digests(keys, digests);
  return digests;
}

// One of each type, with all of SomeKeys in.
std::vector<NamedFilter> FiltersUnder(const DigestPolicy& policy) {
  return tests::FiltersWith(SomeKeys(), policy);
}

// Calls body(filter, its bytes) with each of FiltersUnder(policy).
template <class Body>
void ForEachFilter(const DigestPolicy& policy, const Body& body) {
  for (const NamedFilter& one : FiltersUnder(policy)) {
    INFO(one.name);
    body(one.filter, one.filter->Serialize());
  }
}

TEST_CASE("a filter under a digest key is loaded with its key and knows its keys, of every type",
          "[engine][keyed][snapshot]") {
  const DigestKey key = tests::KeyFrom();
  const tests::ScratchFolder folder;
  const auto path = folder / "filter";
  ForEachFilter(tests::KeyedPolicy(), [&](const HeldFilter& filter, const auto& bytes) {
    CHECK(NumPresent(*filter, SomeKeys()) == SomeKeys().size());
    const Result<AnyFilterPtr> read = AnyFilter::Deserialize(bytes, 0, key);
    REQUIRE(read.ok());
    CHECK((*read)->type() == filter->type());
    CHECK((*read)->digest_policy().can_hash());
    CHECK((*read)->digest_policy() == filter->digest_policy());
    CHECK(NumPresent(**read, SomeKeys()) == SomeKeys().size());
    CHECK((*read)->Serialize() == bytes);

    REQUIRE(filter->Save(path, {}).ok());
    const Result<AnyFilterPtr> loaded = AnyFilter::Load(path, 0, key);
    REQUIRE(loaded.ok());
    CHECK(NumPresent(**loaded, SomeKeys()) == SomeKeys().size());
  });
}

TEST_CASE("a digest key is not in the filter's file, whole or in halves", "[engine][keyed]") {
  const auto key = tests::KeyBytes(0xa0);
  const auto middle = key.begin() + key.size() / 2;
  ForEachFilter(tests::KeyedPolicy(0xa0), [&](const HeldFilter&, const auto& bytes) {
    CHECK(std::search(bytes.begin(), bytes.end(), key.begin(), middle) == bytes.end());
    CHECK(std::search(bytes.begin(), bytes.end(), middle, key.end()) == bytes.end());
  });
}

TEST_CASE("without its key a filter is loaded for what hashes nothing, of every type",
          "[engine][keyed][snapshot]") {
  const DigestPolicy policy = tests::KeyedPolicy();
  const auto digests = DigestsOf(policy, SomeKeys());
  ForEachFilter(policy, [&](const HeldFilter& filter, const auto& bytes) {
    Result<AnyFilterPtr> read = AnyFilter::Deserialize(bytes);
    REQUIRE(read.ok());
    CHECK_FALSE((*read)->digest_policy().can_hash());
    CHECK((*read)->digest_policy() == policy);
    CHECK((*read)->Serialize() == bytes);
    const auto num_bytes = FigureOr((*read)->GetFigures(false), "num_bytes", uint64_t{0});
    CHECK(num_bytes > 0);
    CHECK(num_bytes == FigureOr(filter->GetFigures(false), "num_bytes", uint64_t{0}));
    CHECK(NumPresent(**read, Keys::Digests(digests)) == digests.size());
    CHECK_THAT(tests::AbortMessage([&] { (void)NumPresent(**read, SomeKeys()); }),
               ContainsSubstring("misuse: this filter hashes under a key"));
    CHECK_THAT(tests::AbortMessage([&] { tests::InsertAll(**read, SomeKeys()); }),
               ContainsSubstring("misuse: this filter hashes under a key"));
  });
}

TEST_CASE("a filter is not loaded with another filter's key, of every type",
          "[engine][keyed][snapshot]") {
  const DigestKey wrong = tests::KeyFrom(1);
  ForEachFilter(tests::KeyedPolicy(), [&](const HeldFilter&, const auto& bytes) {
    const Result<AnyFilterPtr> read = AnyFilter::Deserialize(bytes, 0, wrong);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(read.error().message, ContainsSubstring("wrong key"));
  });
  ForEachFilter({.seed = 7}, [&](const HeldFilter&, const auto& bytes) {
    const Result<AnyFilterPtr> read = AnyFilter::Deserialize(bytes, 0, wrong);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(read.error().message, ContainsSubstring("digest is xxh3, which takes none"));
  });
}

TEST_CASE("filters merge by the check values of their keys, and keep their own key or none",
          "[engine][keyed][whole]") {
  const DigestPolicy policy = tests::KeyedPolicy();
  const DigestKey key = tests::KeyFrom();
  const auto others = FiltersUnder(tests::KeyedPolicy(1));
  size_t filter_idx = 0;  // in both lists
  ForEachFilter(policy, [&](const HeldFilter& filter, const auto& bytes) {
    const AnyFilter& other = *others[filter_idx++].filter;
    if (!tests::Merges(*filter)) return;
    HeldFilter whole = AnyFilter::Deserialize(bytes, 0, key).value();
    HeldFilter keyless = AnyFilter::Deserialize(bytes).value();
    const HeldFilter other_keyless = AnyFilter::Deserialize(bytes).value();
    REQUIRE(keyless->Merge(*other_keyless).ok());
    CHECK_FALSE(keyless->digest_policy().can_hash());
    REQUIRE(whole->Merge(*other_keyless).ok());
    CHECK(whole->digest_policy().can_hash());
    CHECK(whole->Serialize() == keyless->Serialize());
    CHECK(NumPresent(*whole, SomeKeys()) == SomeKeys().size());
    REQUIRE(keyless->Merge(*filter).ok());
    CHECK_FALSE(keyless->digest_policy().can_hash());

    const Status mixed = whole->Merge(other);
    REQUIRE_FALSE(mixed.ok());
    CHECK(mixed.error().code == ErrorCode::kMismatch);
    CHECK_THAT(mixed.error().message, ContainsSubstring("digest key differs"));
  });
}

TEST_CASE("a filter that is moved or shared keeps its key", "[engine][keyed]") {
  const DigestPolicy policy = tests::KeyedPolicy();
  const DigestKey key = tests::KeyFrom();
  const tests::ScratchFolder folder;
  const auto path = folder / "filter";
  CountingFilter filter =
      std::move(CountingFilter::Create({.capacity = 100, .digest = policy})).value();
  filter.Insert(SomeKeys());
  REQUIRE(filter.Save(path).ok());
  ConcurrentFilter shared = std::move(ConcurrentFilter::Load(path, 0, key)).value();
  std::vector<uint64_t> bits(BitmapWords(SomeKeys().size()));
  CHECK(shared.Query(SomeKeys(), bits) == SomeKeys().size());
  CHECK(shared.Erase("user1@example.org"));
  const CountingFilter back = std::move(shared).TakeExclusive();
  CHECK(back.digest_policy().can_hash());
  CHECK_FALSE(ConcurrentFilter::Load(path).value().digest_policy().can_hash());
}

TEST_CASE("a policy whose key and seed do not go together makes no filter", "[engine][keyed]") {
  DigestPolicy policy = tests::KeyedPolicy();
  policy.seed ^= 1;
  const auto refused = [&](const auto& made) {
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(made.error().message, ContainsSubstring("check value of its key"));
  };
  for (const tests::KeyType& type : tests::KeyTypes()) {
    INFO(type.name);
    refused(tests::MakeOf(type, policy));
  }
  refused(tests::MakePairs(policy));
}

}  // namespace
}  // namespace trommel
