// Queries for several attributes of a table's rows: an exact index of Roaring bitmaps beside an
// AttributeFilter, from columns with few values to columns whose values are all different. Built
// where CRoaring is installed. How to read it: README.md.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bitmaps/bitmap_index.h"
#include "bench/bitmaps/value_table.h"
#include "bench/machine/clock.h"
#include "bench/sides/demand.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/attribute_filter.h"

namespace trommel::bench {
namespace {

struct BitmapTrialRequest {
  size_t num_queries = 0;  // of each kind
  uint64_t rounds = 1;
  double target_fpr = 0.01;  // of each set of the filter
  uint64_t seed = 1;
};

struct BitmapTrialOutcome {
  size_t num_sets = 0;
  uint64_t bitmap_bytes = 0;  // compact
  uint64_t filter_bytes = 0;
  std::vector<TrialRow> queries;  // ns per query, of each BitmapQuerySide
  std::vector<TrialRow> updates;  // ns per row, of {bitmaps, filter}
  // Of the filter, with the number of queries of a kind; the bitmaps have none.
  struct FalsePositives {
    std::string label;
    size_t num_queries = 0;
    size_t num_maybe = 0;
  };
  std::vector<FalsePositives> false_positives;
};

// An index of bitmaps answers one query after the other; the filter also takes batches.
enum BitmapQuerySide : uint8_t { kBitmapSide, kFilterOneSide, kFilterBatchSide };
const std::vector<std::string> kBitmapQuerySides = {"bitmaps", "filter, one", "filter, batch"};
const std::vector<RatioColumn> kBitmapQueryRatios = {
    {"bitmaps / one", kBitmapSide, kFilterOneSide},
    {"bitmaps / batch", kBitmapSide, kFilterBatchSide}};
const std::vector<std::string> kBitmapUpdateSides = {"bitmaps", "filter"};
const std::vector<RatioColumn> kBitmapUpdateRatios = {{"bitmaps / filter", 0, 1}};

constexpr size_t kMostUpdatedRows = 20'000;
constexpr size_t kRowsPerInsert = 1 << 16;

AttributeFilter MakeFilter(const ValueTable& table, double target_fpr) {
  AttributeConfig config;
  config.sets = ValueOrExit(AttributeSets::Create(static_cast<uint32_t>(table.columns.size())));
  config.capacity = table.num_rows();
  config.num_values = table.NumValues();
  config.target_fpr = target_fpr;
  return ValueOrExit(AttributeFilter::Create(config));
}

void InsertAll(const ValueTable& table, BitmapIndex& bitmaps, AttributeFilter& filter) {
  std::vector<uint32_t> rows;
  for (size_t first = 0; first < table.num_rows(); first += kRowsPerInsert) {
    rows.resize(std::min(kRowsPerInsert, table.num_rows() - first));
    std::iota(rows.begin(), rows.end(), static_cast<uint32_t>(first));
    const RowDigests digests(table, rows);
    for (size_t i = 0; i < rows.size(); ++i) bitmaps.Insert(rows[i], digests.Row(i));
    Demand(filter.Insert(digests.view()).num_refused == 0, "the filter refuses a row");
  }
}

// For the first two attributes, and for all where there are more.
std::vector<ValueQueries> KindsOfQueries(const ValueTable& table,
                                         const BitmapTrialRequest& request) {
  std::vector<AttributeMask> sets = {table.all() & 0b11};
  if (sets.front() != table.all()) sets.push_back(table.all());
  std::vector<ValueQueries> kinds;
  for (const AttributeMask set : sets) {
    for (const auto make : {ValueQueries::Members, ValueQueries::Mixtures, ValueQueries::New}) {
      kinds.push_back(make(table, set, request.num_queries, request.seed));
    }
  }
  std::erase_if(kinds, [](const ValueQueries& kind) { return kind.size() == 0; });
  return kinds;
}

void MeasureQueries(const ValueQueries& kind, const BitmapIndex& bitmaps,
                    const AttributeFilter& filter, uint64_t rounds, BitmapTrialOutcome& outcome) {
  const Tuples tuples = kind.digests.view();
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(tuples.size));
  std::array<size_t, 3> num_maybe{};
  const auto ask_each = [&](size_t side, const auto& ask) {
    num_maybe[side] = 0;
    for (size_t i = 0; i < tuples.size; ++i) num_maybe[side] += ask(kind.digests.Row(i)) ? 1 : 0;
  };
  using Row = std::span<const uint64_t>;
  const std::function<void()> ways[] = {
      [&] { ask_each(kBitmapSide, [&](Row row) { return bitmaps.Has(kind.set, row); }); },
      [&] { ask_each(kFilterOneSide, [&](Row row) { return filter.MayContain(kind.set, row); }); },
      [&] { num_maybe[kFilterBatchSide] = filter.Query(kind.set, tuples, maybe); }};
  outcome.queries.push_back({kind.name, TimeInRounds(ways, tuples.size, rounds)});

