// Calls with one key: what a batch of the same keys gives, far over the capacity of the blocks and
// back.
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
#include "support/shapes.h"
#include "support/targets.h"
#include "trommel/any_filter.h"
#include "trommel/column_map.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

constexpr size_t kKeysOneByOne = 960;
using KeyBits = std::array<uint64_t, kKeysOneByOne / 64>;

TEST_CASE("an update of one key in a store is an update of a batch of one", "[engine][one]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  tests::ForEachRunnableTarget([&] {
    BlockStore batch = BlockStore::Create(tests::GeometryOf(shape, 3), 0).value();
    BlockStore single = BlockStore::Create(tests::GeometryOf(shape, 3), 0).value();
    uint64_t seed = Catch::rngSeed();
    for (const Update update : {Update::kInsertIfAbsent, Update::kInsert, Update::kErase,
                                Update::kInsertIfAbsent, Update::kErase}) {
      for (const uint64_t digest : tests::DrawnDigests(400, 90, seed++)) {
        uint64_t bit = 0;
        batch.Apply(update, &digest, {0, 1}, &bit);
        const bool is_applied = single.UpdateOne(update, digest) == Fate::kChanged;
        REQUIRE(is_applied == (update == Update::kInsert || bit == 1));
        REQUIRE(single.CountEstimate(digest) == batch.CountEstimate(digest));
      }
      REQUIRE(single.Tally() == batch.Tally());
    }
  });
}

// --- Every type: random operations, as calls of one key and as batches of the same keys.

enum class Op : uint8_t { kInsert, kInsertIfAbsent, kErase, kQuery, kCount };
constexpr std::array kOps = {Op::kInsert, Op::kInsertIfAbsent, Op::kErase, Op::kQuery, Op::kCount};
constexpr uint32_t kColumn = 5;

std::vector<uint64_t> BitsOf(const std::vector<uint64_t>& bitmap, size_t size) {
  std::vector<uint64_t> bits(size);
  for (size_t i = 0; i < size; ++i) bits[i] = bitmap[i / 64] >> i % 64 & 1;
  return bits;
}

// What the calls return, a number for each key.
std::vector<uint64_t> AtOnce(AnyFilter& filter, Op op, const std::vector<uint64_t>& keys) {
  std::vector<uint64_t> bitmap(BitmapWords(keys.size()));
  std::vector<uint64_t> counts(keys.size());
  switch (op) {
    case Op::kInsert:
      REQUIRE(filter.Insert(keys, bitmap, nullptr).ok());
      break;
    case Op::kInsertIfAbsent:
      REQUIRE(filter.InsertIfAbsent(keys, bitmap, {}, {}).ok());
      break;
    case Op::kErase:
      REQUIRE((filter.expires() ? filter.EraseAt(keys, filter.now(), bitmap)
                                : filter.Erase(keys, bitmap))
                  .ok());
      break;
    case Op::kQuery:
      filter.Query(keys, bitmap);
      break;
    case Op::kCount:
      filter.CountEstimates(keys, counts);
      return counts;
  }
  return BitsOf(bitmap, keys.size());
}

uint64_t ApplyOne(AnyFilter& filter, Op op, uint64_t key) {
  switch (op) {
    case Op::kInsert:
      return uint64_t{filter.InsertOne(key, nullptr)};
    case Op::kInsertIfAbsent:
      return uint64_t{filter.InsertOneIfAbsent(key, nullptr)};
    case Op::kErase:
      return uint64_t{filter.EraseOneAt(key, filter.now())};
    case Op::kQuery:
      return uint64_t{filter.MayContain(key)};
    case Op::kCount:
      break;
  }
  return filter.CountEstimate(key);
}

std::vector<uint64_t> OneByOne(AnyFilter& filter, Op op, const std::vector<uint64_t>& keys) {
  std::vector<uint64_t> answers;
  for (const uint64_t key : keys) answers.push_back(ApplyOne(filter, op, key));
  return answers;
}

