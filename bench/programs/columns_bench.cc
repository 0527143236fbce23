// Which of many columns may hold a key? FilterColumns beside a loop over as many CountingFilters of
// the same geometry and keys: queries, updates, memory, and false columns beside the model.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/machine/roofline.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/counting_filter.h"
#include "trommel/filter_columns.h"
#include "trommel/sizing.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr size_t kQueries = 16'384;
constexpr size_t kChunk = 256;     // keys per call of FilterColumns::Query: answers stay cached
constexpr size_t kLoopKeys = 256;  // of the loop one at a time, which is slow
constexpr size_t kUpdatedColumns = 64;
constexpr double kSecondsPerCeiling = 0.05;

constexpr char kUsage[] =
    "usage: columns_bench [--columns=64,1k,10k] [--keys=2k] [--rounds=5]\n"
    "  --columns  how many, in turn, up to 65536\n"
    "  --keys     per column, in turn\n"
    "  --rounds   paired measurements of each figure, after one that does not count\n";

// Columns and filters of one geometry with the same keys.
struct Sides {
  FilterColumns columns;
  std::vector<CountingFilter> filters;
};

Result<Sides> MakeSides(uint32_t num_columns, uint64_t keys_per_column) {
  Result<FilterColumns> columns =
      FilterColumns::Create({.column_capacity = keys_per_column, .num_columns = num_columns});
  if (!columns) return columns.error();
  Sides sides{*std::move(columns), {}};
  for (uint32_t c = 0; c < num_columns; ++c) {
    if (const Status opened = sides.columns.OpenColumn(c); !opened) return opened.error();
    Result<CountingFilter> filter =
        CountingFilter::CreateWithGeometry(sides.columns.geometry(), DigestPolicy{});
    if (!filter) return filter.error();
    const uint64_t first = kFirstMember + c * keys_per_column;
    ForEachBatch(first, keys_per_column, [&](Batch batch) {
      sides.columns.Insert(c, Keys::Digests(batch.digests));
      filter->Insert(Keys::Digests(batch.digests));
    });
    sides.filters.push_back(*std::move(filter));
  }
  return sides;
}

// --- The ways to query all columns for each of the digests. Each returns something that needs all
// answers: counting their bits would take longer than the queries.

uint64_t SumOf(std::span<const uint64_t> answers) {
  return std::accumulate(answers.begin(), answers.end(), uint64_t{0});
}

uint64_t LoopOne(const Sides& sides, std::span<const uint64_t> digests) {
  uint64_t num_shown = 0;
  for (const uint64_t digest : digests) {
    for (const CountingFilter& filter : sides.filters) {
      num_shown += filter.MayContain(Key::Digest(digest)) ? 1 : 0;
    }
  }
  return num_shown;
}

uint64_t LoopBatch(const Sides& sides, std::span<const uint64_t> digests) {
  uint64_t num_shown = 0;
  std::vector<uint64_t> answers(BitmapWords(digests.size()));
  for (const CountingFilter& filter : sides.filters) {
    num_shown += filter.Query(Keys::Digests(digests), answers);
  }
  return num_shown;
}

// Each query waits for the one before: its digest is computed from that answer.
uint64_t ColumnsOne(const Sides& sides, std::span<const uint64_t> digests) {
  std::vector<uint64_t> answer(sides.columns.row_words());
  uint64_t sum = 0;
  for (const uint64_t digest : digests) {
    const uint64_t never = SumOf(answer) == ~uint64_t{0} ? 1 : 0;
    sides.columns.Query(Key::Digest(digest + never), answer);
    sum += answer[0];
  }
  return sum;
}

// visit(answers) for each chunk.
template <class Visit>
void ForEachAnswer(const Sides& sides, std::span<const uint64_t> digests, const Visit& visit) {
  const size_t words = sides.columns.row_words();
  std::vector<uint64_t> answers(kChunk * words);
  for (size_t first = 0; first < digests.size(); first += kChunk) {
    const size_t count = std::min(kChunk, digests.size() - first);
    const auto chunk = std::span(answers).first(count * words);
    sides.columns.Query(Keys::Digests(digests.subspan(first, count)), chunk);
    visit(std::span<const uint64_t>(chunk));
  }
}

uint64_t ColumnsBatch(const Sides& sides, std::span<const uint64_t> digests) {
  uint64_t sum = 0;
  ForEachAnswer(sides, digests, [&sum](auto answers) { sum += SumOf(answers); });
  return sum;
}

