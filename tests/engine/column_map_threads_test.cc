// What ColumnMap promises to threads: writers whose pairs move between slots, lists and bitmaps of
// one group of blocks, beside readers. TROMMEL_TEST_SCALE makes it longer (support/shrink.h).
//
// Catch2's macros are not for threads: threads count, and the test checks after the join.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/catch.h"
#include "support/in_threads.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "trommel/column_map.h"

namespace trommel {
namespace {

constexpr uint32_t kColumns = 1000;
constexpr uint32_t kOfWriters = 100;  // columns below this come and go: they stand first in lists
constexpr size_t kStaying = 60;
constexpr size_t kHot = 1;  // is in 7 columns, which are in slots

// The columns from kOfWriters on that staying key i is in.
std::vector<uint32_t> ColumnsOfStaying(size_t i) {
  const size_t counts[] = {1, 7, 9, 14, 17, 60, 300, 870};
  std::vector<uint32_t> columns;
  for (uint32_t c = 0; c < counts[i % 8]; ++c) {
    columns.push_back(kOfWriters + static_cast<uint32_t>((i + 7 * c) % (kColumns - kOfWriters)));
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

struct Counts {
  std::atomic<uint64_t> num_missed{0};
  std::atomic<uint64_t> num_false{0};
  std::atomic<uint64_t> num_undecided{0};
};

// Whether the answer has all of `want`, and no column that is not a writer's but of `want`.
void Judge(std::span<const uint64_t> answer, std::span<const uint64_t> want, Counts& counts) {
  int num_shown = 0;
  uint64_t missed = 0;
  uint64_t extra = 0;
  for (size_t w = 0; w < answer.size(); ++w) {
    num_shown += std::popcount(answer[w]);
    missed |= want[w] & ~answer[w];
    uint64_t of_others = answer[w] & ~want[w];
    if (w == kOfWriters / 64) of_others &= ~uint64_t{0} << kOfWriters % 64;
    if (w < kOfWriters / 64) of_others = 0;
    extra |= of_others;
  }
  counts.num_missed += missed != 0 ? 1 : 0;
  if (num_shown == kColumns) {
    ++counts.num_undecided;
  } else {
    counts.num_false += extra != 0 ? 1 : 0;
  }
}

TEST_CASE("no pair is missed, and none seen that is not there, while places of its group change",
          "[engine][column_map][threads]") {
  // One group, with places for few fingerprints: writers move what readers look for.
  const uint64_t num_blocks = GENERATE(64U, 512U);
  ColumnMap map = ColumnMap::Create({.capacity = 1000,
                                     .num_columns = kColumns,
                                     .num_blocks = num_blocks,
                                     .fingerprint_bits = 6})
                      .value();
  const size_t words = map.row_words();
  for (uint32_t c = 0; c < kColumns; ++c) REQUIRE(map.OpenColumn(c).ok());
  const std::vector<uint64_t> staying = tests::MemberKeys(kStaying, 1);
  for (size_t i = 0; i < kStaying; ++i) {
    for (const uint32_t c : ColumnsOfStaying(i)) map.Insert(c, staying[i]);
  }
  std::vector<uint64_t> want(kStaying * words);
  map.Query(staying, want);  // what keys share places with is wanted, too
  std::vector<uint32_t> fixed;
  for (uint32_t c = kOfWriters; c < kColumns; ++c) fixed.push_back(c);
  const auto before = map.SerializeColumns(fixed);

  const size_t num_rounds = tests::Scaled(60);
  std::atomic<int> num_writing{4};
  std::atomic<uint64_t> num_wrong{0};
  Counts counts;
  tests::InThreads(6, [&](uint64_t t) {
    if (t == 3) {  // pairs that queries read move from slots to a list and back, all the time
      for (size_t round = 0; round < 1200 * num_rounds; ++round) {
        for (uint32_t c = 85; c < 95; ++c) map.Insert(c, staying[kHot]);
        for (uint32_t c = 85; c < 95; ++c) num_wrong += map.Erase(c, staying[kHot]) ? 0 : 1;
      }
      --num_writing;
      return;
    }
    if (t < 2) {  // the staying keys and others come and go in columns of its own
      const std::vector<uint64_t> others = tests::MemberKeys(400, 100 + t);
      const uint32_t first = 40 * static_cast<uint32_t>(t);
      for (size_t round = 0; round < num_rounds; ++round) {
        for (uint32_t c = first; c < first + 20; ++c) {
          map.Insert(c, staying);
          if (c % 4 == 0) map.Insert(c, others);
        }
        for (uint32_t c = first; c < first + 20; ++c) {
          num_wrong += map.Erase(c, staying).num_refused;
          if (c % 4 == 0) num_wrong += map.Erase(c, others).num_refused;
        }
      }
      --num_writing;
      return;
    }
    if (t == 2) {  // columns are closed and loaded
      const uint32_t column = kOfWriters - 1;
      for (size_t round = 0; round < num_rounds; ++round) {
        map.Insert(column, staying);
        const std::vector<std::byte> bytes = map.SerializeColumn(column);
        map.CloseColumn(column);
        num_wrong += map.LoadColumn(column, bytes).ok() ? 0 : 1;
        num_wrong += map.num_keys(column) == kStaying ? 0 : 1;
        for (const uint64_t key : staying) num_wrong += map.MayContain(column, key) ? 0 : 1;
        map.CloseColumn(column);
        num_wrong += map.OpenColumn(column).ok() ? 0 : 1;
      }
      --num_writing;
      return;
    }
    std::vector<uint64_t> answers(kStaying * words);
    std::vector<uint64_t> answer(words);
    while (num_writing > 0) {
      for (int i = 0; i < 500; ++i) {
        map.Query(staying[kHot], answer);
        Judge(answer, std::span(want).subspan(kHot * words, words), counts);
      }
      map.Query(staying, answers);
      for (size_t i = 0; i < kStaying; ++i) {
        const auto of_key = std::span(want).subspan(i * words, words);
        Judge(std::span(answers).subspan(i * words, words), of_key, counts);
        map.Query(staying[i], answer);
        Judge(answer, of_key, counts);
      }
    }
  });
  CHECK(counts.num_missed == 0);
  CHECK(counts.num_false == 0);
  CHECK(num_wrong == 0);
  CHECK(counts.num_undecided <= map.GetStats().num_interrupted_queries);
  CHECK((map.SerializeColumns(fixed) == before));

  std::vector<uint32_t> all;
  for (uint32_t c = 0; c < kColumns; ++c) all.push_back(c);
  map.CloseColumns(all);
  const MapStats stats = map.GetStats();
  CHECK(stats.num_pairs == 0);
  CHECK(stats.num_slots_in_use == 0);
  CHECK(stats.num_places_elsewhere == 0);
}

TEST_CASE("what one thread inserts into a map another finds once it is told",
          "[engine][column_map][threads]") {
  constexpr size_t kKeys = 2000;
  ColumnMap map = ColumnMap::Create({.capacity = 3000, .num_columns = 3}).value();
  for (uint32_t c = 0; c < 3; ++c) REQUIRE(map.OpenColumn(c).ok());
  const std::vector<uint64_t> keys = tests::MemberKeys(kKeys, 1);
  std::atomic<size_t> told[2] = {0, 0};
  std::atomic<uint64_t> num_missed{0};
  tests::InThreads(3, [&](uint64_t t) {
    if (t < 2) {
      for (size_t i = 0; i < kKeys; ++i) {
        map.Insert(static_cast<uint32_t>(t), keys[i]);
        told[t].store(i + 1, std::memory_order_release);
      }
      return;
    }
    uint64_t answer = 0;
    while (told[0] + told[1] < 2 * kKeys) {
      for (const uint32_t c : {0U, 1U}) {
        const size_t known = told[c].load(std::memory_order_acquire);
        for (size_t i = known < 20 ? 0 : known - 20; i < known; ++i) {
          map.Query(keys[i], std::span(&answer, 1));
          num_missed += (answer >> c & 1) != 0 ? 0 : 1;
        }
      }
    }
  });
  CHECK(num_missed == 0);
}

}  // namespace
}  // namespace trommel
