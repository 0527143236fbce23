// Filters with limits of side memory, in a process that has no memory left (a ctest entry runs it
// under ulimit -v): nothing that a server does with them ends the process, no key is lost, and what
// was refused was not done.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trommel/column_map.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace {

using trommel::BitmapWords;
using trommel::ColumnMap;
using trommel::ConcurrentFilter;
using trommel::CountingConfig;
using trommel::CountingFilter;
using trommel::Encoding;
using trommel::InsertOutcome;
using trommel::Keys;
using trommel::ScalableFilter;

constexpr uint64_t kCapacity = 50'000;

void Require(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "trommel_low_memory: not so: %s\n", what);
  std::exit(1);
}

// All memory that the process may still have, in pieces down to a few hundred bytes.
class AllMemory {
 public:
  AllMemory() {
    for (size_t size = size_t{1} << 28; size >= 256; size /= 2) {
      while (void* piece = std::malloc(size)) {
        *static_cast<void**>(piece) = pieces_;
        pieces_ = piece;
        num_bytes_ += size;
      }
    }
  }
  AllMemory(const AllMemory&) = delete;
  AllMemory& operator=(const AllMemory&) = delete;
  ~AllMemory() {
    while (pieces_ != nullptr) std::free(std::exchange(pieces_, *static_cast<void**>(pieces_)));
  }
  size_t num_bytes() const { return num_bytes_; }

 private:
  void* pieces_ = nullptr;
  size_t num_bytes_ = 0;
};

std::vector<uint64_t> Digests(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) digest = random();
  return digests;
}

// What a test of one filter needs, made while there is memory.
struct Buffers {
  explicit Buffers(size_t num_keys)
      : bits(BitmapWords(num_keys)), selection(num_keys), counts(num_keys) {
    taken.reserve(num_keys);
  }

  std::vector<uint64_t> bits;
  std::vector<uint32_t> selection;
  std::vector<uint64_t> counts;
  std::vector<uint64_t> taken;  // by the filter
};

// Keys with their bits set.
void TakeChosen(std::span<const uint64_t> digests, Buffers& buffers) {
  buffers.taken.clear();
  for (size_t i = 0; i < digests.size(); ++i) {
    if ((buffers.bits[i / 64] >> (i % 64) & 1) != 0) buffers.taken.push_back(digests[i]);
  }
}

// Inserts, queries and erases, all batches by two threads and by one.
void CheckWithoutMemory(ConcurrentFilter& filter, const CountingFilter& other,
                        std::span<const uint64_t> digests, Buffers& buffers) {
  const Keys keys = Keys::Digests(digests);
  const AllMemory all;
  bool is_refused = false;
  try {
    (void)filter.Serialize();
  } catch (const std::bad_alloc&) {
    is_refused = true;
  }
  Require(is_refused, "there is no memory for a snapshot");
  const InsertOutcome outcome = filter.Insert(keys, buffers.bits);
  Require(outcome.num_inserted + outcome.num_refused == keys.size(), "each key has an outcome");
  Require(outcome.num_refused > 0, "the limit refuses some keys");
  TakeChosen(digests, buffers);
  Require(buffers.taken.size() == outcome.num_inserted, "the bitmap has the keys that are in");
  const Keys taken = Keys::Digests(buffers.taken);
  const auto taken_bits = std::span(buffers.bits).first(BitmapWords(taken.size()));
  Require(filter.Query(taken, taken_bits) == taken.size(), "no key is lost");
  const size_t num_shown = filter.Select(keys, trommel::Answer::kMaybePresent, buffers.selection);
  Require(num_shown >= taken.size(), "no key is lost");
  filter.CountEstimates(taken, std::span(buffers.counts).first(taken.size()));
  Require(std::ranges::count(std::span(buffers.counts).first(taken.size()), 0U) == 0,
          "each key counts");
  const InsertOutcome again = filter.Insert(keys);  // split by two threads, or by one
  Require(again.num_inserted + again.num_refused == keys.size(), "each key has an outcome");
  if (const trommel::Status merged = filter.Merge(other); merged.ok()) {
    Require(filter.num_keys() == taken.size() + again.num_inserted + other.num_keys(),
            "a merge that is done is whole");
    std::exit(1);  // the other is full: it cannot have been done
  }
  Require(filter.num_keys() == taken.size() + again.num_inserted, "a failed merge adds nothing");
  Require(filter.Erase(taken).num_refused == 0, "all that is in can be erased");
}

