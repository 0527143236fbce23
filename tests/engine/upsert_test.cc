// Upsert: a filter in front of a table holds each key of the table once.
#include "trommel/upsert.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel {
namespace {

using Table = std::set<uint64_t>;

// Small and far over its capacity, so that many keys look present.
CountingConfig FullConfig(Encoding encoding) {
  return {.capacity = 50, .target_fpr = 0.05, .encoding = encoding};
}

template <class Filter>
Filter MakeFull(Encoding encoding) {
  return *Filter::Create(FullConfig(encoding));
}
template <>
ScalableFilter MakeFull<ScalableFilter>(Encoding /*encoding*/) {
  return *ScalableFilter::Create({.first_capacity = 50, .target_fpr = 0.05});
}

template <class Filter>
bool HasAll(const Filter& filter, const Table& table) {
  const std::vector<uint64_t> keys(table.begin(), table.end());
  std::vector<uint64_t> present(BitmapWords(keys.size()));
  return filter.Query(keys, present) == keys.size();
}

ExistFunction LookIn(const Table& table, const std::vector<uint64_t>& keys) {
  return [&](std::span<const uint32_t> asked) -> Result<std::vector<uint32_t>> {
    std::vector<uint32_t> existing;
    for (const uint32_t i : asked) {
      if (table.contains(keys[i])) existing.push_back(i);
    }
    return existing;
  };
}

// Puts and deletes of random keys, repeated ones among them.
template <class Filter>
void RunProgram(Filter filter, uint64_t& num_shown) {
  Table table;
  uint64_t state = 12345;
  const auto random = [&state](uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> puts(1 + random(40));
    for (uint64_t& key : puts) key = random(400);
    std::vector<uint64_t> inserted(BitmapWords(puts.size()));
    const Result<UpsertOutcome> outcome = Upsert(filter, puts, LookIn(table, puts), inserted);
    REQUIRE(outcome.ok());
    const size_t size_before = table.size();
    table.insert(puts.begin(), puts.end());
    REQUIRE(outcome->num_inserted == table.size() - size_before);
    REQUIRE(outcome->num_refused == 0);
    num_shown += outcome->num_asked - outcome->num_existing;
    REQUIRE(filter.num_keys() == table.size());
    REQUIRE(HasAll(filter, table));

    std::vector<uint64_t> deletes;
    for (int i = 0; i < 15; ++i) {
      const uint64_t key = random(400);
      if (table.erase(key) == 1) deletes.push_back(key);
    }
    REQUIRE(filter.Erase(deletes).num_refused == 0);
    REQUIRE(HasAll(filter, table));
  }
  const std::vector<uint64_t> rest(table.begin(), table.end());
  CHECK(filter.Erase(rest).num_refused == 0);
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("a filter holds each key of the table once after upserts and erasures",
          "[engine][upsert]") {
  const auto encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes, Encoding::kDense);
  uint64_t num_shown = 0;
  RunProgram(MakeFull<CountingFilter>(encoding), num_shown);
  RunProgram(MakeFull<ConcurrentFilter>(encoding), num_shown);
  RunProgram(MakeFull<ScalableFilter>(encoding), num_shown);
  CHECK(num_shown > 0);  // some new keys looked present: what InsertIfAbsent alone does not insert
}

TEST_CASE("the table is asked once, about keys that look present, each once", "[engine][upsert]") {
  CountingFilter filter = *CountingFilter::Create({.capacity = 1000, .target_fpr = 0.001});
  const std::vector<std::string_view> in_table = {"pear", "plum"};
  filter.Insert(in_table);
  const std::vector<std::string_view> puts = {"plum", "fig", "plum", "fig", "pear", "date"};
  std::vector<uint64_t> inserted(1, ~uint64_t{0});
  std::vector<std::vector<uint32_t>> calls;
  const Result<UpsertOutcome> outcome = Upsert(
      filter, puts,
      [&](std::span<const uint32_t> asked) -> Result<std::vector<uint32_t>> {
        return calls.emplace_back(asked.begin(), asked.end());
      },
      inserted);
  REQUIRE(outcome.ok());
  CHECK(calls == std::vector<std::vector<uint32_t>>{{0, 4}});
  CHECK(*outcome ==
        UpsertOutcome{.num_inserted = 2, .num_existing = 2, .num_repeated = 2, .num_asked = 2});
  CHECK(inserted == std::vector<uint64_t>{0b100010});
  CHECK(filter.num_keys() == 4);
}

TEST_CASE("an upsert whose table cannot be asked leaves the filter's keys as they were",
          "[engine][upsert]") {
  const auto encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes, Encoding::kDense);
  CountingFilter filter =
      *CountingFilter::Create({.capacity = 1000, .target_fpr = 0.001, .encoding = encoding});
  filter.Insert(Key(7));
  const std::vector<std::byte> before = filter.Serialize();
  const std::vector<uint64_t> puts = {7, 8, 9, 8};
  std::vector<uint64_t> inserted(1, ~uint64_t{0});
  const Result<UpsertOutcome> outcome = Upsert(
      filter, puts,
      [&](std::span<const uint32_t> /*asked*/) -> Result<std::vector<uint32_t>> {
        CHECK(filter.num_keys() == 3);  // the absent keys are in
        return Error{ErrorCode::kIo, "the table is away"};
      },
      inserted);
  REQUIRE(!outcome.ok());
  CHECK(outcome.error().message == "the table is away");
  CHECK(inserted == std::vector<uint64_t>{0});
  CHECK(filter.num_keys() == 1);
  CHECK(filter.Serialize() == before);

