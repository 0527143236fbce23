// Filters under a digest key, of every type: with the key they do all they do, without it all that
// hashes nothing, and with another one they are not loaded.
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/src/disk/checksum.h"
#include "golden/files.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/digest_keys.h"
#include "support/file_forge.h"
#include "support/sample_filters.h"
#include "support/scratch_folder.h"
#include "trommel/any_filter.h"
#include "trommel/concurrent_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;

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

template <class Filter>
size_t NumPresent(const Filter& filter, Keys keys) {
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(keys.size()));
  return filter.Query(keys, bitmap);
}

// Tuples of one attribute: the key.
size_t NumPresent(const AttributeFilter& filter, Keys keys) {
  TupleDigests tuples(1);
  tuples.Set(0, keys, filter.digest_policy());
  std::vector<uint64_t> bitmap(TupleIndex::BitmapWords(keys.size()));
  return filter.Query(1, tuples.view(), bitmap);
}

template <class Filter>
void InsertAll(Filter& filter, Keys keys) {
  filter.Insert(keys);
}

void InsertAll(AttributeFilter& filter, Keys keys) {
  TupleDigests tuples(1);
  tuples.Set(0, keys, filter.digest_policy());
  filter.Insert(tuples.view());
}

// One of each type, with all of SomeKeys in.
std::vector<AnyFilter> FiltersUnder(const DigestPolicy& policy) {
  std::vector<AnyFilter> filters;
  const auto add = [&](auto made) {
    InsertAll(*made, SomeKeys());
    filters.push_back(std::move(made).value());
  };
  add(CountingFilter::Create({.capacity = 100, .digest = policy}));
  add(ScalableFilter::Create({.first_capacity = 30, .digest = policy}));
  add(WindowFilter::Create({.window = 100, .capacity = 100, .digest = policy}));
  add(AttributeFilter::Create({.sets = AttributeSets::Create(1, {}).value(),
                               .names = {"user"},
                               .capacity = 100,
                               .digest = policy}));
  REQUIRE(filters.size() == std::variant_size_v<AnyFilter>);
  return filters;
}

const DigestPolicy& PolicyOf(const AnyFilter& filter) {
  return std::visit([](const auto& one) -> const DigestPolicy& { return one.digest_policy(); },
                    filter);
}

size_t NumPresentIn(const AnyFilter& filter, Keys keys) {
  return std::visit([&](const auto& one) { return NumPresent(one, keys); }, filter);
}

// Calls body(filter, its bytes) with each of FiltersUnder(policy).
template <class Body>
void ForEachFilter(const DigestPolicy& policy, const Body& body) {
  for (const AnyFilter& filter : FiltersUnder(policy)) {
    INFO("alternative " << filter.index() << ", " << FilterTypeName(TypeOf(filter)));
    body(filter, SerializeAny(filter));
  }
}

TEST_CASE("a filter under a digest key is loaded with its key and knows its keys, of every type",
          "[engine][keyed][snapshot]") {
  const DigestKey key = tests::KeyFrom();
  const tests::ScratchFolder folder;
  const auto path = folder / "filter";
  ForEachFilter(tests::KeyedPolicy(), [&](const AnyFilter& filter, const auto& bytes) {
    CHECK(NumPresentIn(filter, SomeKeys()) == SomeKeys().size());
    const Result<AnyFilter> read = DeserializeAny(bytes, 0, key);
    REQUIRE(read.ok());
    CHECK(read->index() == filter.index());
    CHECK(PolicyOf(*read).can_hash());
    CHECK(PolicyOf(*read) == PolicyOf(filter));
    CHECK(NumPresentIn(*read, SomeKeys()) == SomeKeys().size());
    CHECK(SerializeAny(*read) == bytes);

    REQUIRE(SaveAny(filter, path).ok());
    const Result<AnyFilter> loaded = LoadAny(path, 0, key);
    REQUIRE(loaded.ok());
    CHECK(NumPresentIn(*loaded, SomeKeys()) == SomeKeys().size());
  });
}

TEST_CASE("a digest key is not in the filter's file, whole or in halves", "[engine][keyed]") {
  const auto key = tests::KeyBytes(0xa0);
  const auto middle = key.begin() + key.size() / 2;
  ForEachFilter(tests::KeyedPolicy(0xa0), [&](const AnyFilter&, const auto& bytes) {
    CHECK(std::search(bytes.begin(), bytes.end(), key.begin(), middle) == bytes.end());
    CHECK(std::search(bytes.begin(), bytes.end(), middle, key.end()) == bytes.end());
  });
}

