// What FilterColumns promises to threads: writers of columns that share words, beside readers.
// TROMMEL_TEST_SCALE makes it longer (support/shrink.h).
//
// Catch2's macros are not for threads: threads count, and the test checks after the join.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/catch.h"
#include "support/in_threads.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "trommel/filter_columns.h"

namespace trommel {
namespace {

TEST_CASE("a key that is in a column is never missed while neighbours change and close",
          "[engine][columns][threads]") {
  constexpr uint32_t kStaying[] = {1, 40, 64};
  const uint32_t num_slices = GENERATE(5U, 8U);
  // So few blocks that all columns' bits meet in the same words.
  FilterColumns columns =
      FilterColumns::Create(
          {.column_capacity = 60, .target_fpr = 0.1, .num_columns = 100, .num_slices = num_slices})
          .value();
  const size_t words = columns.row_words();
  const std::vector<uint64_t> staying = tests::MemberKeys(40, 1);
  for (const uint32_t c : kStaying) {
    REQUIRE(columns.OpenColumn(c).ok());
    columns.Insert(c, staying);
  }
  for (const uint32_t c : {2U, 3U}) REQUIRE(columns.OpenColumn(c).ok());
  const std::vector<std::byte> before = columns.SerializeColumn(40);
  const size_t num_rounds = tests::Scaled(300);
  std::atomic<int> num_writing{3};
  std::atomic<uint64_t> num_missed{0};
  std::atomic<uint64_t> num_wrong{0};
  tests::InThreads(5, [&](uint64_t t) {
    if (t < 2) {  // each has a column of its own; both erase from column 40 what they inserted
      const uint32_t own = 2 + static_cast<uint32_t>(t);
      const std::vector<uint64_t> keys = tests::MemberKeys(80, 100 + t);
      for (size_t round = 0; round < num_rounds; ++round) {
        for (const uint32_t c : {own, 40U}) {
          columns.Insert(c, keys);
          for (const uint64_t key : keys) num_wrong += columns.MayContain(c, key) ? 0 : 1;
          num_wrong += columns.Erase(c, keys).num_refused;
        }
        columns.Insert(own, keys[0]);
        num_wrong += columns.Erase(own, keys[0]) ? 0 : 1;
      }
      --num_writing;
      return;
    }
    if (t == 2) {  // a neighbour comes and goes
      for (size_t round = 0; round < num_rounds; ++round) {
        num_wrong += columns.OpenColumn(0).ok() ? 0 : 1;
        columns.Insert(0, staying);
        num_wrong += columns.GetStats(0).num_keys == staying.size() ? 0 : 1;
        const std::vector<std::byte> bytes = columns.SerializeColumn(0);
        columns.CloseColumn(0);
        num_wrong += columns.MayContain(0, staying[0]) ? 1 : 0;
        num_wrong += columns.LoadColumn(0, bytes).ok() ? 0 : 1;
        for (const uint64_t key : staying) num_wrong += columns.MayContain(0, key) ? 0 : 1;
        columns.CloseColumn(0);
      }
      --num_writing;
      return;
    }
    std::vector<uint64_t> answers(staying.size() * words);
    std::vector<uint64_t> answer(words);
    while (num_writing > 0) {
      columns.Query(staying, answers);
      for (size_t i = 0; i < staying.size(); ++i) {
        columns.Query(staying[i], answer);
        for (const uint32_t c : kStaying) {
          num_missed += answers[i * words + c / 64] >> c % 64 & 1 ? 0 : 1;
          num_missed += answer[c / 64] >> c % 64 & 1 ? 0 : 1;
          num_missed += columns.MayContain(c, staying[i]) ? 0 : 1;
        }
      }
      num_wrong += columns.num_bytes() < columns.row_bytes() ? 1 : 0;
    }
  });
  CHECK(num_missed == 0);
  CHECK(num_wrong == 0);
  CHECK((columns.SerializeColumn(40) == before));
  for (const uint32_t c : {1U, 2U, 3U, 40U, 64U}) columns.CloseColumn(c);
  std::vector<uint64_t> queried = tests::MemberKeys(3000, 5);
  std::vector<uint64_t> answers(queried.size() * words);
  columns.Query(queried, answers);
  CHECK(std::ranges::all_of(answers, [](uint64_t word) { return word == 0; }));
}

TEST_CASE("what one thread inserts another finds once it is told", "[engine][columns][threads]") {
  constexpr size_t kKeys = 2000;
  FilterColumns columns =
      FilterColumns::Create({.column_capacity = 3000, .num_columns = 3}).value();
  for (uint32_t c = 0; c < 3; ++c) REQUIRE(columns.OpenColumn(c).ok());
  const std::vector<uint64_t> keys = tests::MemberKeys(kKeys, 1);
  std::atomic<size_t> told[2] = {0, 0};
  std::atomic<uint64_t> num_missed{0};
  tests::InThreads(3, [&](uint64_t t) {
    if (t < 2) {
      for (size_t i = 0; i < kKeys; ++i) {
        columns.Insert(static_cast<uint32_t>(t), keys[i]);
        told[t].store(i + 1, std::memory_order_release);
      }
      return;
    }
    uint64_t answer = 0;
    while (told[0] + told[1] < 2 * kKeys) {
      for (const uint32_t c : {0U, 1U}) {
        const size_t known = told[c].load(std::memory_order_acquire);
        for (size_t i = known < 20 ? 0 : known - 20; i < known; ++i) {
          columns.Query(keys[i], std::span(&answer, 1));
          num_missed += answer >> c & 1 ? 0 : 1;
        }
      }
    }
  });
  CHECK(num_missed == 0);
}

}  // namespace
}  // namespace trommel
