#include "bench/shared_trial.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "bench/cpu_clock.h"
#include "bench/trial_steps.h"
#include "bench/workload.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

constexpr size_t kReaderBatch = size_t{1} << 16;

CountingFilter Filled(uint64_t num_keys) {
  CountingFilter filter =
      std::move(CountingFilter::Create({.capacity = num_keys, .encoding = Encoding::kPlanes}))
          .value();
  constexpr uint64_t kFillBatch = uint64_t{1} << 22;
  for (uint64_t first = 0; first < num_keys; first += kFillBatch) {
    const Population part(kFirstMember + first, std::min(kFillBatch, num_keys - first));
    filter.Insert(Keys::Digests(part.batch().digests));
  }
  return filter;
}

enum { kInsert, kErase, kInsertIfAbsent, kQuery, kNumOps };
constexpr const char* kOpNames[kNumOps] = {"insert", "erase", "insert-if-absent", "query"};

// ns a key of each operation, batch by batch over all digests; leaves the filter as it was.
template <class Filter>
void MeasureOnce(Filter& filter, std::span<const uint64_t> digests, size_t batch,
                 double (&ns)[kNumOps]) {
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(batch));
  const auto timed = [&](int op, const auto& each) {
    const double start = CpuSeconds();
    uint64_t num_done = 0;
    for (size_t first = 0; first + batch <= digests.size(); first += batch) {
      num_done += each(Keys::Digests(digests.subspan(first, batch)));
    }
    ns[op] = (CpuSeconds() - start) * 1e9 / static_cast<double>(digests.size() / batch * batch);
    return num_done;
  };
  const uint64_t num_keys = digests.size() / batch * batch;
  timed(kInsert, [&](Keys keys) { return filter.Insert(keys), uint64_t{0}; });
  Demand(
      timed(kErase, [&](Keys keys) { return filter.Erase(keys, bitmap).num_erased; }) == num_keys,
      "an inserted key was refused");
  Demand(timed(kQuery, [&](Keys keys) { return filter.Query(keys, bitmap); }) <= num_keys,
         "more answers than keys");
  // Only what came in goes out again: a stranger that looked present is not ours to erase.
  const size_t num_words = bitmap.size();
  std::vector<uint64_t> inserted(num_keys / batch * num_words);
  size_t batch_idx = 0;
  timed(kInsertIfAbsent, [&](Keys keys) {
    return filter.InsertIfAbsent(keys,
                                 std::span(inserted).subspan(batch_idx++ * num_words, num_words));
  });
  std::vector<uint64_t> came_in;
  for (size_t i = 0; i < num_keys; ++i) {
    const uint64_t word = inserted[i / batch * num_words + i % batch / 64];
    if ((word >> (i % batch % 64) & 1) != 0) came_in.push_back(digests[i]);
  }
  Demand(filter.Erase(Keys::Digests(came_in)).num_refused == 0, "a new key was refused");
}

}  // namespace

std::vector<TrialRow> RunSharedTrial(uint64_t num_keys, const std::vector<size_t>& batches,
                                     uint64_t rounds) {
  CountingFilter exclusive = Filled(num_keys);
  ConcurrentFilter concurrent(Filled(num_keys));
  const size_t largest = *std::max_element(batches.begin(), batches.end());
  const Population guests(kFirstGuest, std::max(largest, size_t{1} << 20));
  std::vector<TrialRow> rows;
  for (const size_t batch : batches) {
    const size_t first_row = rows.size();
    for (const char* name : kOpNames) {
      rows.push_back({std::string(name) + ", " + CountName(num_keys) + " keys, batches of " +
                          std::to_string(batch),
                      {{}, {}}});
    }
    for (uint64_t round = 0; round <= rounds; ++round) {
      for (size_t i = 0; i < 2; ++i) {
        const size_t side = (i + round) % 2;
        double ns[kNumOps];
        if (side == 0) {
          MeasureOnce(exclusive, guests.batch().digests, batch, ns);
        } else {
          MeasureOnce(concurrent, guests.batch().digests, batch, ns);
        }
        if (round == 0) continue;  // warms up
        for (size_t op = 0; op < kNumOps; ++op) rows[first_row + op].sides[side].push_back(ns[op]);
      }
    }
  }
  return rows;
}

std::vector<TrialRow> RunReaderTrial(uint64_t num_keys, uint64_t rounds) {
  ConcurrentFilter read(Filled(num_keys));
  ConcurrentFilter other(Filled(num_keys));
  const Population members(kFirstMember, std::min<uint64_t>(num_keys, 1 << 22));
  const Population guests(kFirstGuest, 1 << 20);
  TrialRow row{"queries a microsecond, " + CountName(num_keys) + " keys", {{}, {}}};
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(kReaderBatch));
  for (uint64_t round = 0; round <= rounds; ++round) {
    for (size_t i = 0; i < 2; ++i) {
      const size_t side = (i + round) % 2;
      ConcurrentFilter& written = side == 0 ? other : read;
      std::atomic<bool> is_done{false};
      std::atomic<bool> is_writing{false};
      std::thread writer([&] {
        const auto digests = guests.batch().digests;
        for (size_t first = 0; !is_done; first = (first + kReaderBatch) % digests.size()) {
          const Keys keys = Keys::Digests(digests.subspan(first, kReaderBatch));
          written.Insert(keys);
          is_writing = true;
          written.Erase(keys);
        }
      });
      while (!is_writing) std::this_thread::yield();
      // Thread CPU time: what the writer does to memory counts, what the scheduler does not.
      const double start = CpuSeconds();
      uint64_t num_asked = 0;
      uint64_t num_present = 0;
      for (size_t first = 0; CpuSeconds() - start < 0.5;
           first = (first + kReaderBatch) % (members.batch().size() - kReaderBatch)) {
        num_present +=
            read.Query(Keys::Digests(members.batch().digests.subspan(first, kReaderBatch)), bitmap);
        num_asked += kReaderBatch;
      }
      const double seconds = CpuSeconds() - start;
      is_done = true;
      writer.join();
      Demand(num_present == num_asked, "a key that is in was missed");
      if (round > 0) row.sides[side].push_back(static_cast<double>(num_asked) / seconds / 1e6);
    }
  }
  return {row};
}

}  // namespace trommel::bench
