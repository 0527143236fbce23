// Which regions may hold a value? The directory of the secondary index, in both of its structures,
// beside a loop over as many counting filters with the same pairs.
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
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/counting_filter.h"
#include "trommel/index/server_index.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

using index::AttributeState;
using index::Region;
using index::RegionTable;
using index::ServerIndex;
using index::Structure;

constexpr size_t kQueries = 16'384;
constexpr size_t kChunk = 256;       // values per call: their answers stay cached
constexpr size_t kLoopValues = 128;  // of the loop one at a time, which is slow
constexpr size_t kUpdatedRegions = 64;

constexpr char kUsage[] =
    "usage: server_index_bench [--regions=10,1k,10k] [--pairs=2k] [--servers=16] "
    "[--inverse-rate=150]\n"
    "                          [--rounds=5]\n"
    "  --regions  how many, in turn, up to 60000\n"
    "  --pairs    per region, in turn\n"
    "  --servers  for the filters of servers, which have all pairs of a server's regions\n"
    "  --inverse-rate  one over the rate of a column and of a server's filter, which has 8 slices\n"
    "             up to 152 and 16 beyond\n"
    "  --rounds   paired measurements of each figure, after one that does not count\n";

struct Sides {
  std::vector<CountingFilter> filters;  // one per region
  ServerIndex transposed;
  ServerIndex server_filters;
};

std::span<const uint64_t> PairsOf(uint64_t region, uint64_t pairs_per_region, Population& owner) {
  owner = Population(kFirstMember + region * pairs_per_region, pairs_per_region);
  return owner.batch().digests;
}

Result<ServerIndex> MakeDirectory(Structure structure, uint64_t num_regions, uint64_t num_servers,
                                  uint64_t pairs_per_region, double rate) {
  std::vector<Region> regions;
  for (uint64_t i = 0; i < num_regions; ++i) {
    char begin[24], end[24];
    std::snprintf(begin, sizeof begin, "%08u", static_cast<unsigned>(i));
    std::snprintf(end, sizeof end, "%08u", static_cast<unsigned>(i + 1));
    regions.push_back({static_cast<uint32_t>(i),
                       {i == 0 ? "" : begin, i + 1 == num_regions ? "" : end},
                       static_cast<uint32_t>(i * num_servers / num_regions)});
  }
  Result<RegionTable> table = RegionTable::Create(std::move(regions));
  if (!table) return table.error();
  Result<ServerIndex> directory = ServerIndex::Create(
      {.attributes = {AttributeState::kIndexed}, .structure = structure, .target_fpr = rate},
      *std::move(table));
  if (!directory) return directory.error();
  if (const Status sized = directory->Resize(0, pairs_per_region); !sized) return sized.error();
  Population owner(0, 1);
  for (uint64_t i = 0; i < num_regions; ++i) {
    const auto id = static_cast<uint32_t>(i);
    directory->Insert({id, 0}, Keys::Digests(PairsOf(i, pairs_per_region, owner)));
    directory->FinishBuild({id, 0});
  }
  return directory;
}

Result<Sides> MakeSides(uint64_t num_regions, uint64_t num_servers, uint64_t pairs_per_region,
                        double rate) {
  Result<ServerIndex> transposed =
      MakeDirectory(Structure::kTransposed, num_regions, num_servers, pairs_per_region, rate);
  if (!transposed) return transposed.error();
  Result<ServerIndex> server_filters =
      MakeDirectory(Structure::kServerFilters, num_regions, num_servers, pairs_per_region, rate);
  if (!server_filters) return server_filters.error();
  Sides sides{{}, *std::move(transposed), *std::move(server_filters)};
  Population owner(0, 1);
  for (uint64_t i = 0; i < num_regions; ++i) {
    Result<CountingFilter> filter =
        CountingFilter::Create({.capacity = pairs_per_region, .target_fpr = rate});
    if (!filter) return filter.error();
    filter->Insert(Keys::Digests(PairsOf(i, pairs_per_region, owner)));
    sides.filters.push_back(*std::move(filter));
  }
  return sides;
}

uint64_t SumOf(std::span<const uint64_t> words) {
  return std::accumulate(words.begin(), words.end(), uint64_t{0});
}

// --- Ways to query. Each returns something that needs all answers.

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
  std::vector<uint64_t> answers(BitmapWords(digests.size()));
  uint64_t num_shown = 0;
  for (const CountingFilter& filter : sides.filters) {
    num_shown += filter.Query(Keys::Digests(digests), answers);
  }
  return num_shown;
}

