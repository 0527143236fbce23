#include "bench/trials/thread_trials.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "bench/machine/clock.h"
#include "bench/machine/roofline.h"
#include "bench/sides/demand.h"
#include "bench/sides/textbook_filter.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "engine/src/counting/forced_route.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"

namespace trommel::bench {
namespace {

constexpr double kTrialFpr = 0.01;

// --- Routes ---

constexpr size_t kNumRouteSides = 4;
constexpr size_t kTextbookRoute = 3;

// The two filters, with the same keys in them.
struct Rivals {
  Rivals(uint64_t num_keys, bool with_textbook, Encoding encoding)
      : ours(
            ValueOrExit(CountingFilter::Create({.capacity = num_keys,
                                                .target_fpr = kTrialFpr,
                                                .num_slices = encoding == Encoding::kRuns ? 5U : 0U,
                                                .encoding = encoding}))) {
    if (with_textbook) textbook.emplace(TextbookFilter::ForKeys(num_keys, kTrialFpr));
  }

  // Makes the first `wanted` members those that are in; each call wants fewer than the last.
  void FillTo(uint64_t wanted) {
    if (num_members == 0) {
      ForEachBatch(kFirstMember, wanted, [this](Batch batch) {
        ours.Insert(Keys::Digests(batch.digests));
        if (textbook) textbook->Insert(batch.digests);
      });
    } else {
      ForEachBatch(kFirstMember + wanted, num_members - wanted, [this](Batch batch) {
        ours.Erase(Keys::Digests(batch.digests));
        if (textbook) textbook->Erase(batch.digests);
      });
    }
    num_members = wanted;
  }

  void Insert(size_t side, std::span<const uint64_t> digests) {
    if (side == kTextbookRoute) {
      textbook->Insert(digests);
    } else {
      ours.Insert(Keys::Digests(digests));
    }
  }
  uint64_t Erase(size_t side, std::span<const uint64_t> digests) {
    return side == kTextbookRoute ? textbook->Erase(digests)
                                  : ours.Erase(Keys::Digests(digests)).num_erased;
  }

  CountingFilter ours;
  std::optional<TextbookFilter> textbook;
  uint64_t num_members = 0;
};

// --- Sharing ---

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
constexpr const char* kOpNames[kNumOps] = {"insert", "erase", "insert-if-absent", "query hit",
                                           "query miss"};

// ns per key of each operation, batch by batch over all digests; leaves the filter as it was.
template <class Filter>
void MeasureOnce(Filter& filter, std::span<const uint64_t> digests, size_t batch,
                 double (&ns)[kNumOps]) {
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
}

}  // namespace

std::vector<TrialRow> RunRouteTrial(uint64_t num_keys, const std::vector<double>& keys_per_block,
                                    uint64_t rounds, bool with_textbook, Encoding encoding) {
  Rivals rivals(num_keys, with_textbook, encoding);
  const auto num_blocks = static_cast<double>(rivals.ours.geometry().num_blocks);
  const double most = *std::max_element(keys_per_block.begin(), keys_per_block.end());
  const Population guests(kFirstGuest, static_cast<size_t>(most * num_blocks));
  std::vector<TrialRow> rows;
  for (const double load : keys_per_block) {
    const auto digests = guests.batch().digests.first(static_cast<size_t>(load * num_blocks));
    // Runs become slower beyond their capacity, so the batch is within it.
    rivals.FillTo(num_keys - digests.size());
    const std::string text =
        Printed("%s keys, %.2f per block (%zu)", CountName(num_keys).c_str(), load, digests.size());
    TrialRow insert{"insert, " + text, std::vector<Figures>(kNumRouteSides)};
    TrialRow erase{"erase,  " + text, std::vector<Figures>(kNumRouteSides)};
    InRounds(kNumRouteSides, rounds, [&](size_t side, bool counts) {
      if (side == kTextbookRoute && !with_textbook) return;
      constexpr Route kRoutes[] = {Route::kDirect, Route::kSplit, Route::kAutomatic};
      if (side != kTextbookRoute) ForcedRoute::Use(rivals.ours, kRoutes[side]);
      const double insert_ns = CpuNsPerKey(digests.size(), [&] { rivals.Insert(side, digests); });
      uint64_t num_erased = 0;
      const double erase_ns =
          CpuNsPerKey(digests.size(), [&] { num_erased = rivals.Erase(side, digests); });
      Demand(num_erased == digests.size(), "not all inserted keys were erased");
      if (!counts) return;
      insert.sides[side].push_back(insert_ns);
      erase.sides[side].push_back(erase_ns);
    });
    rows.push_back(std::move(insert));
    rows.push_back(std::move(erase));
  }
  return rows;
}

std::vector<TrialRow> RunThreadTrial(uint64_t num_keys, uint32_t num_threads, uint64_t rounds,
                                     Encoding encoding) {
  constexpr double kSecondsPerCeiling = 0.2;
  const std::array<std::shared_ptr<Executor>, 2> executors = {
      nullptr, ValueOrExit(Executor::Create(num_threads))};
  const Population members(kFirstMember, num_keys);
  const Population guests(kFirstGuest, num_keys / 4);
  const auto digests = members.batch().digests;
  const auto more = guests.batch().digests;
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(digests.size()));
  std::vector<TrialRow> rows;
  for (const char* name : {"build from digests", "insert a quarter more", "erase it", "query hits",
                           "ceiling: random line read",
                           "ceiling: random update of an update's lines", "ceiling: copied line"}) {
    rows.push_back({std::string(name) + ", " + CountName(num_keys) + " keys", {{}, {}}});
  }
  InRounds(2, rounds, [&](size_t side, bool counts) {
    std::vector<double> ns;  // of each row
    // Building includes asking the system for memory and touching it, as it does for users.
    CountingConfig config{.capacity = num_keys, .target_fpr = kTrialFpr, .encoding = encoding};
    config.executor = executors[side];
    std::optional<CountingFilter> filter;
    ns.push_back(WallNsPerKey(digests.size(), [&] {
      filter.emplace(ValueOrExit(CountingFilter::Create(config)));
      filter->Insert(Keys::Digests(digests));
    }));
    ns.push_back(WallNsPerKey(more.size(), [&] { filter->Insert(Keys::Digests(more)); }));
    uint64_t num_erased = 0;
    ns.push_back(WallNsPerKey(more.size(),
                              [&] { num_erased = filter->Erase(Keys::Digests(more)).num_erased; }));
    Demand(num_erased == more.size(), "an inserted key was refused");
    size_t num_present = 0;
    ns.push_back(WallNsPerKey(
        digests.size(), [&] { num_present = filter->Query(Keys::Digests(digests), bitmap); }));
    Demand(num_present == digests.size(), "a member was answered \"absent\"");

    const Geometry& geometry = filter->geometry();
    const uint32_t threads = side == 0 ? 1 : num_threads;
    // Planes have presence bits and counts apart; a block of the others is one line, or two.
    const std::array<Touch, 1> query = {Touch{geometry.query_bytes(), 1}};
    const std::vector<Touch> update =
        encoding == Encoding::kPlanes
            ? std::vector<Touch>{{geometry.presence_bytes(), 1}, {geometry.count_bytes(), 2}}
            : std::vector<Touch>{{geometry.num_bytes(), geometry.num_slices > 8 ? 2U : 1U}};
    constexpr double kLineBytes = 2 * 64;  // read and written
    ns.push_back(RandomReadNs(query, kSecondsPerCeiling, threads));
    ns.push_back(RandomUpdateNs(update, kSecondsPerCeiling, threads));
    ns.push_back(kLineBytes / StreamGbPerS(geometry.num_bytes(), kSecondsPerCeiling, threads));
    for (size_t r = 0; counts && r < rows.size(); ++r) rows[r].sides[side].push_back(ns[r]);
  });
  return rows;
}

