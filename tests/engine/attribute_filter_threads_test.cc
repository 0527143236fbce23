// The contract of attribute_filter.h, with threads.
#include <atomic>
#include <cstdint>
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