void CheckWindow(double target_fpr, const std::shared_ptr<trommel::Executor>& executor) {
  trommel::WindowFilter filter =
      trommel::WindowFilter::Create({.window = 8000,
                                     .num_buckets = 8,
                                     .capacity = kCapacity,
                                     .target_fpr = target_fpr,
                                     .digest = {.kind = trommel::DigestKind::kCaller},
                                     .side_memory_limit_bytes = size_t{1} << 19,
                                     .executor = executor})
          .value();
  std::vector<uint64_t> digests = Digests(kCapacity, 9);
  for (size_t i = 0; i < digests.size(); i += 2) digests[i] = digests[i / 2 % 5000];  // copies
  const Keys keys = Keys::Digests(digests);
  Buffers buffers(digests.size());
  uint64_t num_without_space = 0;
  auto all = std::make_unique<AllMemory>();
  for (uint64_t now = 0; now < 40'000; now += 700) {
    Require(filter.Advance(now), "the clock advances");
    const trommel::WindowInsertOutcome outcome = filter.Insert(keys, buffers.bits);
    Require(outcome.num_inserted + outcome.num_without_space == keys.size(),
            "each key has an outcome");
    num_without_space += outcome.num_without_space;
    TakeChosen(digests, buffers);
    Require(buffers.taken.size() == outcome.num_inserted, "the bitmap has the keys that are in");
    const Keys taken = Keys::Digests(buffers.taken);
    const auto taken_bits = std::span(buffers.bits).first(BitmapWords(taken.size()));
    Require(filter.Query(taken, taken_bits) == taken.size(), "no key is lost");
    if (now % 3 == 0) {
      Require(filter.Erase(taken, now).num_erased == taken.size(), "all can be erased");
    }
    (void)filter.InsertIfAbsent(Keys::Digests(buffers.taken), taken_bits);
  }
  all = nullptr;
  Require(num_without_space > 0, "some keys are refused");
  Require(filter.GetStats().num_without_space >= num_without_space, "and counted");
}

void CheckEncoding(Encoding encoding, const std::shared_ptr<trommel::Executor>& executor) {
  CountingConfig config{.capacity = kCapacity,
                        .target_fpr = 0.002,
                        .digest = {.kind = trommel::DigestKind::kCaller},
                        .encoding = encoding,
                        .executor = executor};
  CountingFilter other = CountingFilter::Create(config).value();
  const std::vector<uint64_t> digests = Digests(4 * kCapacity, 1);
  other.Insert(Keys::Digests(Digests(2 * kCapacity, 2)));
  config.side_memory_limit_bytes = size_t{1} << 16;
  ConcurrentFilter filter = ConcurrentFilter::Create(config).value();
  Buffers buffers(digests.size());
  CheckWithoutMemory(filter, other, digests, buffers);
  // As the other keys were inserted twice, those of the second time are still in.
  Require(filter.Serialize().size() > 0, "there is memory again");
}

// A merge of filters that grow, and then their updates. Without a limit these may end the
// program.
void CheckGrowing(uint64_t side_memory_limit_bytes) {
  const auto make = [&] {
    return ScalableFilter::Create({.first_capacity = 1000,
                                   .digest = {.kind = trommel::DigestKind::kCaller},
                                   .side_memory_limit_bytes = side_memory_limit_bytes})
        .value();
  };
  ScalableFilter filter = make();
  ScalableFilter other = make();
  const std::vector<uint64_t> digests = Digests(kCapacity, 3);
  const std::vector<uint64_t> more = Digests(kCapacity, 4);
  const Keys keys = Keys::Digests(digests);
  filter.Insert(keys);
  other.Insert(Keys::Digests(more));
  Buffers buffers(digests.size());
  {
    const AllMemory all;
    const trommel::Status merged = filter.Merge(other);
    Require(!merged.ok() && merged.error().code == trommel::ErrorCode::kOutOfMemory,
            "a merge needs memory, and says so");
    Require(filter.num_keys() == digests.size(), "a failed merge adds nothing");
    Require(filter.Query(keys, buffers.bits) == digests.size(), "no key is lost");
    if (side_memory_limit_bytes != 0) {
      const InsertOutcome outcome = filter.Insert(Keys::Digests(more), buffers.bits);
      Require(outcome.num_inserted + outcome.num_refused == more.size(), "each key has an outcome");
      for (size_t i = 0; i < more.size(); ++i) {
        if ((buffers.bits[i / 64] >> (i % 64) & 1) != 0) buffers.taken.push_back(more[i]);
      }
      Require(filter.Erase(Keys::Digests(buffers.taken)).num_refused == 0,
              "all that was taken can be erased");
    }
  }
  Require(filter.Merge(other).ok(), "there is memory again");
  Require(filter.num_keys() == 2 * kCapacity, "a merge that is done is whole");
}