uint64_t CountColumns(const Sides& sides, std::span<const uint64_t> digests) {
  uint64_t num_shown = 0;
  ForEachAnswer(sides, digests, [&](auto answers) {
    for (const uint64_t word : answers) num_shown += static_cast<uint64_t>(std::popcount(word));
  });
  return num_shown;
}

// To read a key's rows at random places. Lines beyond the fourth of a row count as others of four.
double RowsCeiling(const FilterColumns& columns) {
  const auto lines = static_cast<uint32_t>(std::max<size_t>(1, columns.row_words() / 8));
  const uint32_t at_once = std::min(lines, kMaxLines);
  return RandomReadNs(columns.row_bytes(), at_once, kSecondsPerCeiling) *
         columns.geometry().num_slices * lines / at_once;
}

// --- The checks. Empty, or what is wrong.

std::string CheckAnswers(const Sides& sides, uint64_t keys_per_column,
                         std::span<const uint64_t> digests) {
  const size_t words = sides.columns.row_words();
  const auto few = digests.first(kLoopKeys);
  std::vector<uint64_t> answers(few.size() * words);
  sides.columns.Query(Keys::Digests(few), answers);
  for (size_t i = 0; i < few.size(); ++i) {
    for (size_t c = 0; c < sides.filters.size(); ++c) {
      const bool shown = (answers[i * words + c / 64] >> c % 64 & 1) != 0;
      if (shown != sides.filters[c].MayContain(Key::Digest(few[i]))) return "answers differ";
    }
  }
  if (LoopBatch(sides, digests) != CountColumns(sides, digests)) return "batches differ";
  std::vector<uint64_t> answer(words);
  for (size_t i = 0; i < few.size(); ++i) {
    sides.columns.Query(Key::Digest(few[i]), answer);
    if (!std::ranges::equal(answer, std::span(answers).subspan(i * words, words))) {
      return "single answers differ";
    }
  }
  for (uint32_t c = 0; c < sides.filters.size(); ++c) {
    const Population members(kFirstMember + c * keys_per_column, 1);
    if (!sides.columns.MayContain(c, Key::Digest(members.batch().digests[0]))) {
      return "a member is absent";
    }
  }
  return "";
}

// --- The tables.

void PrintQueries(const Sides& sides, std::span<const uint64_t> digests, uint64_t rounds) {
  using Way = uint64_t (*)(const Sides&, std::span<const uint64_t>);
  const std::vector<Way> ways = {&LoopOne, &LoopBatch, &ColumnsOne, &ColumnsBatch};
  TrialRow row{"all columns", std::vector<Figures>(ways.size() + 1)};
  volatile uint64_t sum = 0;
  InRounds(ways.size() + 1, rounds, [&](size_t way, bool counts) {
    const size_t num_keys = way == 0 ? kLoopKeys : kQueries;
    const double ns = way == ways.size() ? RowsCeiling(sides.columns) : CpuNsPerKey(num_keys, [&] {
      sum = ways[way](sides, digests.first(num_keys));
    });
    if (counts) row.sides[way].push_back(ns);
  });
  std::printf("%s",
              FormatTrial("Queries of non-members, ns per key",
                          {"loop one", "loop batch", "columns one", "columns batch", "ceiling"},
                          {{"loop one / columns one", 0, 2},
                           {"loop batch / columns batch", 1, 3},
                           {"ceiling / columns batch", 4, 3}},
                          {row})
                  .c_str());
}