TEST_CASE("without its key a filter is loaded for what hashes nothing, of every type",
          "[engine][keyed][snapshot]") {
  const DigestPolicy policy = tests::KeyedPolicy();
  const auto digests = DigestsOf(policy, SomeKeys());
  ForEachFilter(policy, [&](const AnyFilter& filter, const auto& bytes) {
    Result<AnyFilter> read = DeserializeAny(bytes);
    REQUIRE(read.ok());
    CHECK_FALSE(PolicyOf(*read).can_hash());
    CHECK(PolicyOf(*read) == policy);
    CHECK(SerializeAny(*read) == bytes);
    CHECK(std::visit([](const auto& one) { return one.GetStats().num_bytes; }, *read) ==
          std::visit([](const auto& one) { return one.GetStats().num_bytes; }, filter));
    CHECK(NumPresentIn(*read, Keys::Digests(digests)) == digests.size());
    CHECK_THAT(tests::AbortMessage([&] { NumPresentIn(*read, SomeKeys()); }),
               ContainsSubstring("misuse: this filter hashes under a key"));
    CHECK_THAT(tests::AbortMessage(
                   [&] { std::visit([](auto& one) { InsertAll(one, SomeKeys()); }, *read); }),
               ContainsSubstring("misuse: this filter hashes under a key"));
  });
}

TEST_CASE("a filter is not loaded with another filter's key, of every type",
          "[engine][keyed][snapshot]") {
  const DigestKey wrong = tests::KeyFrom(1);
  ForEachFilter(tests::KeyedPolicy(), [&](const AnyFilter&, const auto& bytes) {
    const Result<AnyFilter> read = DeserializeAny(bytes, 0, wrong);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(read.error().message, ContainsSubstring("wrong key"));
  });
  ForEachFilter({.seed = 7}, [&](const AnyFilter&, const auto& bytes) {
    const Result<AnyFilter> read = DeserializeAny(bytes, 0, wrong);
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
  ForEachFilter(policy, [&](const AnyFilter& filter, const auto& bytes) {
    const auto merge = [&]<class Filter>(Filter& into, const AnyFilter& from) -> Status {
      if constexpr (requires { into.Merge(into); }) {
        return into.Merge(std::get<Filter>(from));
      } else {
        return Ok();  // this type has no Merge
      }
    };
    AnyFilter whole = std::move(DeserializeAny(bytes, 0, key)).value();
    AnyFilter keyless = std::move(DeserializeAny(bytes)).value();
    const AnyFilter other_keyless = std::move(DeserializeAny(bytes)).value();
    const auto merge_into = [&](AnyFilter& into, const AnyFilter& from) {
      return std::visit([&](auto& one) { return merge(one, from); }, into);
    };
    REQUIRE(merge_into(keyless, other_keyless).ok());
    CHECK_FALSE(PolicyOf(keyless).can_hash());
    REQUIRE(merge_into(whole, other_keyless).ok());
    CHECK(PolicyOf(whole).can_hash());
    CHECK(SerializeAny(whole) == SerializeAny(keyless));
    CHECK(NumPresentIn(whole, SomeKeys()) == SomeKeys().size());
    REQUIRE(merge_into(keyless, filter).ok());
    CHECK_FALSE(PolicyOf(keyless).can_hash());

    const Status mixed = merge_into(whole, others[filter_idx++]);
    if (!mixed.ok()) {
      CHECK(mixed.error().code == ErrorCode::kMismatch);
      CHECK_THAT(mixed.error().message, ContainsSubstring("digest key differs"));
    } else {  // no Merge
      CHECK((std::holds_alternative<ScalableFilter>(filter) ||
             std::holds_alternative<AttributeFilter>(filter)));
    }
  });
}

TEST_CASE("an empty filter made without the key takes merges, and folds",
          "[engine][keyed][whole]") {
  const DigestPolicy policy = tests::KeyedPolicy();
  const Geometry geometry{.num_slices = 8, .num_blocks = 8};
  CountingFilter filter = tests::MakeFilter(geometry, policy);
  filter.Insert(SomeKeys());
  CountingFilter sum = tests::MakeFilter(geometry, tests::WithoutKey(policy));
  REQUIRE(sum.Merge(filter).ok());
  CHECK(sum.Serialize() == filter.Serialize());
  REQUIRE(sum.Fold().ok());
  REQUIRE(filter.Fold().ok());
  CHECK(sum.Serialize() == filter.Serialize());
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
  CHECK(NumPresent(shared, SomeKeys()) == SomeKeys().size());
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
  refused(CountingFilter::Create({.capacity = 100, .digest = policy}));
  refused(ScalableFilter::Create({.first_capacity = 100, .digest = policy}));
  refused(WindowFilter::Create({.window = 100, .capacity = 100, .digest = policy}));
  refused(AttributeFilter::Create(
      {.sets = AttributeSets::Create(1, {}).value(), .capacity = 100, .digest = policy}));
}

TEST_CASE("the file of a filter under a digest key never changes",
          "[engine][keyed][snapshot][golden]") {
  const std::vector<std::byte> bytes = tests::KeyedSample().Serialize();
  CHECK(bytes.size() == golden::kKeyedFile.num_bytes);
  CHECK(Checksum::Of(bytes) == golden::kKeyedFile.hash);
  CHECK(tests::FileForge(bytes).header.digest_kind == 3);
  CHECK(tests::FileForge(bytes).header.seed == tests::KeyedPolicy().seed);
}

}  // namespace
}  // namespace trommel
