// Which of many columns may hold a key? ColumnMap beside a loop over one CountingFilter per column
// with the same keys: queries, updates, memory, and false columns beside the models.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/machine/roofline.h"
#include "bench/sides/demand.h"
#include "bench/sides/filter_loop.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/column_map.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

constexpr size_t kQueries = 16'384;
constexpr size_t kLoopKeys = 256;     // of the loop one at a time, which is slow
constexpr uint64_t kMostInSlots = 8;  // columns of a key whose pairs are to have slots
constexpr double kSecondsPerCeiling = 0.05;

constexpr char kUsage[] =
    "usage: columns_bench [--columns=64,1k,10k] [--keys=2k] [--spread=1] [--rounds=5]\n"
    "  --columns  how many, in turn, up to 65535\n"
    "  --keys     per column, in turn\n"
    "  --spread   columns that each key is in, in turn\n"
    "  --rounds   paired measurements of each figure, after one that does not count\n";

struct Shape {
  uint32_t num_columns = 0;
  uint64_t keys_per_column = 0;
  uint64_t spread = 1;

  // Columns c, c + 1, .. of one group of `spread` have the same keys, which begin here.
  uint64_t FirstKeyOf(uint32_t column, uint64_t first) const {
    return first + column / spread * keys_per_column;
  }
};

struct Sides {
  ColumnMap map;
  Filters filters;  // one per column
};

Sides MakeSides(const Shape& shape) {
  const uint64_t num_pairs = shape.num_columns * shape.keys_per_column;
  Sides sides{
      ValueOrExit(ColumnMap::Create(
          {.capacity = shape.spread <= kMostInSlots ? num_pairs : num_pairs / shape.spread + 1,
           .num_columns = shape.num_columns})),
      {}};
  for (uint32_t c = 0; c < shape.num_columns; ++c) {
    Demand(sides.map.OpenColumn(c).ok(), "a column is not opened");
    CountingFilter& filter = sides.filters.emplace_back(ValueOrExit(
        CountingFilter::Create({.capacity = shape.keys_per_column, .target_fpr = 0.004})));
    ForEachBatch(shape.FirstKeyOf(c, kFirstMember), shape.keys_per_column, [&](Batch batch) {
      sides.map.Insert(c, Keys::Digests(batch.digests));
      filter.Insert(Keys::Digests(batch.digests));
    });
  }
  return sides;
}

auto QueryOf(const Sides& sides) {
  return [&sides](const auto& keys, std::span<uint64_t> rows) { sides.map.Query(keys, rows); };
}

uint64_t BlockBytes(const ColumnMap& map) { return map.geometry().num_blocks * 64; }

// --- The checks, which end the program.

void CheckAnswers(const Sides& sides, const Shape& shape, std::span<const uint64_t> digests) {
  const size_t words = sides.map.row_words();
  const auto few = digests.first(kLoopKeys);
  std::vector<uint64_t> answers(few.size() * words);
  sides.map.Query(Keys::Digests(few), answers);
  std::vector<uint64_t> answer(words);
  for (size_t i = 0; i < few.size(); ++i) {
    sides.map.Query(Key::Digest(few[i]), answer);
    Demand(std::ranges::equal(answer, std::span(answers).subspan(i * words, words)),
           "single answers differ");
  }
  Demand(LoopOne(sides.filters, few) == LoopBatch(sides.filters, few), "answers of filters differ");
  for (uint32_t c = 0; c < shape.num_columns; ++c) {
    const Population members(shape.FirstKeyOf(c, kFirstMember), 1);
    const Key key = Key::Digest(members.batch().digests[0]);
    Demand(sides.map.MayContain(c, key) && sides.filters[c].MayContain(key), "a member is absent");
  }
}

// --- The tables.

void PrintQueries(const Sides& sides, const char* which, std::span<const uint64_t> digests,
                  uint64_t rounds) {
  constexpr size_t kCeiling = 4;
  TrialRow row{"all columns", std::vector<Figures>(kCeiling + 1)};
  const size_t words = sides.map.row_words();
  volatile uint64_t sum = 0;
  InRounds(kCeiling + 1, rounds, [&](size_t way, bool counts) {
    const auto some = digests.first(way == 0 ? kLoopKeys : digests.size());
    const double ns = way == kCeiling ? RandomReadNs(BlockBytes(sides.map), 1, kSecondsPerCeiling)
                                      : CpuNsPerKey(some.size(), [&] {
                                          sum = way == 0   ? LoopOne(sides.filters, some)
                                                : way == 1 ? LoopBatch(sides.filters, some)
                                                : way == 2 ? RowsOne(words, some, QueryOf(sides))
                                                           : RowsBatch(words, some, QueryOf(sides));
                                        });
    if (counts) row.sides[way].push_back(ns);
  });
  std::printf("%s", FormatTrial(std::string("Queries of ") + which + ", ns per key",
                                {"loop one", "loop batch", "map one", "map batch", "ceiling"},
                                {{"loop one / map one", 0, 2},
                                 {"loop batch / map batch", 1, 3},
                                 {"ceiling / map batch", 4, 3}},
                                {row})
                        .c_str());
}

