// Windows with a limit of side memory: which keys they refuse, that nothing else changes, and that
// what expires makes space.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/exact_model.h"
#include "support/in_threads.h"
#include "support/least_named.h"
#include "support/window_slots.h"
#include "trommel/executor.h"
#include "trommel/window_filter.h"

namespace trommel::tests {
namespace {

using WindowKeys = std::vector<uint64_t>;

constexpr uint64_t kBucketTicks = 100;

WindowConfig WindowOf(double target_fpr, bool is_erasable = true) {
  return {.window = 8 * kBucketTicks,
          .num_buckets = 8,
          .capacity = 3000,
          .target_fpr = target_fpr,
          .digest = {.kind = DigestKind::kCaller},
          .is_erasable = is_erasable};
}

WindowConfig AnyWindow() {
  return GENERATE(WindowOf(kRateOfSlots16), WindowOf(kRateOfSlots24),
                  WindowOf(kRateOfSlots16, false), WindowOf(kRateOfSlots24, false));
}

WindowFilter UnlimitedWindow(const WindowConfig& config) {
  return WindowFilter::Create(config).value();
}

// Space for some entries of each range of blocks.
WindowFilter LimitedWindow(WindowConfig config, uint64_t times_least = 3) {
  WindowFilter plain = UnlimitedWindow(config);
  const uint64_t least = LeastNamed(plain.LimitSideMemory(1));
  config.side_memory_limit_bytes = times_least * least;
  return WindowFilter::Create(config).value();
}

WindowKeys RandomWindowKeys(size_t size, std::mt19937_64& random) {
  WindowKeys keys(size);
  for (uint64_t& key : keys) key = random();
  return keys;
}

// Most of them again and again, and a crowd of a few blocks.
WindowKeys KeysOfWindow(size_t size, const WindowKeys& pool, std::mt19937_64& random) {
  WindowKeys keys(size);
  for (uint64_t& key : keys) {
    key = pool[random() % (random() % 2 == 0 ? 300 : pool.size())];
    if (random() % 8 == 0) key = (random() % 4) << 62 | (random() % 100) << 8 >> 8;
    if (random() % 8 == 0) key = (random() % 4) << 62 | random() >> 9;
  }
  return keys;
}

WindowKeys ChosenOf(const WindowKeys& keys, const WindowKeys& bits) {
  WindowKeys chosen;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (BitAt(bits, i)) chosen.push_back(keys[i]);
  }
  return chosen;
}

WindowKeys BitsOf(const WindowKeys& keys) { return WindowKeys(BitmapWords(keys.size())); }

uint64_t SideBytesOfWindow(const WindowFilter& filter) {
  return filter.GetStats().slots.side_table_bytes;
}

}  // namespace

