// Threads and routes: the gain or cost of splitting, of sharing and of more callers, each as ratios
// of figures taken in the same rounds. (The threads of an executor: trommel bench.) How to read it:
// README.md.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/sides/contenders.h"
#include "bench/sides/demand.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "engine/src/counting/forced_route.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr double kTrialFpr = 0.01;

constexpr size_t kNumRouteSides = 4;
constexpr size_t kTextbookRoute = 3;

// A row for each name, of these keys.
std::vector<TrialRow> RowsOf(std::initializer_list<const char*> names, uint64_t num_keys,
                             size_t num_sides, const std::string& rest = "") {
  std::vector<TrialRow> rows;
  for (const char* name : names) {
    rows.push_back({std::string(name) + ", " + CountName(num_keys) + " keys" + rest,
                    std::vector<Figures>(num_sides)});
  }
  return rows;
}

// The two filters, with the same keys in them.
struct Rivals {
  Rivals(uint64_t num_keys, bool with_textbook, Encoding encoding)
      : filter(CreateOrExit({.capacity = num_keys,
                             .target_fpr = kTrialFpr,
                             .num_slices = encoding == Encoding::kRuns ? 5U : 0U,
                             .encoding = encoding})) {
    sides.push_back(MakeOurs("ours", filter));
    if (!with_textbook) return;
    sides.push_back(MakeTextbook(
        std::make_shared<TextbookFilter>(TextbookFilter::ForKeys(num_keys, kTrialFpr))));
  }

  // Makes the first `wanted` members those that are in; each call wants fewer than the last.
  void FillTo(uint64_t wanted) {
    const bool is_first = num_members == 0;
    ForEachBatch(kFirstMember + (is_first ? 0 : wanted), is_first ? wanted : num_members - wanted,
                 [&](Batch batch) {
                   for (const auto& side : sides) {
                     is_first ? side->Insert(batch, Form::kBatch)
                              : (void)side->Erase(batch, Form::kBatch);
                   }
                 });
    num_members = wanted;
  }

  std::shared_ptr<CountingFilter> filter;
  std::vector<std::unique_ptr<Contender>> sides;  // ours, and the textbook's
  uint64_t num_members = 0;
};

constexpr size_t kReaderBatch = size_t{1} << 16;

// Sized for num_keys, and filled with so many.
CountingFilter Filled(uint64_t num_keys, uint64_t num_members, Encoding encoding) {
  CountingFilter filter = ValueOrExit(CountingFilter::Create(
      {.capacity = num_keys, .target_fpr = kTrialFpr, .encoding = encoding}));
  ForEachBatch(kFirstMember, num_members,
               [&](Batch batch) { filter.Insert(Keys::Digests(batch.digests)); });
  return filter;
}

// How many keys come and go.
size_t NumGuests(uint64_t num_keys) { return std::min<uint64_t>(num_keys / 4, size_t{1} << 20); }

enum { kInsert, kErase, kInsertIfAbsent, kHit, kMiss, kNumOps };

// ns per key of each operation, batch by batch over all digests; leaves the filter as it was.
template <class Filter>
std::array<double, kNumOps> MeasureOnce(Filter& filter, std::span<const uint64_t> digests,
                                        size_t batch) {
  std::array<double, kNumOps> ns{};
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(batch));
  const uint64_t num_keys = digests.size() / batch * batch;
  const auto timed = [&](int op, const auto& each) {
    uint64_t num_done = 0;
    ns[op] = CpuNsPerKey(num_keys, [&] {
      for (size_t first = 0; first < num_keys; first += batch) {
        num_done += each(Keys::Digests(digests.subspan(first, batch)));
      }
    });
    return num_done;
  };
  timed(kInsert, [&](Keys keys) { return filter.Insert(keys), uint64_t{0}; });
  Demand(timed(kHit, [&](Keys keys) { return filter.Query(keys, bitmap); }) == num_keys,
         "a member was answered \"absent\"");
  Demand(
      timed(kErase, [&](Keys keys) { return filter.Erase(keys, bitmap).num_erased; }) == num_keys,
      "an inserted key was refused");
  Demand(timed(kMiss, [&](Keys keys) { return filter.Query(keys, bitmap); }) <= num_keys,
         "more answers than keys");
  // Only inserted keys are erased again: a false positive was not inserted.
  const size_t num_words = bitmap.size();
  std::vector<uint64_t> inserted(num_keys / batch * num_words);
  size_t batch_idx = 0;
  timed(kInsertIfAbsent, [&](Keys keys) {
    return filter.InsertIfAbsent(keys,
                                 std::span(inserted).subspan(batch_idx++ * num_words, num_words));
  });
  std::vector<uint64_t> new_digests;
  for (size_t i = 0; i < num_keys; ++i) {
    const uint64_t word = inserted[i / batch * num_words + i % batch / 64];
    if ((word >> (i % batch % 64) & 1) != 0) new_digests.push_back(digests[i]);
  }
  Demand(filter.Erase(Keys::Digests(new_digests)).num_refused == 0, "a new key was refused");
  return ns;
}