  const ExistFunction throws = [](std::span<const uint32_t>) -> Result<std::vector<uint32_t>> {
    throw std::runtime_error("thrown");
  };
  CHECK_THROWS_AS(Upsert(filter, puts, throws, inserted), std::runtime_error);
  CHECK(inserted == std::vector<uint64_t>{0});
  CHECK(filter.Serialize() == before);
}

TEST_CASE("an upsert that is told positions instead of indices ends with a message",
          "[engine][upsert][death]") {
  CountingFilter filter = *CountingFilter::Create({.capacity = 1000, .target_fpr = 0.001});
  const std::vector<uint64_t> in_table = {3, 4};
  filter.Insert(in_table);
  const std::vector<uint64_t> puts = {1, 2, 3, 4};
  std::vector<uint64_t> inserted(1);
  const auto tell = [&](std::vector<uint32_t> existing) {
    return [&filter, &puts, &inserted, existing] {
      (void)Upsert(
          filter, puts, [&](std::span<const uint32_t>) { return existing; }, inserted);
    };
  };
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(tests::AbortMessage(tell({0, 1})), ContainsSubstring("positions in `asked`"));
  CHECK_THAT(tests::AbortMessage(tell({2, 4'000'000'000})),
             ContainsSubstring("no index of `asked`"));
}

// The first copy is refused, as lines of a crowded block are full; then the filter grows, and has
// space for the second.
TEST_CASE("a key that comes twice in an upsert is inserted once, if its first copy is refused, too",
          "[engine][upsert]") {
  auto filter = ScalableFilter::Create({.digest = {.kind = DigestKind::kCaller},
                                        .side_memory_limit_bytes = 64 * 6'000})
                    .value();
  std::mt19937_64 random(1);
  std::vector<uint64_t> keys;
  const auto add_others = [&](int count) {  // of part 0
    for (int i = 0; i < count; ++i) keys.push_back(random() >> 6);
  };
  add_others(1'000);  // blocks
  for (int i = 0; i < 500; ++i) keys.push_back(uint64_t{5} << 54 | random() >> 10);
  // One that is refused.
  std::vector<uint64_t> bits(BitmapWords(keys.size()));
  REQUIRE(filter.Clone()->Insert(Keys::Digests(keys), bits).num_refused > 0);
  size_t refused_idx = 0;
  while ((bits[refused_idx / 64] >> refused_idx % 64 & 1) != 0) ++refused_idx;
  const uint64_t key = keys[refused_idx];
  add_others(17'500);
  keys.push_back(key);
  std::vector<uint64_t> inserted(BitmapWords(keys.size()));
  const auto none = [](std::span<const uint32_t>) -> Result<std::vector<uint32_t>> {
    return std::vector<uint32_t>{};
  };
  const UpsertOutcome outcome = Upsert(filter, Keys::Digests(keys), none, inserted).value();
  CHECK(filter.CountEstimate(Key::Digest(key)) == 1);
  CHECK(outcome.num_repeated == 1);
}

TEST_CASE("an upsert counts keys that the filter refuses", "[engine][upsert]") {
  ScalableFilter filter =
      *ScalableFilter::Create({.first_capacity = 50'000, .max_capacity = 50'000});
  std::vector<uint64_t> puts(200'000);
  for (size_t i = 0; i < puts.size(); ++i) puts[i] = i;
  std::vector<uint64_t> inserted(BitmapWords(puts.size()));
  const Table table;
  const Result<UpsertOutcome> outcome = Upsert(filter, puts, LookIn(table, puts), inserted);
  REQUIRE(outcome.ok());
  CHECK(outcome->num_refused > 0);
  CHECK(outcome->num_inserted + outcome->num_refused == puts.size());
  CHECK(outcome->num_repeated == 0);
  CHECK(filter.num_keys() == outcome->num_inserted);
}

}  // namespace
}  // namespace trommel
