// The contract of attribute_filter.h, with threads.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/in_threads.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"

namespace trommel::tests {
namespace {

// For every question, asked for all rows and for each.
bool AreAllShown(const AttributeFilter& filter, const TupleColumns& columns,
                 const std::vector<TupleRow>& rows) {
  const Tuples& tuples = columns.view();
  std::vector<uint64_t> bits(TupleIndex::BitmapWords(tuples.size));
  for (AttributeMask asked = 1; asked <= filter.sets().full(); ++asked) {
    if (filter.Query(asked, tuples, bits) != tuples.size) return false;
    for (const TupleRow& row : rows) {
      if (!filter.MayContain(asked, row)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("several threads erase what one erases, and leave the same bytes",
          "[engine][attributes][attribute_filter][threads]") {
  // 63 sets: looking up a chunk of tuples is shared, and so is erasing half of one.
  const AttributeConfig config{
      .sets = *AttributeSets::Create(6), .names = {}, .capacity = 20'000, .target_fpr = 0.001};
  AttributeConfig with_threads = config;
  with_threads.executor = Executor::Create(3).value();
  AttributeFilter alone = AttributeFilter::Create(config).value();
  AttributeFilter shared = AttributeFilter::Create(with_threads).value();
  const std::vector<uint64_t> num_values = {0, 300, 5, 0, 70, 0};
  const std::vector<TupleRow> in = RandomRows(4000, num_values, 1);
  REQUIRE(alone.Insert(TupleColumns(in).view()).num_refused == 0);
  REQUIRE(shared.Insert(TupleColumns(in).view()).num_refused == 0);
  // One of six was never inserted, one of sixty is given twice.
  std::vector<TupleRow> given(in.begin(), in.begin() + 2500);
  const std::vector<TupleRow> non_members = RandomRows(500, num_values, 9, KeySpace::kNonMembers);
  for (size_t i = 5; i < given.size(); i += 6) {
    given[i] = non_members[i / 6];
    if (i % 60 == 5) given[i - 1] = given[i - 5];
  }
  const TupleColumns columns(given);
  std::vector<uint64_t> erased_alone(TupleIndex::BitmapWords(given.size()));
  std::vector<uint64_t> erased_shared(erased_alone.size());
  const EraseOutcome outcome = alone.Erase(columns.view(), erased_alone);
  CHECK(outcome.num_erased > 1900);
  CHECK(outcome.num_refused > 400);
  CHECK(shared.Erase(columns.view(), erased_shared) == outcome);
  CHECK(erased_shared == erased_alone);
  CHECK((shared.Serialize() == alone.Serialize()));  // not printed: megabytes
}

TEST_CASE("a tuple that is in is never missed while others come, go and are refused",
          "[engine][attributes][attribute_filter][threads]") {
  const std::vector<AttributeMask> cuts = {0b111};
  // Sets of whole digests, of one shard, and of 64.
  const uint64_t capacity = GENERATE(300U, 6000U, 1U << 20);
  AttributeConfig config{
      .sets = *AttributeSets::Create(3, cuts), .capacity = capacity, .target_fpr = 1e-3};
  Result<AttributeFilter> made = AttributeFilter::Create(config);
  REQUIRE(made.ok());
  AttributeFilter& filter = *made;
  const std::vector<std::byte> as_new = filter.Serialize();
  // Those that stay share values with those that come and go.
  const std::vector<uint64_t> num_values = {3, 40, 0};
  const std::vector<TupleRow> staying = RandomRows(400, num_values, 1);
  const TupleColumns staying_columns(staying);
  REQUIRE(filter.Insert(staying_columns.view()).num_refused == 0);
  // These were never inserted, but some of their values were: erasing them must be refused, and
  // nothing may be taken for a moment.
  std::vector<TupleRow> non_members =
      RandomRows(64, std::vector<uint64_t>{0, 0, 0}, 1'000, KeySpace::kNonMembers);
  for (size_t i = 0; i < non_members.size(); ++i) non_members[i][0] = staying[i][0];
  const TupleColumns non_member_columns(non_members);

  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> num_missed{0};
  std::atomic<uint64_t> num_asked{0};
  std::atomic<uint64_t> num_refused{0};
  std::atomic<uint64_t> num_non_members_erased{0};
  std::thread reader([&] {
    while (!is_over) {
      if (!AreAllShown(filter, staying_columns, staying)) ++num_missed;
      ++num_asked;
    }
  });
  InThreads(3, [&](uint64_t t) {
    for (uint64_t round = 0; round < (t == 2 ? 50 : 12); ++round) {
      if (t == 2) {
        num_non_members_erased += filter.Erase(non_member_columns.view()).num_erased;
        continue;
      }
      const std::vector<TupleRow> rows = RandomRows(700, num_values, 1);
      const TupleColumns columns(rows);
      num_refused += filter.Insert(columns.view()).num_refused;
      if (!AreAllShown(filter, columns, rows)) ++num_missed;
      num_refused += filter.Erase(columns.view()).num_refused;
    }
  });
  while (num_asked == 0) std::this_thread::yield();
  is_over = true;
  reader.join();
  CHECK(num_missed == 0);
  CHECK(num_refused == 0);
  CHECK(num_non_members_erased == 0);
  CHECK(filter.num_tuples() == staying.size());
  CHECK(filter.Erase(staying_columns.view()).num_refused == 0);
  CHECK(filter.Serialize() == as_new);
}

TEST_CASE("a filter over attributes that is saved in use is of one moment in all sets",
          "[engine][attributes][attribute_filter][threads]") {
  const std::vector<AttributeMask> cuts = {0b011};
  AttributeFilter filter =
      std::move(AttributeFilter::Create({.sets = *AttributeSets::Create(3, cuts), .capacity = 500}))
          .value();
  const TupleColumns tuples(RandomRows(400, std::vector<uint64_t>{0, 0, 0}, 5));
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    while (!is_over) {
      filter.Insert(tuples.view());
      filter.Erase(tuples.view());
    }
  });
  uint64_t num_torn = 0;
  for (int i = 0; i < 60; ++i) {
    Result<AttributeFilter> loaded = AttributeFilter::Deserialize(filter.Serialize());
    if (!loaded.ok()) {
      ++num_torn;
      continue;
    }
    // What is in is in whole: it can be erased, and nothing is left then.
    (void)loaded->Erase(tuples.view());
    for (const SetStats& set : loaded->GetStats().sets) num_torn += set.stats.num_keys;
  }
  is_over = true;
  writer.join();
  CHECK(num_torn == 0);
}

TEST_CASE("tuples that are refused while others come leave no trace in any set",
          "[engine][attributes][attribute_filter][threads]") {
  AttributeConfig config{.sets = *AttributeSets::Create(2),
                         .names = {},
                         .capacity = 3000,
                         .target_fpr = 1e-4,
                         .budgets = {{.set = 0b11, .capacity = 1000}}};
  config.memory_limit_bytes = AttributeFilter::Create(config)->num_bytes();
  Result<AttributeFilter> filter = AttributeFilter::Create(config);
  REQUIRE(filter.ok());
  std::atomic<uint64_t> num_in{0};
  std::atomic<uint64_t> num_missed{0};
  InThreads(3, [&](uint64_t t) {
    for (uint64_t round = 0; round < 20; ++round) {
      const std::vector<TupleRow> rows =
          RandomRows(200, std::vector<uint64_t>{20, 0}, 5 + 1000 * (t + 3 * round));
      const TupleColumns columns(rows);
      std::vector<uint64_t> bits(TupleIndex::BitmapWords(rows.size()));
      num_in += filter->Insert(columns.view(), bits).num_inserted;
      std::vector<TupleRow> in;
      for (size_t i = 0; i < rows.size(); ++i) {
        if ((bits[i / 64] >> (i % 64) & 1) != 0) in.push_back(rows[i]);
      }
      if (!AreAllShown(*filter, TupleColumns(in), in)) ++num_missed;
      if (round % 2 == 0) num_in -= filter->Erase(TupleColumns(in).view()).num_erased;
    }
  });
  CHECK(num_missed == 0);
  CHECK(filter->num_tuples() == num_in);
  const AttributeStats stats = filter->GetStats();
  CHECK(stats.num_refused_inserts > 0);
  CHECK(stats.num_refused_erases == 0);
  for (const SetStats& of_set : stats.sets) CHECK(of_set.stats.num_keys == num_in);
}

}  // namespace trommel::tests