// The same of a map, which says of a batch that changes a column how many keys it was.
std::vector<uint64_t> AtOnce(ColumnMap& map, Op op, const std::vector<uint64_t>& keys) {
  if (op == Op::kErase) return {map.Erase(kColumn, keys).num_erased};
  if (op == Op::kInsert) return {map.Insert(kColumn, keys).num_inserted};
  std::vector<uint64_t> rows(keys.size());  // of one word
  map.Query(keys, rows);
  for (uint64_t& row : rows) row = row >> kColumn & 1;
  return rows;
}

std::vector<uint64_t> OneByOne(ColumnMap& map, Op op, const std::vector<uint64_t>& keys) {
  std::vector<uint64_t> answers;
  for (const uint64_t key : keys) {
    const bool answer = op == Op::kErase    ? map.Erase(kColumn, key)
                        : op == Op::kInsert ? map.Insert(kColumn, key)
                                            : map.MayContain(kColumn, key);
    answers.push_back(uint64_t{answer});
  }
  if (op != Op::kErase && op != Op::kInsert) return answers;
  return {std::accumulate(answers.begin(), answers.end(), uint64_t{0})};
}

std::vector<std::byte> SavedBytes(const AnyFilter& filter) { return filter.Serialize(); }
std::vector<std::byte> SavedBytes(const ColumnMap& map) { return map.SerializeColumn(kColumn); }

// Both are empty, and for about a thousand keys. Keys are drawn from twice as many.
template <class Filter>
void CheckCalls(size_t num_operations, Filter& single, Filter& batch) {
  std::mt19937_64 random(Catch::rngSeed());
  for (size_t done = 0; done < num_operations;) {
    std::vector<uint64_t> keys(1 + random() % 200);
    for (uint64_t& key : keys) key = random() % 2000;
    const Op op = kOps[random() % kOps.size()];
    REQUIRE((OneByOne(single, op, keys) == AtOnce(batch, op, keys)));
    done += keys.size();
  }
  REQUIRE((SavedBytes(single) == SavedBytes(batch)));
}

void CheckCallsOf(size_t num_operations, const tests::KeyType& type, const DigestPolicy& policy) {
  INFO(type.name);
  const AnyFilterPtr single = tests::MakeOf(type, policy).value();
  const AnyFilterPtr batch = tests::MakeOf(type, policy).value();
  CheckCalls(num_operations, *single, *batch);
}

ColumnMap MapOfOne(const DigestPolicy& policy) {
  ColumnMap map =
      ColumnMap::Create({.capacity = 1000, .num_columns = 16, .digest = policy}).value();
  REQUIRE(map.OpenColumn(kColumn).ok());
  return map;
}

void CheckCallsOfEveryType(size_t num_operations) {
  const DigestPolicy policy =
      GENERATE(DigestPolicy{}, DigestPolicy{.seed = 77}, DigestPolicy{.kind = DigestKind::kXxh64},
               DigestPolicy::Keyed(tests::KeyFrom()));
  tests::ForEachRunnableTarget([&] {
    for (tests::KeyType type : tests::KeyTypes()) {
      CheckCallsOf(num_operations, type, policy);
      if (type.type != FilterType::kCounting && type.type != FilterType::kConcurrent) continue;
      type.name += " within a limit";
      type.description.emplace_back("side_memory_limit_bytes", uint64_t{2048});
      CheckCallsOf(num_operations, type, policy);
    }
    INFO("map");
    ColumnMap single = MapOfOne(policy);
    ColumnMap batch = MapOfOne(policy);
    CheckCalls(num_operations, single, batch);
  });
}

TEST_CASE("calls of one key give the answers and leave the bytes of batches, for every type",
          "[engine][one]") {
  CheckCallsOfEveryType(4000);
}

TEST_CASE(
    "a million calls for each type, digest and target give the answers and leave the bytes of "
    "batches",
    "[.long][engine][one]") {
  CheckCallsOfEveryType(1'000'000);
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