// Inserts and erases of one thread on both routes and on the automatic choice, for batches of so
// many keys per block: ns per key, thread CPU time, of a filter that is at num_keys when the batch
// is in. The textbook filter takes part only on request: it fills slowly. Runs have 5 slices.
std::vector<TrialRow> RunRouteTrial(uint64_t num_keys, uint64_t rounds, bool with_textbook,
                                    Encoding encoding) {
  constexpr double kKeysPerBlock[] = {0.25, 0.5, 1, 2, 4, 8};
  Rivals rivals(num_keys, with_textbook, encoding);
  const auto num_blocks = static_cast<double>(rivals.filter->geometry().num_blocks);
  const Population guests(kFirstGuest, static_cast<size_t>(8 * num_blocks));
  std::vector<TrialRow> rows;
  for (const double load : kKeysPerBlock) {
    const Batch batch = guests.batch().Part(0, static_cast<size_t>(load * num_blocks));
    // Runs become slower beyond their capacity, so the batch is within it.
    rivals.FillTo(num_keys - batch.size());
    std::vector<TrialRow> some = RowsOf({"insert", "erase"}, num_keys, kNumRouteSides,
                                        Printed(", %.2f per block (%zu)", load, batch.size()));
    InRounds(kNumRouteSides, rounds, [&](size_t side, bool counts) {
      if (side == kTextbookRoute && !with_textbook) return;
      constexpr Route kRoutes[] = {Route::kDirect, Route::kSplit, Route::kAutomatic};
      if (side != kTextbookRoute) ForcedRoute::Use(*rivals.filter, kRoutes[side]);
      Contender& filled = *rivals.sides[side == kTextbookRoute ? 1 : 0];
      const double insert_ns =
          CpuNsPerKey(batch.size(), [&] { filled.Insert(batch, Form::kBatch); });
      uint64_t num_erased = 0;
      const double erase_ns =
          CpuNsPerKey(batch.size(), [&] { num_erased = filled.Erase(batch, Form::kBatch); });
      Demand(num_erased == batch.size(), "not all inserted keys were erased");
      if (!counts) return;
      some[0].sides[side].push_back(insert_ns);
      some[1].sides[side].push_back(erase_ns);
    });
    std::ranges::move(some, std::back_inserter(rows));
  }
  return rows;
}

// A ConcurrentFilter beside a CountingFilter in one thread: ns per key, thread CPU time. The
// filters are at num_keys when a batch is in.
std::vector<TrialRow> RunSharedTrial(uint64_t num_keys, uint64_t rounds, Encoding encoding) {
  const Population guests(kFirstGuest, NumGuests(num_keys));
  const auto digests = guests.batch().digests;
  CountingFilter exclusive = Filled(num_keys, num_keys - digests.size(), encoding);
  ConcurrentFilter concurrent(Filled(num_keys, num_keys - digests.size(), encoding));
  std::vector<TrialRow> rows;
  for (const size_t batch : {size_t{1}, size_t{64}, size_t{2048}, kReaderBatch}) {
    std::vector<TrialRow> some =
        RowsOf({"insert", "erase", "insert-if-absent", "query hit", "query miss"}, num_keys, 2,
               ", batches of " + std::to_string(batch));
    InRounds(2, rounds, [&](size_t side, bool counts) {
      const auto ns = side == 0 ? MeasureOnce(exclusive, digests, batch)
                                : MeasureOnce(concurrent, digests, batch);
      for (size_t op = 0; counts && op < kNumOps; ++op) some[op].sides[side].push_back(ns[op]);
    });
    std::ranges::move(some, std::back_inserter(rows));
  }
  return rows;
}

