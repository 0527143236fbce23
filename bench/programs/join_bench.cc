// The probe side of a hash join of which few rows match: hash maps alone, and behind a
// CountingFilter that is queried in batches, or one row at a time. So it shows from how many keys
// on a filter pays.
#include <tsl/robin_map.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/sides/demand.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: join_bench [--keys=1k,10k,100k,1M,10M] [--probes=4M] [--one-in=100] [--rounds=5]\n"
    "  --keys    of the build side, in turn\n"
    "  --probes  rows of the other side\n"
    "  --one-in  one row in so many matches\n"
    "  --rounds  paired measurements of each figure, after one that does not count\n";
constexpr double kRate = 0.01;
constexpr size_t kRowsPerBatch = 4096;

// The sum of the matching rows' values, which needs each of them.
template <class Map>
uint64_t Probe(const Map& map, std::span<const uint64_t> rows) {
  uint64_t sum = 0;
  for (const uint64_t row : rows) {
    if (const auto match = map.find(row); match != map.end()) sum += match->second;
  }
  return sum;
}

template <class Map>
uint64_t ProbeBehind(const CountingFilter& filter, const Map& map, std::span<const uint64_t> rows) {
  uint64_t sum = 0;
  std::vector<uint32_t> passed(kRowsPerBatch);
  while (!rows.empty()) {
    const std::span<const uint64_t> batch = rows.first(std::min(rows.size(), kRowsPerBatch));
    const size_t num_passed =
        filter.Select(batch, Answer::kMaybePresent, std::span(passed).first(batch.size()));
    for (const uint32_t i : std::span(passed).first(num_passed)) {
      if (const auto match = map.find(batch[i]); match != map.end()) sum += match->second;
    }
    rows = rows.subspan(batch.size());
  }
  return sum;
}

template <class Map>
uint64_t ProbeOneByOne(const CountingFilter& filter, const Map& map,
                       std::span<const uint64_t> rows) {
  uint64_t sum = 0;
  for (const uint64_t row : rows) {
    if (!filter.MayContain(row)) continue;
    if (const auto match = map.find(row); match != map.end()) sum += match->second;
  }
  return sum;
}

// ns per probe of each way.
std::vector<Figures> Measure(uint64_t num_keys, std::span<const uint64_t> rows, uint64_t rounds) {
  std::unordered_map<uint64_t, uint64_t> chained;
  tsl::robin_map<uint64_t, uint64_t> flat;
  CountingFilter filter =
      CountingFilter::Create({.capacity = num_keys, .target_fpr = kRate}).value();
  chained.reserve(num_keys);
  flat.reserve(num_keys);
  for (uint64_t i = 0; i < num_keys; ++i) {
    const uint64_t key = KeyAt(kFirstMember + i);
    chained.emplace(key, i + 1);
    flat.emplace(key, i + 1);
    filter.Insert(Key(key));
  }
  std::vector<uint64_t> sums(5);
  const std::function<void()> ways[] = {[&] { sums[0] = Probe(chained, rows); },
                                        [&] { sums[1] = ProbeBehind(filter, chained, rows); },
                                        [&] { sums[2] = Probe(flat, rows); },
                                        [&] { sums[3] = ProbeBehind(filter, flat, rows); },
                                        [&] { sums[4] = ProbeOneByOne(filter, flat, rows); }};
  std::vector<Figures> times = TimeInRounds(ways, rows.size(), rounds);
  Demand(std::ranges::count(sums, sums[0]) == 5, "two ways found different rows");
  return times;
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> keys = {1'000, 10'000, 100'000, 1'000'000, 10'000'000};
  uint64_t num_probes = 4'000'000;
  uint64_t one_in = 100;
  uint64_t rounds = 5;
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--keys", keys, 1), CountArgument("--probes", num_probes),
                      CountArgument("--one-in", one_in), CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  std::vector<TrialRow> table;
  for (const uint64_t num_keys : keys) {
    std::vector<uint64_t> rows(num_probes);
    for (uint64_t i = 0; i < num_probes; ++i) {
      const uint64_t random = KeyAt(kFirstGuest + i);
      rows[i] = KeyAt(random % one_in == 0 ? kFirstMember + (random >> 20) % num_keys
                                           : kFirstNonMember + i);
    }
    table.push_back({CountName(num_keys) + " keys", Measure(num_keys, rows, rounds)});
  }
  const std::string title =
      Printed("CPU ns per row; one in %llu matches", static_cast<unsigned long long>(one_in));
  std::fputs(
      FormatTrial(
          title, {"unordered_map", "behind", "flat map", "behind", "one by one"},
          {{"unordered / behind", 0, 1}, {"flat / behind", 2, 3}, {"flat / one by one", 2, 4}},
          table)
          .c_str(),
      stdout);
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
