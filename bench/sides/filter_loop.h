// Which of many sets may hold a key? A loop over one counting filter per set, and how it is
// measured beside structures that answer for all sets at once, with a row of bits per key.
#ifndef TROMMEL_BENCH_SIDES_FILTER_LOOP_H_
#define TROMMEL_BENCH_SIDES_FILTER_LOOP_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/sides/workload.h"
#include "bench/text/figures.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {

using Filters = std::vector<CountingFilter>;  // one per set

inline constexpr size_t kRowsAtOnce = 256;  // keys per batch: their rows stay cached
inline constexpr size_t kUpdatedSets = 64;

// --- Ways to query. Each returns something that needs all answers: counting their bits would take
// longer than the queries.

inline uint64_t SumOf(std::span<const uint64_t> words) {
  return std::accumulate(words.begin(), words.end(), uint64_t{0});
}

inline uint64_t LoopOne(const Filters& filters, std::span<const uint64_t> digests) {
  uint64_t num_shown = 0;
  for (const uint64_t digest : digests) {
    for (const CountingFilter& filter : filters) {
      num_shown += filter.MayContain(Key::Digest(digest)) ? 1 : 0;
    }
  }
  return num_shown;
}

inline uint64_t LoopBatch(const Filters& filters, std::span<const uint64_t> digests) {
  std::vector<uint64_t> answers(BitmapWords(digests.size()));
  uint64_t num_shown = 0;
  for (const CountingFilter& filter : filters) {
    num_shown += filter.Query(Keys::Digests(digests), answers);
  }
  return num_shown;
}

// query(key, row) of each key, which waits for the one before: its digest depends on that answer.
template <class Query>
uint64_t RowsOne(size_t num_words, std::span<const uint64_t> digests, const Query& query) {
  std::vector<uint64_t> row(num_words);
  uint64_t sum = 0;
  for (const uint64_t digest : digests) {
    const uint64_t never = SumOf(row) == ~uint64_t{0} ? 1 : 0;
    query(Key::Digest(digest + never), std::span(row));
    sum += row[0];
  }
  return sum;
}

// query(keys, rows) of kRowsAtOnce keys at a time, and visit(rows) after each.
template <class Query, class Visit>
void ForEachRows(size_t num_words, std::span<const uint64_t> digests, const Query& query,
                 const Visit& visit) {
  std::vector<uint64_t> rows(kRowsAtOnce * num_words);
  for (size_t first = 0; first < digests.size(); first += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, digests.size() - first);
    const auto some = std::span(rows).first(count * num_words);
    query(Keys::Digests(digests.subspan(first, count)), some);
    visit(std::span<const uint64_t>(some));
  }
}

template <class Query>
uint64_t RowsBatch(size_t num_words, std::span<const uint64_t> digests, const Query& query) {
  uint64_t sum = 0;
  ForEachRows(num_words, digests, query, [&sum](auto rows) { sum += SumOf(rows); });
  return sum;
}

template <class Query>
uint64_t CountBits(size_t num_words, std::span<const uint64_t> digests, const Query& query) {
  uint64_t num_shown = 0;
  ForEachRows(num_words, digests, query, [&](auto rows) {
    for (const uint64_t word : rows) num_shown += static_cast<uint64_t>(std::popcount(word));
  });
  return num_shown;
}

// --- Updates: guests_of(i) is inserted into the i-th of some sets, which are spread over all, and
// erased again, by each side. update(side, set, keys, is_insert). Rows "insert" and "erase", in ns
// per key.
template <class GuestsOf, class Update>
std::vector<TrialRow> TimeUpdates(size_t num_sides, size_t num_sets, uint64_t rounds,
                                  const GuestsOf& guests_of, const Update& update) {
  const size_t num_updated = std::min(kUpdatedSets, num_sets);
  const size_t step = num_sets / num_updated;
  std::vector<TrialRow> rows = {{"insert", std::vector<Figures>(num_sides)},
                                {"erase", std::vector<Figures>(num_sides)}};
  InRounds(num_sides, rounds, [&](size_t side, bool counts) {
    for (TrialRow& row : rows) {
      const double ns = CpuNsPerKey(num_updated * guests_of(0).size(), [&] {
        for (size_t i = 0; i < num_updated; ++i) {
          update(side, static_cast<uint32_t>(i * step), Keys::Digests(guests_of(i)),
                 &row == &rows.front());
        }
      });
      if (counts) row.sides[side].push_back(ns);
    }
  });
  return rows;
}

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_FILTER_LOOP_H_