TEST_CASE("a window with a limit holds just the keys that it did not refuse",
          "[engine][window][side_limit][long]") {
  const WindowConfig config = AnyWindow();
  std::mt19937_64 random(Catch::rngSeed());
  WindowFilter filter = LimitedWindow(config);
  // Holds what was not refused, without a limit: every count and the bytes must be the same.
  WindowFilter model = UnlimitedWindow(config);
  const WindowKeys pool = RandomWindowKeys(4000, random);
  uint64_t num_without_space = 0;
  for (int step = 0; step < 250; ++step) {
    CAPTURE(step);
    const uint64_t now = filter.now();
    const WindowKeys digests = KeysOfWindow(1 + random() % 400, pool, random);
    const Keys keys = Keys::Digests(digests);
    WindowKeys bits = BitsOf(digests);
    WindowKeys model_bits = BitsOf(digests);
    const uint64_t choice = random() % 10;
    if (choice < 4) {
      const bool is_late = choice == 0 && now > 3 * kBucketTicks;
      uint64_t time = now - (is_late ? random() % (3 * kBucketTicks) : 0);
      const WindowInsertOutcome outcome =
          is_late ? filter.Insert(keys, time, bits) : filter.Insert(keys, bits, &time);
      const WindowKeys taken = ChosenOf(digests, bits);
      REQUIRE(outcome.num_inserted == taken.size());
      REQUIRE(outcome.num_inserted + outcome.num_refused == digests.size());
      if (!is_late) REQUIRE(outcome.num_refused == outcome.num_without_space);
      num_without_space += outcome.num_without_space;
      REQUIRE(model.Insert(Keys::Digests(taken), time).num_refused == 0);
    } else if (choice == 4) {
      const uint64_t before = filter.GetStats().num_without_space;
      const size_t num_inserted = filter.InsertIfAbsent(keys, bits);
      num_without_space += filter.GetStats().num_without_space - before;
      const WindowKeys taken = ChosenOf(digests, bits);
      REQUIRE(num_inserted == taken.size());
      WindowKeys taken_bits = BitsOf(taken);
      REQUIRE(model.InsertIfAbsent(Keys::Digests(taken), taken_bits) == taken.size());
    } else if (choice == 5) {
      for (const uint64_t digest : digests) {
        const uint64_t before = filter.GetStats().num_without_space;
        filter.Insert(Key::Digest(digest));
        const bool is_in = filter.GetStats().num_without_space == before;
        if (is_in) model.Insert(Key::Digest(digest));
        num_without_space += uint64_t{!is_in};
      }
    } else if (choice == 6 || choice == 7) {
      const uint64_t time = now - std::min(now, random() % (4 * kBucketTicks));
      REQUIRE(filter.Erase(keys, time, bits) == model.Erase(keys, time, model_bits));
      REQUIRE(bits == model_bits);
    } else if (choice == 8) {
      const uint64_t to = now + (random() % 6 == 0 ? random() % 1500 : random() % 80);
      REQUIRE(filter.Advance(to));
      REQUIRE(model.Advance(to));
    }
    WindowKeys counts(digests.size());
    WindowKeys model_counts(digests.size());
    filter.CountEstimates(keys, counts);
    model.CountEstimates(keys, model_counts);
    REQUIRE(counts == model_counts);
    REQUIRE(filter.num_keys() == model.num_keys());
    REQUIRE(filter.GetStats().num_without_space == num_without_space);
    if (step % 25 == 0) REQUIRE((filter.Serialize() == model.Serialize()));
  }
  CHECK((filter.Serialize() == model.Serialize()));
  CHECK(num_without_space > 0);
  filter.Clear();
  CHECK(filter.GetStats().num_without_space == 0);
  model.Clear();
  CHECK((filter.Serialize() == model.Serialize()));
}