std::vector<TrialRow> RunSharedTrial(uint64_t num_keys, const std::vector<size_t>& batches,
                                     uint64_t rounds, Encoding encoding) {
  const Population guests(kFirstGuest, NumGuests(num_keys));
  const auto digests = guests.batch().digests;
  CountingFilter exclusive = Filled(num_keys, num_keys - digests.size(), encoding);
  ConcurrentFilter concurrent(Filled(num_keys, num_keys - digests.size(), encoding));
  std::vector<TrialRow> rows;
  for (const size_t batch : batches) {
    const size_t first_row = rows.size();
    for (const char* name : kOpNames) {
      rows.push_back({std::string(name) + ", " + CountName(num_keys) + " keys, batches of " +
                          std::to_string(batch),
                      {{}, {}}});
    }
    InRounds(2, rounds, [&](size_t side, bool counts) {
      double ns[kNumOps];
      if (side == 0) {
        MeasureOnce(exclusive, digests, batch, ns);
      } else {
        MeasureOnce(concurrent, digests, batch, ns);
      }
      for (size_t op = 0; counts && op < kNumOps; ++op) {
        rows[first_row + op].sides[side].push_back(ns[op]);
      }
    });
  }
  return rows;
}

std::vector<TrialRow> RunCallerTrial(uint64_t num_keys, uint32_t num_callers, uint64_t rounds,
                                     Encoding encoding) {
  const Population guests(kFirstGuest, NumGuests(num_keys));
  const auto digests = guests.batch().digests;
  ConcurrentFilter filter(Filled(num_keys, num_keys - digests.size(), encoding));
  constexpr const char* kNames[] = {"insert", "query hits", "erase", "query misses"};
  std::vector<TrialRow> rows;
  for (const char* name : kNames) {
    rows.push_back({std::string(name) + ", " + CountName(num_keys) + " keys", {{}, {}}});
  }
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

std::vector<TrialRow> RunReaderTrial(uint64_t num_keys, uint64_t rounds, Encoding encoding) {
  constexpr size_t kNoWriter = 0;
  constexpr size_t kSame = 2;
  constexpr double kSecondsPerFigure = 0.5;
  const size_t batch = std::min<uint64_t>(kReaderBatch, num_keys / 4 / 64 * 64);
  const uint64_t num_members = num_keys - batch;
  ConcurrentFilter read(Filled(num_keys, num_members, encoding));
  ConcurrentFilter other(Filled(num_keys, num_members, encoding));
  const size_t num_asked = std::min<uint64_t>(num_members, 1 << 22) / batch * batch;
  const Population members(kFirstMember, num_asked);
  const Population absent(kFirstNonMember, num_asked);
  const Population guests(kFirstGuest, 16 * batch);
  std::vector<TrialRow> rows;
  for (const char* name : {"query hits, ", "query misses, "}) {
    rows.push_back({name + CountName(num_keys) + " keys", {{}, {}, {}}});
  }
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(batch));
  InRounds(kReaderSides.size(), rounds, [&](size_t side, bool counts) {
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

}  // namespace trommel::bench