// A map whose keys are in many columns, so that lists and bitmaps come and go.
void CheckMap() {
  constexpr uint32_t kColumns = 300;
  ColumnMap map = ColumnMap::Create({.capacity = 100'000,
                                     .num_columns = kColumns,
                                     .digest = {.kind = trommel::DigestKind::kCaller}})
                      .value();
  for (uint32_t c = 0; c < kColumns; ++c) Require(map.OpenColumn(c).ok(), "columns open");
  const std::vector<uint64_t> digests = Digests(10'000, 5);
  const Keys keys = Keys::Digests(digests);
  std::vector<std::vector<uint64_t>> inserted(kColumns);
  for (auto& bits : inserted) bits.resize(BitmapWords(keys.size()));
  const auto insert = [&](uint32_t first, uint32_t end) {
    uint64_t num_refused = 0;
    for (uint32_t c = first; c < end; ++c)
      num_refused += map.Insert(c, keys, inserted[c]).num_refused;
    return num_refused;
  };
  // Erases what was inserted, but for the keys from `kept` on.
  const auto erase = [&](uint32_t first, uint32_t end, size_t kept) {
    uint64_t num_refused = 0;
    for (uint32_t c = first; c < end; ++c) {
      for (size_t i = 0; i < kept; ++i) {
        const bool is_in = (inserted[c][i / 64] >> (i % 64) & 1) != 0;
        if (is_in) num_refused += uint64_t{!map.Erase(c, trommel::Key::Digest(digests[i]))};
      }
    }
    return num_refused;
  };
  (void)insert(0, 100);
  {
    const AllMemory all;
    Require(insert(100, kColumns) > 0, "a map refuses keys");
    Require(erase(0, kColumns, digests.size() / 2) == 0, "what was taken can be erased");
    size_t num_missed = 0;
    for (size_t i = digests.size() / 2; i < digests.size(); ++i) {
      const bool is_in = (inserted[150][i / 64] >> (i % 64) & 1) != 0;
      num_missed += size_t{is_in && !map.MayContain(150, trommel::Key::Digest(digests[i]))};
    }
    Require(num_missed == 0, "no key is lost");
    for (uint32_t c = 0; c < kColumns; ++c) map.CloseColumn(c);
  }
  Require(map.GetStats().num_pairs == 0, "closed columns leave nothing");
}

}  // namespace

int main() {
  const std::shared_ptr<trommel::Executor> executor = trommel::Executor::Create(2).value();
  executor->ForEach(64, [](size_t) {});  // its threads begin while there is memory
  for (const Encoding encoding :
       {Encoding::kRuns, Encoding::kPlanes, Encoding::kFingerprints16, Encoding::kDense}) {
    CheckEncoding(encoding, executor);
    CheckEncoding(encoding, nullptr);
  }
  for (const uint64_t limit : {uint64_t{0}, uint64_t{1} << 16}) CheckGrowing(limit);
  CheckMap();
  for (const double target_fpr : {0.01, 5e-4}) {  // slots of 16 and of 24 bits
    CheckWindow(target_fpr, executor);
    CheckWindow(target_fpr, nullptr);
  }
  {
    const AllMemory all;
    const auto refused = CountingFilter::Create({.capacity = uint64_t{1} << 28});
    Require(!refused.ok(), "there is no memory for a filter");
  }
  std::puts("all as promised, without memory");
  return 0;
}