// Guests are inserted into some columns spread over all, and erased again.
void PrintUpdates(Sides& sides, const Shape& shape, uint64_t rounds) {
  const uint64_t num_guests = std::max<uint64_t>(1, shape.keys_per_column / 8);
  std::vector<Population> guests;
  for (size_t i = 0; i < kUpdatedSets; ++i) {
    guests.emplace_back(kFirstGuest + i / shape.spread * num_guests, num_guests);
  }
  const auto update = [&](size_t side, uint32_t c, Keys keys, bool is_insert) {
    if (side == 0) {
      is_insert ? (void)sides.filters[c].Insert(keys) : (void)sides.filters[c].Erase(keys);
    } else {
      is_insert ? (void)sides.map.Insert(c, keys) : (void)sides.map.Erase(c, keys);
    }
  };
  const std::vector<TrialRow> rows = TimeUpdates(
      2, sides.filters.size(), rounds, [&](size_t i) { return guests[i].batch().digests; }, update);
  std::printf("\n%s", FormatTrial("Updates of one column, ns per key", {"filter", "map"},
                                  {{"map / filter", 1, 0}}, rows)
                          .c_str());
}

void PrintMemory(const Sides& sides, std::span<const uint64_t> non_members) {
  uint64_t filter_bytes = 0;
  uint64_t num_keys = 0;
  double filters_predicted = 0;
  for (const CountingFilter& filter : sides.filters) {
    const Stats stats = filter.GetStats();
    filter_bytes += stats.num_bytes;
    num_keys += stats.num_keys;
    filters_predicted += stats.predicted_fpr;
  }
  const MapStats map = sides.map.GetStats();
  const auto count = static_cast<double>(non_members.size());
  const auto print = [&](const char* name, uint64_t num_bytes, uint64_t num_false, double model) {
    std::printf(
        "%-8s %8.1f MB, %5.1f bits per key and column; false columns per query: measured %8.3f, "
        "predicted %8.3f\n",
        name, static_cast<double>(num_bytes) / 1048576,
        8 * static_cast<double>(num_bytes) / static_cast<double>(num_keys),
        static_cast<double>(num_false) / count, model);
  };
  std::printf("\n");
  print("filters", filter_bytes, LoopBatch(sides.filters, non_members), filters_predicted);
  print("map", map.num_bytes, CountBits(sides.map.row_words(), non_members, QueryOf(sides)),
        map.predicted_false_columns);
}

void RunOne(const Shape& shape, uint64_t rounds) {
  Sides sides = MakeSides(shape);
  const Population non_members(kFirstNonMember, kQueries);
  // Members of columns that are spread over all.
  std::vector<uint64_t> members;
  for (uint64_t i = 0; members.size() < kQueries; ++i) {
    const auto column = static_cast<uint32_t>(i * 7919 % shape.num_columns);
    const Population some(shape.FirstKeyOf(column, kFirstMember), shape.keys_per_column);
    for (size_t k = i % 7; k < shape.keys_per_column && members.size() < kQueries; k += 31) {
      members.push_back(some.batch().digests[k]);
    }
  }
  const MapGeometry& geometry = sides.map.geometry();
  std::printf("\n%s columns of %s keys, each key in %s: %u bits per slot, %llu blocks\n",
              CountName(shape.num_columns).c_str(), CountName(shape.keys_per_column).c_str(),
              CountName(shape.spread).c_str(), geometry.slot_bits(),
              static_cast<unsigned long long>(geometry.num_blocks));
  const std::span<const uint64_t> others = non_members.batch().digests;
  CheckAnswers(sides, shape, others);
  PrintQueries(sides, "non-members", others, rounds);
  PrintQueries(sides, "members", members, rounds);
  PrintUpdates(sides, shape, rounds);
  PrintMemory(sides, others);
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> columns = {64, 1000, 10'000};
  std::vector<uint64_t> keys = {2000};
  std::vector<uint64_t> spreads = {1};
  uint64_t rounds = 5;
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--columns", columns, 1), CountsArgument("--keys", keys, 1),
                      CountsArgument("--spread", spreads, 1), CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  std::fputs(TrialHeading("", rounds).c_str(), stdout);
  for (const uint64_t num_columns : columns) {
    // More than are allowed stay more, and Create says so.
    const auto in_range =
        static_cast<uint32_t>(std::min<uint64_t>(num_columns, uint64_t{kMaxMapColumns} + 1));
    for (const uint64_t keys_per_column : keys) {
      for (const uint64_t spread : spreads) {
        RunOne({in_range, keys_per_column, spread}, rounds);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