  Demand(num_maybe[kBitmapSide] == (kind.are_members ? tuples.size : 0),
         "the bitmaps answer wrongly");
  Demand(num_maybe[kFilterOneSide] == num_maybe[kFilterBatchSide],
         "the filter answers single queries differently");
  Demand(!kind.are_members || num_maybe[kFilterBatchSide] == tuples.size,
         "the filter answers \"absent\" to a member");
  if (kind.are_members) return;
  outcome.false_positives.push_back({kind.name, tuples.size, num_maybe[kFilterBatchSide]});
}

// Random rows are erased and inserted again, in another order. The bitmaps are told their numbers.
void MeasureUpdates(const ValueTable& table, const BitmapTrialRequest& request,
                    BitmapIndex& bitmaps, AttributeFilter& filter, BitmapTrialOutcome& outcome) {
  std::vector<uint32_t> rows(table.num_rows());
  std::iota(rows.begin(), rows.end(), 0U);
  std::mt19937_64 random(request.seed);
  std::ranges::shuffle(rows, random);
  rows.resize(std::min(kMostUpdatedRows, (rows.size() + 9) / 10));
  const RowDigests erased(table, rows);
  std::vector<uint32_t> shuffled = rows;
  std::ranges::shuffle(shuffled, random);
  const RowDigests inserted(table, shuffled);

  TrialRow erase{"erase", {{}, {}}};
  TrialRow insert{"insert", {{}, {}}};
  const size_t count = rows.size();
  InRounds(2, request.rounds, [&](size_t side, bool counts) {
    uint64_t num_refused = 0;
    const double erase_ns = CpuNsPerKey(count, [&] {
      if (side == 1) {
        num_refused += filter.Erase(erased.view()).num_refused;
      } else {
        for (size_t i = 0; i < count; ++i) bitmaps.Erase(rows[i], erased.Row(i));
      }
    });
    const double insert_ns = CpuNsPerKey(count, [&] {
      if (side == 1) {
        num_refused += filter.Insert(inserted.view()).num_refused;
      } else {
        for (size_t i = 0; i < count; ++i) bitmaps.Insert(shuffled[i], inserted.Row(i));
      }
    });
    Demand(num_refused == 0, "the filter refuses an update");
    if (!counts) return;
    erase.sides[side].push_back(erase_ns);
    insert.sides[side].push_back(insert_ns);
  });
  outcome.updates = {insert, erase};
}

double Megabytes(uint64_t num_bytes) { return static_cast<double>(num_bytes) / 1e6; }

// Requires from 1 to 16 attributes and at least one row.
BitmapTrialOutcome RunBitmapTrial(const ValueTable& table, const BitmapTrialRequest& request) {
  BitmapTrialOutcome outcome;
  BitmapIndex bitmaps(table.columns.size());
  AttributeFilter filter = MakeFilter(table, request.target_fpr);
  InsertAll(table, bitmaps, filter);
  bitmaps.Compact();
  outcome.num_sets = filter.sets().allowed().size();
  outcome.bitmap_bytes = bitmaps.num_bytes();
  outcome.filter_bytes = filter.num_bytes();
  const std::vector<ValueQueries> kinds = KindsOfQueries(table, request);
  for (const ValueQueries& kind : kinds) {
    MeasureQueries(kind, bitmaps, filter, request.rounds, outcome);
  }
  MeasureUpdates(table, request, bitmaps, filter, outcome);
  for (const ValueQueries& kind : kinds) {  // every row is in again
    size_t num_found = 0;
    for (size_t i = 0; i < kind.size(); ++i) {
      num_found += bitmaps.Has(kind.set, kind.digests.Row(i)) ? 1 : 0;
    }
    Demand(num_found == (kind.are_members ? kind.size() : 0),
           "the bitmaps answer wrongly after updates");
  }
  return outcome;
}

std::string FormatBitmapTrial(const ValueTable& table, const BitmapTrialOutcome& outcome) {
  std::string text = table.Text() + ".\n";
  text += Printed("MB: bitmaps %.2f, filter of %zu sets %.2f\n", Megabytes(outcome.bitmap_bytes),
                  outcome.num_sets, Megabytes(outcome.filter_bytes));
  for (const auto& kind : outcome.false_positives) {
    text +=
        Printed("false positives of the filter, %s: %zu of %zu, %.3f %%\n", kind.label.c_str(),
                kind.num_maybe, kind.num_queries,
                100 * static_cast<double>(kind.num_maybe) / static_cast<double>(kind.num_queries));
  }
  text += FormatTrial("\nns per query", kBitmapQuerySides, kBitmapQueryRatios, outcome.queries);
  text += FormatTrial("\nns per row", kBitmapUpdateSides, kBitmapUpdateRatios, outcome.updates);
  return text;
}

constexpr uint64_t kMostRows = uint64_t{1} << 31;
constexpr uint64_t kMostAttributes = 16;

constexpr char kUsage[] =
    "usage: bitmaps_bench [--tsv=FILE --columns=NAMES] [--rows=1M] [--values=10,1k,100k,1M]\n"
    "                     [--attributes=3] [--questions=10k] [--rounds=5]\n"
    "  --tsv, --columns  a table with tabs between cells, and names of its columns, with commas\n"
    "  --rows            of made-up tables, without --tsv\n"
    "  --values          of each attribute of a made-up table, in turn\n"
    "  --attributes      of made-up tables, up to 16: 2^N - 1 sets are kept\n"
    "  --questions       of each kind\n"
    "  --rounds          paired measurements of each figure, after one that does not count\n";

void Run(const ValueTable& table, const BitmapTrialRequest& request) {
  std::printf("\n%s", FormatBitmapTrial(table, RunBitmapTrial(table, request)).c_str());
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  std::string tsv;
  std::string columns;
  uint64_t num_rows = 1'000'000;
  std::vector<uint64_t> numbers_of_values = {10, 1'000, 100'000, 1'000'000};
  uint64_t num_attributes = 3;
  uint64_t num_queries = 10'000;
  BitmapTrialRequest request = {.rounds = 5};
  if (!ReadArguments(
          argc, argv,
          {TextArgument("--tsv", tsv), TextArgument("--columns", columns),
           CountArgument("--rows", num_rows, kMostRows),
           CountsArgument("--values", numbers_of_values, 1),
           CountArgument("--attributes", num_attributes, kMostAttributes),
           CountArgument("--questions", num_queries), CountArgument("--rounds", request.rounds)},
          kUsage)) {
    return 2;
  }
  if (tsv.empty() != columns.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  request.num_queries = static_cast<size_t>(num_queries);
  std::fputs(
      TrialHeading(Printed(", filter at %.1f %% per set", 100 * request.target_fpr), request.rounds)
          .c_str(),
      stdout);
  if (!tsv.empty()) {
    std::ifstream file(tsv);
    if (!file) Quit("bitmaps_bench: " + tsv + ": cannot be opened", 3);
    Run(ValueOrExit(ReadValueTable(file, tsv, columns), "bitmaps_bench"), request);
    return 0;
  }
  for (const uint64_t num_values : numbers_of_values) {
    Run(MakeValueTable(num_rows, num_values, static_cast<size_t>(num_attributes), request.seed),
        request);
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