// Each query pins the version anew, and waits for the one before: its digest depends on that
// answer.
uint64_t DirectoryOne(const ServerIndex& directory, std::span<const uint64_t> digests) {
  std::vector<uint64_t> answer(directory.PinVersion().num_words());
  uint64_t sum = 0;
  for (const uint64_t digest : digests) {
    const uint64_t never = SumOf(answer) == ~uint64_t{0} ? 1 : 0;
    directory.PinVersion().Candidates(0, Key::Digest(digest + never), answer);
    sum += answer[0];
  }
  return sum;
}

template <class Visit>
void ForEachAnswer(const ServerIndex& directory, std::span<const uint64_t> digests,
                   const Visit& visit) {
  const ServerIndex::Pin pin = directory.PinVersion();
  std::vector<uint64_t> answers(kChunk * pin.num_words());
  for (size_t first = 0; first < digests.size(); first += kChunk) {
    const size_t count = std::min(kChunk, digests.size() - first);
    const auto chunk = std::span(answers).first(count * pin.num_words());
    pin.Candidates(0, Keys::Digests(digests.subspan(first, count)), chunk);
    visit(std::span<const uint64_t>(chunk));
  }
}

uint64_t DirectoryBatch(const ServerIndex& directory, std::span<const uint64_t> digests) {
  uint64_t sum = 0;
  ForEachAnswer(directory, digests, [&sum](auto answers) { sum += SumOf(answers); });
  return sum;
}

uint64_t CountRegions(const ServerIndex& directory, std::span<const uint64_t> digests) {
  uint64_t num_shown = 0;
  ForEachAnswer(directory, digests, [&](auto answers) {
    for (const uint64_t word : answers) num_shown += static_cast<uint64_t>(std::popcount(word));
  });
  return num_shown;
}

// Every region is a candidate for its own pairs. Empty, or what is wrong.
std::string CheckMembers(const Sides& sides, uint64_t pairs_per_region) {
  Population owner(0, 1);
  for (const ServerIndex* directory : {&sides.transposed, &sides.server_filters}) {
    const ServerIndex::Pin pin = directory->PinVersion();
    std::vector<uint64_t> answer(pin.num_words());
    for (size_t i = 0; i < sides.filters.size(); ++i) {
      const auto digests = PairsOf(i, pairs_per_region, owner).first(1);
      pin.Candidates(0, Key::Digest(digests[0]), answer);
      if ((answer[i / 64] >> i % 64 & 1) == 0) return "a region of a pair is no candidate";
    }
  }
  return "";
}

// --- The tables.

// Cold: each way after the others, which have evicted its lines. Warm: right after a first pass
// over the same values.
void PrintQueries(const Sides& sides, std::span<const uint64_t> digests, uint64_t rounds,
                  bool is_warm) {
  TrialRow row{is_warm ? "warm" : "cold", std::vector<Figures>(6)};
  volatile uint64_t sum = 0;
  InRounds(6, rounds, [&](size_t way, bool counts) {
    const auto some = digests.first(way == 0 ? kLoopValues : kQueries);
    const auto pass = [&] {
      sum = way == 0   ? LoopOne(sides, some)
            : way == 1 ? LoopBatch(sides, some)
            : way == 2 ? DirectoryOne(sides.transposed, some)
            : way == 3 ? DirectoryBatch(sides.transposed, some)
            : way == 4 ? DirectoryOne(sides.server_filters, some)
                       : DirectoryBatch(sides.server_filters, some);
    };
    if (is_warm) pass();
    const double ns = CpuNsPerKey(some.size(), pass);
    if (counts) row.sides[way].push_back(ns);
  });
  std::printf("%s", FormatTrial("Queries of values in no region, ns per value",
                                {"loop one", "loop batch", "transposed one", "transposed batch",
                                 "servers one", "servers batch"},
                                {{"loop one / transposed batch", 0, 3},
                                 {"loop one / transposed one", 0, 2},
                                 {"loop batch / transposed batch", 1, 3},
                                 {"servers batch / transposed batch", 5, 3}},
                                {row})
                        .c_str());
}