TEST_CASE("windows refuse the same keys for any split and number of threads",
          "[engine][window][side_limit]") {
  const WindowConfig config = AnyWindow();
  std::mt19937_64 random(Catch::rngSeed());
  WindowFilter whole = LimitedWindow(config);
  WindowFilter pieces = LimitedWindow(config);
  WindowFilter spread = LimitedWindow(config);
  spread.UseExecutor(Executor::Create(3).value());
  const WindowKeys pool = RandomWindowKeys(4000, random);
  for (uint64_t round = 0; round < 4; ++round) {
    const WindowKeys digests = KeysOfWindow(20'000, pool, random);
    WindowKeys bits = BitsOf(digests);
    const WindowInsertOutcome outcome = whole.Insert(Keys::Digests(digests), bits);
    CHECK(outcome.num_without_space > 0);
    WindowKeys spread_bits = BitsOf(digests);
    CHECK(spread.Insert(Keys::Digests(digests), spread_bits) == outcome);
    CHECK(spread_bits == bits);
    for (size_t first = 0; first < digests.size();) {
      const size_t size =
          random() % 2 == 0 ? 1 : std::min<size_t>(1 + random() % 300, digests.size() - first);
      const auto part = std::span(digests).subspan(first, size);
      WindowKeys part_bits(BitmapWords(size));
      pieces.Insert(Keys::Digests(part), part_bits);
      for (size_t i = 0; i < size; ++i) REQUIRE(BitAt(part_bits, i) == BitAt(bits, first + i));
      first += size;
    }
    for (WindowFilter* filter : {&whole, &pieces, &spread}) {
      filter->Advance((round + 1) * kBucketTicks * 3 / 2);
    }
  }
  CHECK((pieces.Serialize() == whole.Serialize()));
  CHECK((spread.Serialize() == whole.Serialize()));
  CHECK(pieces.GetStats().num_without_space == whole.GetStats().num_without_space);
}

TEST_CASE("what leaves a window makes space within its limit", "[engine][window][side_limit]") {
  const WindowConfig config = AnyWindow();
  std::mt19937_64 random(Catch::rngSeed());
  WindowFilter filter = LimitedWindow(config);
  uint64_t num_without_space = 0;
  for (uint64_t round = 0; round < 5; ++round) {
    // Refuses what a new one does, of keys in other blocks than before.
    WindowFilter fresh = LimitedWindow(config);
    fresh.Advance(filter.now());
    const WindowKeys digests = KeysOfWindow(3000, RandomWindowKeys(600, random), random);
    WindowKeys bits = BitsOf(digests);
    WindowKeys fresh_bits = BitsOf(digests);
    const WindowInsertOutcome outcome = filter.Insert(Keys::Digests(digests), bits);
    CHECK(outcome == fresh.Insert(Keys::Digests(digests), fresh_bits));
    CHECK(bits == fresh_bits);
    CHECK((filter.Serialize() == fresh.Serialize()));
    num_without_space += outcome.num_without_space;
    filter.Advance(filter.now() + config.window + 2 * kBucketTicks);
  }
  CHECK(num_without_space > 0);
}

TEST_CASE("with a limit no update of a window needs memory, and no step of its clock",
          "[engine][window][side_limit][refused_memory]") {
  if (!AllocationPeak::IsCounted()) return;
  const WindowConfig config = AnyWindow();
  std::mt19937_64 random(Catch::rngSeed());
  WindowFilter filter = LimitedWindow(config);
  const WindowKeys pool = RandomWindowKeys(4000, random);
  uint64_t num_wrong = 0;
  uint64_t num_refused = 0;
  for (int round = 0; round < 12; ++round) {
    const WindowKeys digests = KeysOfWindow(6000, pool, random);
    const Keys keys = Keys::Digests(digests);
    WindowKeys bits = BitsOf(digests);
    WindowKeys taken;
    taken.reserve(digests.size());
    WindowKeys counts(digests.size());
    const uint64_t allocations = NumAllocations();
    const RefusedAllocation refused(1, Refused::kAllFrom);
    const uint64_t now = filter.now();
    const WindowInsertOutcome outcome = filter.Insert(keys, bits);
    num_refused += outcome.num_without_space;
    for (size_t i = 0; i < digests.size(); ++i) {
      if (BitAt(bits, i)) taken.push_back(digests[i]);
    }
    num_wrong += uint64_t{taken.size() != outcome.num_inserted};
    const auto of_taken = std::span(bits).first(BitmapWords(taken.size()));
    num_wrong += taken.size() - filter.Query(Keys::Digests(taken), of_taken);
    filter.CountEstimates(Keys::Digests(taken), std::span(counts).first(taken.size()));
    num_wrong += static_cast<uint64_t>(
        std::ranges::count(std::span(counts).first(taken.size()), uint64_t{0}));
    if (config.is_erasable && round % 2 == 0) {
      num_wrong += filter.Erase(Keys::Digests(taken), now).num_refused;
    }
    (void)filter.InsertIfAbsent(keys, bits);
    for (size_t i = 0; i < 100; ++i) filter.Insert(Key::Digest(digests[i]));
    filter.Advance(now + (round == 6 ? 2000 : 70));
    num_wrong += NumAllocations() - allocations;
  }
  CHECK(num_wrong == 0);
  CHECK(num_refused > 0);
}

TEST_CASE("a limit of a window is taken whole or not at all",
          "[engine][window][side_limit][refused_memory]") {
  const WindowConfig config = AnyWindow();
  std::mt19937_64 random(Catch::rngSeed());
  WindowFilter filter = UnlimitedWindow(config);
  const WindowKeys digests = KeysOfWindow(3000, RandomWindowKeys(2000, random), random);
  filter.Insert(Keys::Digests(digests));
  filter.Advance(kBucketTicks);
  filter.Insert(Keys::Digests(digests));
  const std::vector<std::byte> bytes = filter.Serialize();
  constexpr uint64_t kEnough = 10'000'000;
  bool was_refused = AllocationPeak::IsCounted();
  for (uint64_t n = 1; was_refused; n += 1 + n / 4) {
    CAPTURE(n);
    Status limited = Ok();
    was_refused = WasRefusedAt(n, [&] { limited = filter.LimitSideMemory(kEnough); });
    CHECK(limited.ok() != was_refused);
    CHECK((filter.Serialize() == bytes));
    if (!limited.ok()) CHECK(limited.error().code == ErrorCode::kOutOfMemory);
  }
  REQUIRE(filter.LimitSideMemory(kEnough).ok());
  CHECK(SideBytesOfWindow(filter) > 20'000);
  const WindowFilter copy = filter.Clone().value();
  CHECK(copy == filter);
  CHECK(SideBytesOfWindow(copy) == SideBytesOfWindow(filter));
  if (config.is_erasable) {
    // With space for a few entries.
    const uint64_t least = LeastNamed(filter.LimitSideMemory(1)) * 10;
    CHECK(filter.LimitSideMemory(least).error().code == ErrorCode::kOutOfMemory);
  }
  CHECK((filter.Serialize() == bytes));
  CHECK(filter.LimitSideMemory(0).ok());
  CHECK((filter.Serialize() == bytes));

  WindowConfig too_large = config;
  too_large.memory_limit_bytes = kEnough / 2;
  too_large.side_memory_limit_bytes = kEnough;
  CHECK(WindowFilter::Create(too_large).error().code == ErrorCode::kOutOfMemory);
  CHECK(filter.LimitSideMemory(~uint64_t{0}).error().code == ErrorCode::kOutOfMemory);
}

TEST_CASE("a window with a limit refuses to merge until it is lifted",
          "[engine][window][side_limit]") {
  WindowFilter filter = LimitedWindow(WindowOf(kRateOfSlots16));
  const WindowFilter other = UnlimitedWindow(WindowOf(kRateOfSlots16));
  CHECK(filter.Merge(other).error().code == ErrorCode::kInvalidArgument);
  CHECK(filter.LimitSideMemory(0).ok());
  CHECK(filter.Merge(other).ok());
}

TEST_CASE("beside other writers and the clock each key of a limited window has one outcome",
          "[engine][window][side_limit][threads]") {
  const WindowConfig config = AnyWindow();
  std::mt19937_64 random(Catch::rngSeed());
  WindowFilter filter = LimitedWindow(config);
  const WindowKeys pool = RandomWindowKeys(3000, random);
  constexpr uint64_t kThreads = 3;
  std::vector<WindowKeys> batches;
  for (uint64_t t = 0; t < kThreads; ++t) batches.push_back(KeysOfWindow(3000, pool, random));
  std::atomic<uint64_t> num_wrong{0};
  std::atomic<uint64_t> num_without_space{0};
  InThreads(kThreads, [&](uint64_t t) {
    const WindowKeys& digests = batches[t];
    WindowKeys bits = BitsOf(digests);
    for (uint64_t round = 0; round < 8; ++round) {
      uint64_t time = 0;
      const WindowInsertOutcome outcome = filter.Insert(Keys::Digests(digests), bits, &time);
      const WindowKeys in = ChosenOf(digests, bits);
      num_wrong += uint64_t{outcome.num_inserted != in.size()};
      num_wrong += uint64_t{outcome.num_inserted + outcome.num_refused != digests.size()};
      num_without_space += outcome.num_without_space;
      WindowKeys answers = BitsOf(in);
      num_wrong += in.size() - filter.Query(Keys::Digests(in), answers);
      if (config.is_erasable) num_wrong += filter.Erase(Keys::Digests(in), time).num_refused;
      if (t == 0) filter.Advance(round * 60);
    }
  });
  CHECK(num_wrong == 0);
  CHECK(num_without_space > 0);
  CHECK(filter.GetStats().num_without_space == num_without_space);
  if (config.is_erasable) CHECK(filter.num_keys() == 0);
}

}  // namespace trommel::tests
