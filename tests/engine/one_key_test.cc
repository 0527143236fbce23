// Calls with one key: what a batch of the same keys gives, far over the capacity of the blocks and
// back.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "support/catch.h"
#include "support/digest_keys.h"
#include "support/digests.h"
#include "support/sample_filters.h"
#include "support/shapes.h"
#include "support/targets.h"
#include "trommel/column_map.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

constexpr size_t kKeysOneByOne = 960;
using KeyBits = std::array<uint64_t, kKeysOneByOne / 64>;

TEST_CASE("a filter filled key by key has the bytes of one filled by a batch", "[engine][one]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const auto digests = tests::DrawnDigests(kKeysOneByOne, 150, Catch::rngSeed());
  const auto others = tests::DrawnDigests(kKeysOneByOne, 300, Catch::rngSeed() + 1);
  tests::ForEachRunnableTarget([&] {
    CountingFilter batch = tests::MakeFilter(tests::GeometryOf(shape, 6));
    CountingFilter single = tests::MakeFilter(tests::GeometryOf(shape, 6));
    const auto is_set = [](const KeyBits& bits, size_t i) {
      return (bits[i / 64] >> i % 64 & 1) != 0;
    };
    batch.Insert(Keys::Digests(digests));
    for (const uint64_t digest : digests) single.Insert(Key::Digest(digest));
    CHECK(single.GetStats().num_promoted > 0);
    REQUIRE((single.Serialize() == batch.Serialize()));

    KeyBits bits;
    batch.InsertIfAbsent(Keys::Digests(others), bits);
    for (size_t i = 0; i < kKeysOneByOne; ++i) {
      REQUIRE(single.InsertIfAbsent(Key::Digest(others[i])) == is_set(bits, i));
    }
    REQUIRE((single.Serialize() == batch.Serialize()));

    for (const auto* erased : {&digests, &others}) {
      batch.Erase(Keys::Digests(*erased), bits);
      for (size_t i = 0; i < kKeysOneByOne; ++i) {
        REQUIRE(single.Erase(Key::Digest((*erased)[i])) == is_set(bits, i));
      }
      REQUIRE((single.Serialize() == batch.Serialize()));
    }
    CHECK(single.num_keys() == batch.num_keys());
    CHECK(single.GetStats().num_refused_erases == batch.GetStats().num_refused_erases);
    CHECK(single.GetStats().num_promoted == batch.GetStats().num_promoted);
  });
}