// One caller of a ConcurrentFilter, or several at once that share its keys, in batches of 65,536:
// ns per key, wall time.
std::vector<TrialRow> RunCallerTrial(uint64_t num_keys, uint32_t num_callers, uint64_t rounds,
                                     Encoding encoding) {
  const Population guests(kFirstGuest, NumGuests(num_keys));
  const auto digests = guests.batch().digests;
  ConcurrentFilter filter(Filled(num_keys, num_keys - digests.size(), encoding));
  std::vector<TrialRow> rows =
      RowsOf({"insert", "query hits", "erase", "query misses"}, num_keys, 2);
  InRounds(2, rounds, [&](size_t side, bool counts) {
    const size_t callers = side == 0 ? 1 : num_callers;
    const size_t share = digests.size() / callers;
    for (size_t op = 0; op < rows.size(); ++op) {
      // Each caller's batches, one after another.
      const auto call = [&](size_t caller) {
        std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(kReaderBatch));
        const auto mine = digests.subspan(caller * share, share);
        for (size_t first = 0; first < mine.size(); first += kReaderBatch) {
          const auto batch = mine.subspan(first, std::min(kReaderBatch, mine.size() - first));
          const Keys keys = Keys::Digests(batch);
          if (op == 0) filter.Insert(keys);
          if (op == 2) Demand(filter.Erase(keys).num_refused == 0, "a member was refused");
          if (op % 2 == 0) continue;
          const size_t num_words = CountingFilter::BitmapWords(batch.size());
          const size_t num_present = filter.Query(keys, std::span(bitmap).first(num_words));
          Demand(op == 3 || num_present == batch.size(), "a member was answered \"absent\"");
        }
      };
      const double ns = WallNsPerKey(callers * share, [&] {
        std::vector<std::thread> threads;
        for (size_t caller = 1; caller < callers; ++caller) threads.emplace_back(call, caller);
        call(0);
        for (std::thread& thread : threads) thread.join();
      });
      if (counts) rows[op].sides[side].push_back(ns);
    }
  });
  return rows;
}

// The reader's queries, ns per key, thread CPU time: without a writer, while another thread inserts
// and erases in another filter of the same size (the same traffic on unrelated memory), and in the
// reader's own.
std::vector<TrialRow> RunReaderTrial(uint64_t num_keys, uint64_t rounds, Encoding encoding) {
  enum : size_t { kNoWriter, kSame = 2 };
  constexpr double kSecondsPerFigure = 0.5;
  const size_t batch = std::min<uint64_t>(kReaderBatch, num_keys / 4 / 64 * 64);
  const uint64_t num_members = num_keys - batch;
  ConcurrentFilter read(Filled(num_keys, num_members, encoding));
  ConcurrentFilter other(Filled(num_keys, num_members, encoding));
  const size_t num_asked = std::min<uint64_t>(num_members, 1 << 22) / batch * batch;
  const Population members(kFirstMember, num_asked);
  const Population absent(kFirstNonMember, num_asked);
  const Population guests(kFirstGuest, 16 * batch);
  std::vector<TrialRow> rows = RowsOf({"query hits", "query misses"}, num_keys, 3);
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(batch));
  InRounds(3, rounds, [&](size_t side, bool counts) {
    ConcurrentFilter& written = side == kSame ? read : other;
    std::atomic<bool> is_done{false};
    std::atomic<bool> is_writing{side == kNoWriter};
    std::thread writer([&] {
      const auto digests = guests.batch().digests;
      for (size_t first = 0; side != kNoWriter && !is_done;
           first = (first + batch) % digests.size()) {
        const Keys keys = Keys::Digests(digests.subspan(first, batch));
        written.Insert(keys);
        is_writing = true;
        written.Erase(keys);
      }
    });
    while (!is_writing) std::this_thread::yield();
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto asked = (row == 0 ? members : absent).batch().digests;
      // Thread CPU time: the writer's effect on memory counts, the scheduler's does not.
      const double start = CpuSeconds();
      uint64_t num_queried = 0;
      uint64_t num_present = 0;
      for (size_t first = 0; CpuSeconds() - start < kSecondsPerFigure;
           first = (first + batch) % num_asked) {
        num_present += read.Query(Keys::Digests(asked.subspan(first, batch)), bitmap);
        num_queried += batch;
      }
      const double ns = (CpuSeconds() - start) * 1e9 / static_cast<double>(num_queried);
      Demand(row != 0 || num_present == num_queried, "a member was answered \"absent\"");
      if (counts) rows[row].sides[side].push_back(ns);
    }
    is_done = true;
    writer.join();
  });
  return rows;
}