// Pairs gained and lost again in some regions, spread over all, by batches and one by one.
void PrintUpdates(Sides& sides, uint64_t pairs_per_region, uint64_t rounds) {
  const Population guests(kFirstGuest, std::max<size_t>(1, pairs_per_region / 8));
  const std::span<const uint64_t> digests = guests.batch().digests;
  const size_t num_updated = std::min(kUpdatedRegions, sides.filters.size());
  const size_t step = sides.filters.size() / num_updated;
  TrialRow insert{"insert", std::vector<Figures>(3)};
  TrialRow erase{"erase", std::vector<Figures>(3)};
  InRounds(3, rounds, [&](size_t side, bool counts) {
    ServerIndex& directory = side == 1 ? sides.transposed : sides.server_filters;
    const auto time = [&](const auto& update) {
      return CpuNsPerKey(num_updated * digests.size(), [&] {
        for (size_t i = 0; i < num_updated; ++i) update(static_cast<uint32_t>(i * step));
      });
    };
    const Keys keys = Keys::Digests(digests);
    const double inserted = time([&](uint32_t region) {
      if (side == 0) {
        sides.filters[region].Insert(keys);
      } else {
        directory.Insert({region, 0}, keys);
      }
    });
    const double erased = time([&](uint32_t region) {
      if (side == 0) {
        sides.filters[region].Erase(keys);
      } else {
        directory.Erase({region, 0}, keys);
      }
    });
    if (counts) insert.sides[side].push_back(inserted);
    if (counts) erase.sides[side].push_back(erased);
  });
  std::printf("\n%s", FormatTrial("Updates, ns per pair", {"filter", "transposed", "servers"},
                                  {{"transposed / filter", 1, 0}, {"servers / filter", 2, 0}},
                                  {insert, erase})
                          .c_str());
}

void PrintMemory(const char* name, const ServerIndex& directory, uint64_t num_false) {
  const index::AttributeStats stats = directory.GetStats().attributes[0];
  const auto pairs = static_cast<double>(stats.num_pairs);
  std::printf(
      "%-15s %8.1f MB, %5.1f bits per pair (rows %5.1f); false regions per value: measured "
      "%8.3f, predicted %8.3f\n",
      name, static_cast<double>(stats.num_bytes) / 1048576,
      8 * static_cast<double>(stats.num_bytes) / pairs,
      8 * static_cast<double>(stats.row_bytes) / pairs, static_cast<double>(num_false) / kQueries,
      stats.predicted_false_regions);
}

bool RunOne(uint64_t num_regions, uint64_t num_servers, uint64_t pairs_per_region, double rate,
            uint64_t rounds) {
  num_servers = std::min(num_servers, num_regions);
  Result<Sides> sides = MakeSides(num_regions, num_servers, pairs_per_region, rate);
  std::string wrong = sides ? CheckMembers(*sides, pairs_per_region) : sides.error().message;
  if (!wrong.empty()) {
    std::fprintf(stderr, "server_index_bench: %s\n", wrong.c_str());
    return false;
  }
  const Population non_members(kFirstNonMember, kQueries);
  const std::span<const uint64_t> digests = non_members.batch().digests;
  std::printf("\n%s regions of %s pairs on %s servers\n", CountName(num_regions).c_str(),
              CountName(pairs_per_region).c_str(), CountName(num_servers).c_str());
  for (const bool is_warm : {false, true}) PrintQueries(*sides, digests, rounds, is_warm);
  PrintUpdates(*sides, pairs_per_region, rounds);
  std::printf("\n");
  PrintMemory("transposed", sides->transposed, CountRegions(sides->transposed, digests));
  PrintMemory("server-filters", sides->server_filters,
              CountRegions(sides->server_filters, digests));
  std::fflush(stdout);
  return true;
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> regions = {10, 1000, 10'000};
  std::vector<uint64_t> pairs = {2000};
  uint64_t servers = 16;
  uint64_t inverse_rate = 150;
  uint64_t rounds = 5;
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--regions", regions, 1), CountsArgument("--pairs", pairs, 1),
                      CountArgument("--servers", servers),
                      CountArgument("--inverse-rate", inverse_rate, 1'000'000),
                      CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  const double rate = 1.0 / static_cast<double>(std::max<uint64_t>(1, inverse_rate));
  std::printf(
      "One thread, target %s. Medians of %d paired rounds; ratios are taken in each round: "
      "median [min..max].\n",
      std::string(ActiveTarget()).c_str(), static_cast<int>(rounds));
  for (const uint64_t num_regions : regions) {
    for (const uint64_t pairs_per_region : pairs) {
      if (!RunOne(num_regions, servers, pairs_per_region, rate, rounds)) return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
