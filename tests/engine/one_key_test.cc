// Calls with one key, and small batches: what stores, hashing and routes do with them. (What every
// type promises of them: tests/promises/exact_contents_test.cc.)
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "engine/src/counting/forced_route.h"
#include "support/catch.h"
#include "support/digest_keys.h"
#include "support/digests.h"
#include "support/every_type.h"
#include "support/targets.h"
#include "trommel/any_filter.h"
#include "trommel/column_map.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

// What the hashing of single keys and of batches shares with no suite: its policies and targets.
TEST_CASE("calls of one key hash it as batches do, for every type", "[engine][one]") {
  const DigestPolicy policy =
      GENERATE(DigestPolicy{}, DigestPolicy{.seed = 77}, DigestPolicy{.kind = DigestKind::kXxh64},
               DigestPolicy::Keyed(tests::KeyFrom()));
  std::vector<uint64_t> keys(1000);
  std::iota(keys.begin(), keys.end(), 0);
  tests::ForEachRunnableTarget([&] {
    for (const tests::KeyType& type : tests::KeyTypes()) {
      INFO(type.name);
      const AnyFilterPtr single = tests::MakeOf(type, policy).value();
      const AnyFilterPtr batch = tests::MakeOf(type, policy).value();
      std::vector<uint64_t> counts(keys.size());
      for (const uint64_t key : keys) REQUIRE(single->InsertOne(key, nullptr));
      for (size_t i = 0; i < 100; ++i) REQUIRE_FALSE(single->InsertOneIfAbsent(keys[i], nullptr));
      REQUIRE(batch->Insert(keys, {}, nullptr).ok());
      REQUIRE((single->Serialize() == batch->Serialize()));
      batch->CountEstimates(keys, counts);
      for (size_t i = 0; i < keys.size(); ++i) {
        REQUIRE(single->MayContain(keys[i]));
        REQUIRE(single->CountEstimate(keys[i]) == counts[i]);
      }
      for (const uint64_t key : keys) REQUIRE(single->EraseOneAt(key, single->now()));
      CHECK(single->num_keys() == 0);
    }
  });
}

// --- Small batches: the same as large ones, whatever their size and the kind of their keys.

// Calls use(keys) with `size` keys of every kind.
template <class Use>
void WithKeysOfEveryKind(size_t size, std::mt19937_64& random, const Use& use) {
  std::vector<uint64_t> integers(size);
  for (uint64_t& integer : integers) integer = random() % 900;
  const std::vector<uint32_t> narrow(integers.begin(), integers.end());
  std::vector<std::string> strings;
  for (const uint64_t integer : integers) strings.emplace_back(integer % 50, 'k');
  const std::vector<std::string_view> views(strings.begin(), strings.end());
  use(Keys(integers));
  use(Keys(narrow));
  use(Keys::Int32(narrow));
  use(Keys(strings));
  use(Keys(views));
  for (uint64_t& integer : integers) integer *= 0x9e3779b97f4a7c15;
  use(Keys::Digests(integers));
}

struct SmallBatchAnswers {
  std::vector<uint64_t> numbers;
  std::array<uint64_t, 1> bits{};
  std::array<uint64_t, 1> refused{};
  friend bool operator==(const SmallBatchAnswers&, const SmallBatchAnswers&) = default;
};
SmallBatchAnswers Answers(CountingFilter& filter, uint64_t operation, Keys keys) {
  SmallBatchAnswers answers;
  const auto bits = std::span(answers.bits).first(keys.empty() ? 0 : 1);
  const auto refused = std::span(answers.refused).first(bits.size());
  const auto note = [&](const InsertOutcome& outcome) {
    answers.numbers = {outcome.num_inserted, outcome.num_refused};
  };
  switch (operation % 7) {
    case 0:
      note(filter.Insert(keys));
      break;
    case 1:
      note(filter.Insert(keys, bits));
      break;
    case 2:
      answers.numbers = {filter.InsertIfAbsent(keys, bits)};
      break;
    case 3:
      note(filter.InsertIfAbsent(keys, bits, refused));
      break;
    case 4:
      answers.numbers = {filter.Erase(keys).num_erased};
      break;
    case 5:
      answers.numbers = {filter.Erase(keys, bits).num_erased};
      break;
    default:
      answers.numbers = {filter.Query(keys, bits)};
      break;
  }
  return answers;
}

TEST_CASE("a small batch does what the direct route of large ones does", "[engine][one]") {
  const DigestPolicy policy = GENERATE(DigestPolicy{}, DigestPolicy{.kind = DigestKind::kXxh64},
                                       DigestPolicy::Keyed(tests::KeyFrom()));
  for (const Encoding encoding :
       {Encoding::kPlanes, Encoding::kRuns, Encoding::kDense, Encoding::kFingerprints16}) {
    for (const uint64_t limit_bytes : {0, 4096}) {
      CAPTURE(EncodingName(encoding), limit_bytes);
      const CountingConfig config{.capacity = 400,
                                  .digest = policy,
                                  .encoding = encoding,
                                  .side_memory_limit_bytes = limit_bytes};
      CountingFilter automatic = CountingFilter::Create(config).value();
      CountingFilter direct = CountingFilter::Create(config).value();
      ForcedRoute::Use(direct, Route::kDirect);
      std::mt19937_64 random(Catch::rngSeed());
      for (int round = 0; round < 200; ++round) {
        WithKeysOfEveryKind(random() % 18, random, [&](Keys keys) {
          const uint64_t operation = random();
          CAPTURE(operation % 7, keys.size(), static_cast<int>(keys.kind()));
          REQUIRE((Answers(automatic, operation, keys) == Answers(direct, operation, keys)));
        });
      }
      CHECK((automatic.Serialize() == direct.Serialize()));
      CHECK(automatic.num_keys() == direct.num_keys());
      CHECK(automatic.GetStats().num_refused_erases == direct.GetStats().num_refused_erases);
      CHECK(automatic.GetStats().num_refused_inserts == direct.GetStats().num_refused_inserts);
    }
  }
}

TEST_CASE("no keys need no secret key", "[engine][one]") {
  CountingFilter made =
      CountingFilter::Create({.capacity = 100, .digest = DigestPolicy::Keyed(tests::KeyFrom())})
          .value();
  CountingFilter keyless = CountingFilter::Deserialize(made.Serialize()).value();
  REQUIRE_FALSE(keyless.digest_policy().can_hash());
  std::mt19937_64 random(1);
  WithKeysOfEveryKind(0, random, [&](Keys keys) {
    for (uint64_t operation = 0; operation < 7; ++operation) {
      CHECK(Answers(keyless, operation, keys).bits[0] == 0);
    }
  });
  CHECK(keyless.num_keys() == 0);
}

}  // namespace
}  // namespace trommel
