// Which of many columns may hold a key? ColumnMap beside a loop over one CountingFilter per column
// with the same keys: queries, updates, memory, and false columns beside the models.
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
#include "trommel/column_map.h"
#include "trommel/counting_filter.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr size_t kQueries = 16'384;
constexpr size_t kChunk = 256;     // keys per call of ColumnMap::Query: answers stay cached
constexpr size_t kLoopKeys = 256;  // of the loop one at a time, which is slow
constexpr size_t kUpdatedColumns = 64;
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
  std::vector<CountingFilter> filters;  // one per column
};

Result<Sides> MakeSides(const Shape& shape) {
  const uint64_t num_pairs = shape.num_columns * shape.keys_per_column;
  Result<ColumnMap> map = ColumnMap::Create(
      {.capacity = shape.spread <= kMostInSlots ? num_pairs : num_pairs / shape.spread + 1,
       .num_columns = shape.num_columns});
  if (!map) return map.error();
  Sides sides{*std::move(map), {}};
  for (uint32_t c = 0; c < shape.num_columns; ++c) {
    if (const Status opened = sides.map.OpenColumn(c); !opened) return opened.error();
    Result<CountingFilter> filter =
        CountingFilter::Create({.capacity = shape.keys_per_column, .target_fpr = 0.004});
    if (!filter) return filter.error();
    ForEachBatch(shape.FirstKeyOf(c, kFirstMember), shape.keys_per_column, [&](Batch batch) {
      sides.map.Insert(c, Keys::Digests(batch.digests));
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
uint64_t MapOne(const Sides& sides, std::span<const uint64_t> digests) {
  std::vector<uint64_t> answer(sides.map.row_words());
  uint64_t sum = 0;
  for (const uint64_t digest : digests) {
    const uint64_t never = SumOf(answer) == ~uint64_t{0} ? 1 : 0;
    sides.map.Query(Key::Digest(digest + never), answer);
    sum += answer[0];
  }
  return sum;
}

// visit(answers) for each chunk.
template <class Visit>
void ForEachAnswer(const Sides& sides, std::span<const uint64_t> digests, const Visit& visit) {
  const size_t words = sides.map.row_words();
  std::vector<uint64_t> answers(kChunk * words);
  for (size_t first = 0; first < digests.size(); first += kChunk) {
    const size_t count = std::min(kChunk, digests.size() - first);
    const auto chunk = std::span(answers).first(count * words);
    sides.map.Query(Keys::Digests(digests.subspan(first, count)), chunk);
    visit(std::span<const uint64_t>(chunk));
  }
}

uint64_t MapBatch(const Sides& sides, std::span<const uint64_t> digests) {
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

uint64_t BlockBytes(const ColumnMap& map) { return map.geometry().num_blocks * 64; }

// --- The checks. Empty, or what is wrong.

std::string CheckAnswers(const Sides& sides, const Shape& shape,
                         std::span<const uint64_t> digests) {
  const size_t words = sides.map.row_words();
  const auto few = digests.first(kLoopKeys);
  std::vector<uint64_t> answers(few.size() * words);
  sides.map.Query(Keys::Digests(few), answers);
  std::vector<uint64_t> answer(words);
  for (size_t i = 0; i < few.size(); ++i) {
    sides.map.Query(Key::Digest(few[i]), answer);
    if (!std::ranges::equal(answer, std::span(answers).subspan(i * words, words))) {
      return "single answers differ";
    }
  }
  if (LoopOne(sides, few) != LoopBatch(sides, few)) return "answers of filters differ";
  for (uint32_t c = 0; c < shape.num_columns; ++c) {
    const Population members(shape.FirstKeyOf(c, kFirstMember), 1);
    const Key key = Key::Digest(members.batch().digests[0]);
    if (!sides.map.MayContain(c, key) || !sides.filters[c].MayContain(key)) {
      return "a member is absent";
    }
  }
  return "";
}

// --- The tables.

void PrintQueries(const Sides& sides, const char* which, std::span<const uint64_t> digests,
                  uint64_t rounds) {
  using Way = uint64_t (*)(const Sides&, std::span<const uint64_t>);
  const std::vector<Way> ways = {&LoopOne, &LoopBatch, &MapOne, &MapBatch};
  TrialRow row{"all columns", std::vector<Figures>(ways.size() + 1)};
  volatile uint64_t sum = 0;
  InRounds(ways.size() + 1, rounds, [&](size_t way, bool counts) {
    const size_t num_keys = way == 0 ? kLoopKeys : digests.size();
    const double ns =
        way == ways.size()
            ? RandomReadNs(BlockBytes(sides.map), 1, kSecondsPerCeiling)
            : CpuNsPerKey(num_keys, [&] { sum = ways[way](sides, digests.first(num_keys)); });
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
  const size_t num_updated = std::min(kUpdatedColumns, sides.filters.size());
  const size_t step = sides.filters.size() / num_updated;
  std::vector<Population> guests;
  for (size_t i = 0; i < num_updated; ++i) {
    guests.emplace_back(kFirstGuest + i / shape.spread * num_guests, num_guests);
  }
  const auto for_each_updated = [&](const auto& update) {
    return CpuNsPerKey(num_updated * num_guests, [&] {
      for (size_t i = 0; i < num_updated; ++i) {
        update(static_cast<uint32_t>(i * step), Keys::Digests(guests[i].batch().digests));
      }
    });
  };
  TrialRow insert{"insert", std::vector<Figures>(2)};
  TrialRow erase{"erase", std::vector<Figures>(2)};
  InRounds(2, rounds, [&](size_t side, bool counts) {
    const double inserted = for_each_updated([&](uint32_t c, Keys keys) {
      side == 0 ? sides.filters[c].Insert(keys) : sides.map.Insert(c, keys);
    });
    const double erased = for_each_updated([&](uint32_t c, Keys keys) {
      side == 0 ? sides.filters[c].Erase(keys) : sides.map.Erase(c, keys);
    });
    if (counts) insert.sides[side].push_back(inserted);
    if (counts) erase.sides[side].push_back(erased);
  });
  std::printf("\n%s", FormatTrial("Updates of one column, ns per key", {"filter", "map"},
                                  {{"map / filter", 1, 0}}, {insert, erase})
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
  print("filters", filter_bytes, LoopBatch(sides, non_members), filters_predicted);
  print("map", map.num_bytes, CountColumns(sides, non_members), map.predicted_false_columns);
}

// Returns whether the sides could be made and agree.
bool RunOne(const Shape& shape, uint64_t rounds) {
  Result<Sides> sides = MakeSides(shape);
  if (!sides) {
    std::fprintf(stderr, "columns_bench: %s\n", sides.error().message.c_str());
    return false;
  }
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
  const MapGeometry& geometry = sides->map.geometry();
  std::printf("\n%s columns of %s keys, each key in %s: %u bits per slot, %llu blocks\n",
              CountName(shape.num_columns).c_str(), CountName(shape.keys_per_column).c_str(),
              CountName(shape.spread).c_str(), geometry.slot_bits(),
              static_cast<unsigned long long>(geometry.num_blocks));
  const std::span<const uint64_t> others = non_members.batch().digests;
  if (const std::string wrong = CheckAnswers(*sides, shape, others); !wrong.empty()) {
    std::fprintf(stderr, "columns_bench: %s\n", wrong.c_str());
    return false;
  }
  PrintQueries(*sides, "non-members", others, rounds);
  PrintQueries(*sides, "members", members, rounds);
  PrintUpdates(*sides, shape, rounds);
  PrintMemory(*sides, others);
  std::fflush(stdout);
  return true;
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
  std::printf(
      "One thread, target %s. Medians of %d paired rounds; ratios are taken in each round: median "
      "[min..max].\n",
      std::string(ActiveTarget()).c_str(), static_cast<int>(rounds));
  for (const uint64_t num_columns : columns) {
    // More than are allowed stay more, and Create says so.
    const auto in_range =
        static_cast<uint32_t>(std::min<uint64_t>(num_columns, uint64_t{kMaxMapColumns} + 1));
    for (const uint64_t keys_per_column : keys) {
      for (const uint64_t spread : spreads) {
        if (!RunOne({in_range, keys_per_column, spread}, rounds)) return 1;
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
