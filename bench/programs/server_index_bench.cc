// Which regions may hold a value? The directory of the secondary index, in both structures, beside
// a loop over as many counting filters with the same pairs.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/sides/demand.h"
#include "bench/sides/filter_loop.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/index/server_index.h"
#include "trommel/keys.h"

namespace trommel::bench {
namespace {

enum class Values : size_t {
  kDistinct,  // each in one region
  kUniform,   // each in four regions on average
  kZipf,      // drawn for each region by 1 / rank, of as many values as there are pairs
};

struct RegionPairs {
  uint64_t num_regions;
  uint64_t per_region;
  Values values;

  // The digests of a region's values, each once; the same for each call.
  std::vector<uint64_t> Of(uint64_t region) const;
};

std::vector<uint64_t> RegionPairs::Of(uint64_t region) const {
  if (values == Values::kDistinct) {
    const Population owner(kFirstMember + region * per_region, per_region);
    return {owner.batch().digests.begin(), owner.batch().digests.end()};
  }
  std::mt19937_64 random(region);
  const uint64_t num_pairs = num_regions * per_region;
  const bool is_zipf = values == Values::kZipf;
  const uint64_t num_values = is_zipf ? num_pairs : std::max(2 * per_region, num_pairs / 4);
  std::unordered_set<uint64_t> drawn;
  while (drawn.size() < per_region) {
    if (!is_zipf) {
      drawn.insert(random() % num_values);
      continue;
    }
    drawn.insert(ZipfRank(static_cast<double>(random() >> 11) * 0x1p-53, num_values));
  }
  std::vector<uint64_t> digests;
  digests.reserve(drawn.size());
  for (const uint64_t value : drawn) {
    digests.push_back(DigestPolicy{}(Key(KeyAt(kFirstMember + value))));
  }
  return digests;
}

using index::AttributeState;
using index::Region;
using index::RegionTable;
using index::ServerIndex;
using index::Structure;

constexpr size_t kQueries = 16'384;
constexpr size_t kLoopValues = 128;  // of the loop one at a time, which is slow

constexpr char kUsage[] =
    "usage: server_index_bench [--regions=10,100,1k,10k] [--pairs=2k] [--values=distinct]\n"
    "                          [--servers=16] [--inverse-rate=150] [--rounds=5] [--report=all]\n"
    "  --regions  how many, in turn, up to 60000\n"
    "  --pairs    per region, in turn\n"
    "  --values   of the pairs: distinct, each in one region; uniform, each in four on average; "
    "zipf,\n"
    "             drawn for each region by 1 / rank from as many values as there are pairs\n"
    "  --servers  for the filters of servers, which have all pairs of a server's regions\n"
    "  --inverse-rate  one over the rate of a column and of a server's filter, in turn\n"
    "  --rounds   paired measurements of each figure, after one that does not count\n"
    "  --report   all, or sizes: memory and false regions only\n";

constexpr std::array kStructures = {Structure::kMap, Structure::kServerFilters};

struct Sides {
  Filters filters;                       // one per region
  std::vector<ServerIndex> directories;  // in the order of kStructures
};

ServerIndex MakeDirectory(Structure structure, const RegionPairs& pairs, uint64_t num_servers,
                          double rate) {
  const uint64_t num_regions = pairs.num_regions;
  std::vector<Region> regions;
  for (uint64_t i = 0; i < num_regions; ++i) {
    char begin[24], end[24];
    std::snprintf(begin, sizeof begin, "%08u", static_cast<unsigned>(i));
    std::snprintf(end, sizeof end, "%08u", static_cast<unsigned>(i + 1));
    regions.push_back({static_cast<uint32_t>(i),
                       {i == 0 ? "" : begin, i + 1 == num_regions ? "" : end},
                       static_cast<uint32_t>(i * num_servers / num_regions)});
  }
  ServerIndex directory = ValueOrExit(ServerIndex::Create(
      {.attributes = {AttributeState::kIndexed}, .structure = structure, .target_fpr = rate},
      ValueOrExit(RegionTable::Create(std::move(regions)))));
  Demand(directory.Resize(0, pairs.per_region).ok(), "a column is not resized");
  for (uint64_t i = 0; i < num_regions; ++i) {
    const auto id = static_cast<uint32_t>(i);
    directory.Insert({id, 0}, Keys::Digests(pairs.Of(i)));
    directory.FinishBuild({id, 0});
  }
  return directory;
}

Sides MakeSides(const RegionPairs& pairs, uint64_t num_servers, double rate) {
  Sides sides;
  for (const Structure structure : kStructures) {
    sides.directories.push_back(MakeDirectory(structure, pairs, num_servers, rate));
  }
  for (uint64_t i = 0; i < pairs.num_regions; ++i) {
    sides.filters.push_back(
        ValueOrExit(CountingFilter::Create({.capacity = pairs.per_region, .target_fpr = rate})));
    sides.filters.back().Insert(Keys::Digests(pairs.Of(i)));
  }
  return sides;
}

// Each query pins the version anew.
uint64_t DirectoryOne(const ServerIndex& directory, std::span<const uint64_t> digests) {
  return RowsOne(
      directory.PinVersion().num_words(), digests,
      [&](Key key, std::span<uint64_t> row) { directory.PinVersion().Candidates(0, key, row); });
}

auto QueryOf(const ServerIndex::Pin& pin) {
  return [&pin](Keys keys, std::span<uint64_t> rows) { pin.Candidates(0, keys, rows); };
}

uint64_t DirectoryBatch(const ServerIndex& directory, std::span<const uint64_t> digests) {
  const ServerIndex::Pin pin = directory.PinVersion();
  return RowsBatch(pin.num_words(), digests, QueryOf(pin));
}

uint64_t CountRegions(const ServerIndex& directory, std::span<const uint64_t> digests) {
  const ServerIndex::Pin pin = directory.PinVersion();
  return CountBits(pin.num_words(), digests, QueryOf(pin));
}

// Every region is a candidate for its own pairs, or the program ends.
void CheckMembers(const ServerIndex& directory, const RegionPairs& pairs) {
  const ServerIndex::Pin pin = directory.PinVersion();
  std::vector<uint64_t> answer(pin.num_words());
  for (size_t i = 0; i < pairs.num_regions; ++i) {
    const std::vector<uint64_t> digests = pairs.Of(i);
    for (size_t d = 0; d < digests.size(); d += 100) {
      pin.Candidates(0, Key::Digest(digests[d]), answer);
      Demand((answer[i / 64] >> i % 64 & 1) != 0, "a region of a pair is no candidate");
    }
  }
}

// --- The tables.

// Cold: each way after the others, which have evicted its lines. Warm: right after a first pass
// over the same values.
void PrintQueries(const Sides& sides, const char* which, std::span<const uint64_t> digests,
                  uint64_t rounds, bool is_warm) {
  TrialRow row{is_warm ? "warm" : "cold", std::vector<Figures>(6)};
  volatile uint64_t sum = 0;
  InRounds(6, rounds, [&](size_t way, bool counts) {
    const auto some = digests.first(way == 0 ? kLoopValues : kQueries);
    const auto pass = [&] {
      sum = way == 0       ? LoopOne(sides.filters, some)
            : way == 1     ? LoopBatch(sides.filters, some)
            : way % 2 == 0 ? DirectoryOne(sides.directories[way / 2 - 1], some)
                           : DirectoryBatch(sides.directories[way / 2 - 1], some);
    };
    if (is_warm) pass();
    const double ns = CpuNsPerKey(some.size(), pass);
    if (counts) row.sides[way].push_back(ns);
  });
  std::printf("%s", FormatTrial(std::string("Queries of values ") + which + ", ns per value",
                                {"loop one", "loop batch", "map one", "map batch", "servers one",
                                 "servers batch"},
                                {{"loop one / map one", 0, 2},
                                 {"loop batch / map batch", 1, 3},
                                 {"servers one / map one", 4, 2},
                                 {"servers batch / map batch", 5, 3}},
                                {row})
                        .c_str());
}

// Pairs gained and lost again in some regions, spread over all, by batches and one by one.
void PrintUpdates(Sides& sides, uint64_t pairs_per_region, uint64_t rounds) {
  const Population guests(kFirstGuest, std::max<size_t>(1, pairs_per_region / 8));
  const auto update = [&](size_t side, uint32_t region, Keys keys, bool is_insert) {
    ServerIndex& directory = sides.directories[side == 0 ? 0 : side - 1];
    CountingFilter& filter = sides.filters[region];
    if (side == 0) {
      is_insert ? (void)filter.Insert(keys) : (void)filter.Erase(keys);
    } else {
      is_insert ? (void)directory.Insert({region, 0}, keys)
                : (void)directory.Erase({region, 0}, keys);
    }
  };
  const std::vector<TrialRow> rows = TimeUpdates(
      3, sides.filters.size(), rounds, [&](size_t) { return guests.batch().digests; }, update);
  std::printf("\n%s", FormatTrial("Updates, ns per pair", {"filter", "map", "servers"},
                                  {{"map / filter", 1, 0}, {"servers / map", 2, 1}}, rows)
                          .c_str());
}

void PrintMemory(const ServerIndex& directory, double num_false) {
  const index::AttributeStats stats = directory.GetStats().attributes[0];
  const auto pairs = static_cast<double>(stats.num_pairs);
  std::printf(
      "%-15s %8.1f MB, %5.1f bits per pair (%4.1f %% of the pairs in lists); false regions per "
      "value: measured %8.3f, predicted %8.3f\n",
      std::string(StructureName(directory.structure())).c_str(),
      static_cast<double>(stats.num_bytes) / 1048576,
      8 * static_cast<double>(stats.num_bytes) / pairs, 100 * stats.share_in_lists, num_false,
      stats.predicted_false_regions);
}

void RunOne(const RegionPairs& pairs, uint64_t num_servers, double rate, uint64_t rounds,
            bool is_sizes_only) {
  const Population non_members(kFirstNonMember, kQueries);
  const std::span<const uint64_t> digests = non_members.batch().digests;
  const auto print_sizes = [&](const ServerIndex& directory) {
    PrintMemory(directory, static_cast<double>(CountRegions(directory, digests)) / kQueries);
    std::fflush(stdout);
  };
  if (is_sizes_only) {
    for (const Structure structure : kStructures) {
      const ServerIndex directory = MakeDirectory(structure, pairs, num_servers, rate);
      CheckMembers(directory, pairs);
      print_sizes(directory);
    }
    return;
  }
  Sides sides = MakeSides(pairs, num_servers, rate);
  for (const ServerIndex& directory : sides.directories) CheckMembers(directory, pairs);
  std::vector<uint64_t> members;
  for (uint64_t i = 0; members.size() < kQueries; ++i) {
    const std::vector<uint64_t> some = pairs.Of(i * 7919 % pairs.num_regions);
    for (size_t d = 0; d < 64 && members.size() < kQueries; ++d) {
      members.push_back(some[(i + d * 31) % some.size()]);
    }
  }
  for (const bool is_warm : {false, true}) {
    PrintQueries(sides, "in no region", digests, rounds, is_warm);
  }
  PrintQueries(sides, "of pairs", members, rounds, false);
  PrintUpdates(sides, pairs.per_region, rounds);
  std::printf("\n");
  for (const ServerIndex& directory : sides.directories) print_sizes(directory);
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> regions = {10, 100, 1000, 10'000};
  std::vector<uint64_t> pairs = {2000};
  size_t values = 0;
  uint64_t servers = 16;
  std::vector<uint64_t> inverse_rates = {150};
  uint64_t rounds = 5;
  size_t report = 0;
  if (!ReadArguments(
          argc, argv,
          {CountsArgument("--regions", regions, 1), CountsArgument("--pairs", pairs, 1),
           WordArgument("--values", {"distinct", "uniform", "zipf"}, values),
           CountArgument("--servers", servers), CountsArgument("--inverse-rate", inverse_rates, 2),
           CountArgument("--rounds", rounds), WordArgument("--report", {"all", "sizes"}, report)},
          kUsage)) {
    return 2;
  }
  std::fputs(TrialHeading("", rounds).c_str(), stdout);
  constexpr const char* kNames[] = {"distinct", "uniform", "zipf"};
  for (const uint64_t num_regions : regions) {
    for (const uint64_t per_region : pairs) {
      for (const uint64_t inverse_rate : inverse_rates) {
        const uint64_t num_servers = std::min(servers, num_regions);
        std::printf("\n%s regions of %s pairs, values %s, on %s servers, rate 1 / %s\n",
                    CountName(num_regions).c_str(), CountName(per_region).c_str(), kNames[values],
                    CountName(num_servers).c_str(), CountName(inverse_rate).c_str());
        RunOne({num_regions, per_region, static_cast<Values>(values)}, num_servers,
               1.0 / static_cast<double>(inverse_rate), rounds, report == 1);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