TEST_CASE("an update of one key in a store is an update of a batch of one", "[engine][one]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  tests::ForEachRunnableTarget([&] {
    BlockStore batch = BlockStore::Create(tests::GeometryOf(shape, 3), 0).value();
    BlockStore single = BlockStore::Create(tests::GeometryOf(shape, 3), 0).value();
    uint64_t seed = Catch::rngSeed();
    for (const Update update :
         {Update::kInsertIfAbsent, Update::kInsertIfPresent, Update::kInsert,
          Update::kInsertIfPresent, Update::kErase, Update::kInsertIfAbsent, Update::kErase}) {
      for (const uint64_t digest : tests::DrawnDigests(400, 90, seed++)) {
        uint64_t bit = 0;
        batch.Apply(update, &digest, {0, 1}, &bit);
        const bool is_applied = single.UpdateOne(update, digest);
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

// What the calls return, a number for each key; nothing of insertions into a window.
template <class Filter>
std::vector<uint64_t> AtOnce(Filter& filter, Op op, const std::vector<uint64_t>& keys) {
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(keys.size()));
  std::vector<uint64_t> counts(keys.size());
  constexpr bool kIsWindow = std::same_as<Filter, WindowFilter>;
  if constexpr (std::same_as<Filter, ColumnMap>) {
    if (op == Op::kErase) return {filter.Erase(kColumn, keys).num_erased};
    if (op == Op::kInsert) return {filter.Insert(kColumn, keys).num_inserted};
    std::vector<uint64_t> rows(keys.size());  // of one word
    filter.Query(keys, rows);
    for (size_t i = 0; i < keys.size(); ++i) counts[i] = rows[i] >> kColumn & 1;
    return counts;
  } else {
    switch (op) {
      case Op::kInsert:
        if constexpr (kIsWindow) {
          filter.Insert(keys);
          return {};
        } else {
          filter.Insert(keys, bitmap);
        }
        break;
      case Op::kInsertIfAbsent:
        filter.InsertIfAbsent(keys, bitmap);
        break;
      case Op::kErase:
        if constexpr (kIsWindow) {
          filter.Erase(keys, filter.now(), bitmap);
        } else {
          filter.Erase(keys, bitmap);
        }
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
}

template <class Filter>
uint64_t ApplyOne(Filter& filter, Op op, uint64_t key) {
  if constexpr (std::same_as<Filter, ColumnMap>) {
    if (op == Op::kErase) return uint64_t{filter.Erase(kColumn, key)};
    if (op == Op::kInsert) return uint64_t{filter.Insert(kColumn, key)};
    return uint64_t{filter.MayContain(kColumn, key)};
  } else {
    switch (op) {
      case Op::kInsert:
        return static_cast<uint64_t>(filter.Insert(key));
      case Op::kInsertIfAbsent:
        return uint64_t{filter.InsertIfAbsent(key)};
      case Op::kErase:
        if constexpr (std::same_as<Filter, WindowFilter>) {
          return uint64_t{filter.Erase(key, filter.now())};
        } else {
          return uint64_t{filter.Erase(key)};
        }
      case Op::kQuery:
        return uint64_t{filter.MayContain(key)};
      case Op::kCount:
        break;
    }
    return filter.CountEstimate(key);
  }
}

template <class Filter>
std::vector<uint64_t> OneByOne(Filter& filter, Op op, const std::vector<uint64_t>& keys) {
  std::vector<uint64_t> answers;
  for (const uint64_t key : keys) answers.push_back(ApplyOne(filter, op, key));
  if constexpr (std::same_as<Filter, WindowFilter>) {
    if (op == Op::kInsert) return {};
  }
  if constexpr (std::same_as<Filter, ColumnMap>) {
    const bool is_update = op == Op::kErase || op == Op::kInsert;
    if (is_update) return {std::accumulate(answers.begin(), answers.end(), uint64_t{0})};
  }
  return answers;
}

template <class Filter>
std::vector<std::byte> SavedBytes(const Filter& filter) {
  if constexpr (std::same_as<Filter, ColumnMap>) {
    return filter.SerializeColumn(kColumn);
  } else {
    return filter.Serialize();
  }
}

// make() returns an empty filter for about a thousand keys. Keys are drawn from twice as many.
template <class Make>
void CheckCalls(const char* name, size_t num_operations, const Make& make) {
  INFO(name);
  auto single = make();
  auto batch = make();
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

void CheckCallsOfEveryType(size_t num_operations) {
  const DigestPolicy policy =
      GENERATE(DigestPolicy{}, DigestPolicy{.seed = 77}, DigestPolicy{.kind = DigestKind::kXxh64},
               DigestPolicy::Keyed(tests::KeyFrom()));
  tests::ForEachRunnableTarget([&] {
    for (const Encoding encoding : {Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints8,
                                    Encoding::kFingerprints16}) {
      CountingConfig config{.capacity = 1000, .digest = policy, .encoding = encoding};
      const auto counting = [&] { return CountingFilter::Create(config).value(); };
      CheckCalls("counting", num_operations, counting);
      CheckCalls("concurrent", num_operations, [&] { return ConcurrentFilter(counting()); });
      config.side_memory_limit_bytes = 2048;
      CheckCalls("counting within a limit", num_operations, counting);
      CheckCalls("concurrent within a limit", num_operations,
                 [&] { return ConcurrentFilter(counting()); });
    }
    for (const GrowthMode mode : {GrowthMode::kDoubling, GrowthMode::kGenerations}) {
      CheckCalls("scalable", num_operations, [&] {
        return ScalableFilter::Create({.first_capacity = 100, .mode = mode, .digest = policy})
            .value();
      });
    }
    CheckCalls("window", num_operations, [&] {
      return WindowFilter::Create(
                 {.window = 8, .num_buckets = 4, .capacity = 1000, .digest = policy})
          .value();
    });
    CheckCalls("map", num_operations, [&] {
      ColumnMap map =
          ColumnMap::Create({.capacity = 1000, .num_columns = 16, .digest = policy}).value();
      REQUIRE(map.OpenColumn(kColumn).ok());
      return map;
    });
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

}  // namespace
}  // namespace trommel