// Guests are inserted into some columns spread over all, and erased again.
void PrintUpdates(Sides& sides, uint64_t keys_per_column, uint64_t rounds) {
  const Population guests(kFirstGuest, std::max<size_t>(1, keys_per_column / 8));
  const Keys keys = Keys::Digests(guests.batch().digests);
  const size_t num_updated = std::min(kUpdatedColumns, sides.filters.size());
  const size_t step = sides.filters.size() / num_updated;
  const auto for_each_updated = [&](const auto& update) {
    return CpuNsPerKey(num_updated * keys.size(), [&] {
      for (size_t i = 0; i < num_updated; ++i) update(static_cast<uint32_t>(i * step));
    });
  };
  TrialRow insert{"insert", std::vector<Figures>(3)};
  TrialRow erase{"erase", std::vector<Figures>(3)};
  InRounds(3, rounds, [&](size_t side, bool counts) {
    const auto record = [&](TrialRow& row, double ns) {
      if (counts) row.sides[side].push_back(ns);
    };
    if (side == 2) {  // a line of each of the key's rows
      const double line_ns = RandomUpdateNs(sides.columns.row_bytes(), 1, kSecondsPerCeiling);
      for (TrialRow* row : {&insert, &erase}) {
        record(*row, line_ns * sides.columns.geometry().num_slices);
      }
      return;
    }
    record(insert, for_each_updated([&](uint32_t c) {
             if (side == 0) {
               sides.filters[c].Insert(keys);
             } else {
               sides.columns.Insert(c, keys);
             }
           }));
    record(erase, for_each_updated([&](uint32_t c) {
             side == 0 ? sides.filters[c].Erase(keys) : sides.columns.Erase(c, keys);
           }));
  });
  std::printf(
      "\n%s",
      FormatTrial("Updates of one column, ns per key", {"filter", "columns", "ceiling of rows"},
                  {{"columns / filter", 1, 0}, {"ceiling / columns", 2, 1}}, {insert, erase})
          .c_str());
}

void PrintMemory(const Sides& sides, uint64_t keys_per_column, uint64_t num_false) {
  const FilterColumns& columns = sides.columns;
  const double num_columns = columns.num_columns();
  const double num_keys = num_columns * static_cast<double>(keys_per_column);
  const auto row_bytes = static_cast<double>(columns.row_bytes());
  const double counter_bytes = static_cast<double>(columns.num_bytes()) - row_bytes;
  const double predicted = num_columns * PredictedFpr(columns.geometry(), keys_per_column);
  std::printf(
      "\nMemory: rows %.1f MB, %.1f bits per key, %.1f KB per column; counters %.1f MB, %.1f bits "
      "per key, %.1f KB per column\n"
      "False columns per query: measured %.3f, predicted %.3f\n",
      row_bytes / 1048576, 8 * row_bytes / num_keys, row_bytes / num_columns / 1024,
      counter_bytes / 1048576, 8 * counter_bytes / num_keys, counter_bytes / num_columns / 1024,
      static_cast<double>(num_false) / kQueries, predicted);
}

// Returns whether the sides could be made and agree.
bool RunOne(uint64_t num_columns, uint64_t keys_per_column, uint64_t rounds) {
  // More than are allowed stay more, and Create says so.
  const uint64_t in_range = std::min<uint64_t>(num_columns, uint64_t{kMaxColumns} + 1);
  Result<Sides> sides = MakeSides(static_cast<uint32_t>(in_range), keys_per_column);
  if (!sides) {
    std::fprintf(stderr, "columns_bench: %s\n", sides.error().message.c_str());
    return false;
  }
  const Population non_members(kFirstNonMember, kQueries);
  const std::span<const uint64_t> digests = non_members.batch().digests;
  const Geometry& geometry = sides->columns.geometry();
  std::printf("\n%s columns of %s keys: %u slices, %llu blocks, rows of %zu words\n",
              CountName(num_columns).c_str(), CountName(keys_per_column).c_str(),
              geometry.num_slices, static_cast<unsigned long long>(geometry.num_blocks),
              sides->columns.row_words());
  if (const std::string wrong = CheckAnswers(*sides, keys_per_column, digests); !wrong.empty()) {
    std::fprintf(stderr, "columns_bench: %s\n", wrong.c_str());
    return false;
  }
  PrintQueries(*sides, digests, rounds);
  PrintUpdates(*sides, keys_per_column, rounds);
  PrintMemory(*sides, keys_per_column, CountColumns(*sides, digests));
  std::fflush(stdout);
  return true;
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> columns = {64, 1000, 10'000};
  std::vector<uint64_t> keys = {2000};
  uint64_t rounds = 5;
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--columns", columns, 1), CountsArgument("--keys", keys, 1),
                      CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  std::printf(
      "One thread, target %s. Medians of %d paired rounds; ratios are taken in each round: median "
      "[min..max].\n",
      std::string(ActiveTarget()).c_str(), static_cast<int>(rounds));
  for (const uint64_t num_columns : columns) {
    for (const uint64_t keys_per_column : keys) {
      if (!RunOne(num_columns, keys_per_column, rounds)) return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