constexpr uint64_t kMinKeys = 100'000;  // with fewer a batch is too short for the clock
constexpr size_t kAllTrials = 4;
constexpr char kUsage[] =
    "usage: threads_bench [--trial=routes|sharing|callers|readers] [--keys=1M,30M]\n"
    "                     [--rounds=7] [--threads=N] [--textbook]\n"
    "                     [--encoding=planes|runs|fingerprints16|dense]\n"
    "  --trial     one trial only (default: all four)\n"
    "  --threads   callers of the second side (default: as many as the machine has)\n"
    "  --textbook  routes: also beside the prefetched textbook filter (fills slowly)\n"
    "  --encoding  of the filters (default planes)\n";

int Main(int argc, char** argv) {
  size_t trial = kAllTrials;
  std::vector<uint64_t> all_keys = {1'000'000, 30'000'000};
  uint64_t rounds = 7;
  uint64_t num_threads = std::max(2U, std::thread::hardware_concurrency());
  bool with_textbook = false;
  size_t encoding_idx = 0;
  if (!ReadArguments(
          argc, argv,
          {WordArgument("--trial", {"routes", "sharing", "callers", "readers"}, trial),
           CountsArgument("--keys", all_keys, kMinKeys), CountArgument("--rounds", rounds),
           CountArgument("--threads", num_threads, 1024), FlagArgument("--textbook", with_textbook),
           WordArgument("--encoding", {"planes", "runs", "fingerprints16", "dense"}, encoding_idx)},
          kUsage)) {
    return 2;
  }
  const auto threads = static_cast<uint32_t>(num_threads);
  const auto encoding = static_cast<Encoding>(encoding_idx);  // in the order of their values
  const std::string unit = ", ns per key (" + std::string(EncodingName(encoding)) + ")";
  const std::string several = std::to_string(threads);
  const auto run = [&](size_t one, const std::string& title, const std::vector<std::string>& sides,
                       const std::vector<RatioColumn>& ratios, const auto& rows) {
    if (trial != kAllTrials && trial != one) return;
    std::printf("%s\n", FormatTrial(title + unit, sides, ratios, rows()).c_str());
    std::fflush(stdout);
  };
  std::printf("Target %s. Medians; ratios are taken in each round: median [min..max].\n\n",
              std::string(ActiveTarget()).c_str());
  for (const uint64_t keys : all_keys) {
    run(0, "Direct or split, one thread", {"direct", "split", "automatic", "textbook"},
        {{"direct / split", 0, 1},
         {"direct / automatic", 0, 2},
         {"split / automatic", 1, 2},
         {"textbook / split", 3, 1}},
        [&] { return RunRouteTrial(keys, rounds, with_textbook, encoding); });
    run(1, "Exclusive or concurrent, one thread", {"exclusive", "concurrent"},
        {{"concurrent / exclusive", 1, 0}}, [&] { return RunSharedTrial(keys, rounds, encoding); });
    run(2, "One caller or " + several, {"one", "several"}, {{"one / several", 0, 1}},
        [&] { return RunCallerTrial(keys, threads, rounds, encoding); });
    run(3, "A reader beside a writer", {"alone", "other filter", "same filter"},
        {{"same / alone", 2, 0}, {"same / other", 2, 1}},
        [&] { return RunReaderTrial(keys, rounds, encoding); });
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
