// Filters of generations with a limit of side memory: which keys they refuse, that nothing else
// changes, and that no update needs memory.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/in_threads.h"
#include "support/least_named.h"
#include "support/shrink.h"
#include "trommel/executor.h"
#include "trommel/scalable_filter.h"

namespace trommel {
namespace {

using Digests = std::vector<uint64_t>;

struct GenerationsShape {
  Encoding encoding = Encoding::kRuns;
  double target_fpr = 0.01;
};

constexpr GenerationsShape kGenerationsShapes[] = {{Encoding::kRuns},
                                                   {Encoding::kPlanes},
                                                   {Encoding::kFingerprints8, 0.05},
                                                   {Encoding::kFingerprints16, 0.005}};

GenerationsShape AnyGenerations() {
  return kGenerationsShapes[GENERATE(range(size_t{0}, std::size(kGenerationsShapes)))];
}

ScalableFilter UnlimitedGenerations(const GenerationsShape& shape, uint64_t first_capacity = 3000) {
  return ScalableFilter::Create({.first_capacity = first_capacity,
                                 .target_fpr = shape.target_fpr,
                                 .mode = GrowthMode::kGenerations,
                                 .max_capacity = 8 * first_capacity,
                                 .digest = {.kind = DigestKind::kCaller},
                                 .encoding = shape.encoding})
      .value();
}

uint64_t LeastLimit(ScalableFilter& filter) { return tests::LeastNamed(filter.LimitSideMemory(1)); }

ScalableFilter LimitedGenerations(const GenerationsShape& shape, uint64_t first_capacity = 3000) {
  ScalableFilter filter = UnlimitedGenerations(shape, first_capacity);
  REQUIRE(filter.LimitSideMemory(2 * LeastLimit(filter)).ok());
  return filter;
}

// Many keys, and some of them often: blocks fill up with copies.
Digests KeysOften(size_t num_keys, const Digests& pool, std::mt19937_64& random) {
  Digests digests(num_keys);
  for (uint64_t& digest : digests) {
    const size_t most = random() % 2 == 0 ? 600 : pool.size();
    digest = pool[random() % most];
  }
  return digests;
}

Digests Pool(size_t num_keys, std::mt19937_64& random) {
  Digests pool(num_keys);
  for (uint64_t& digest : pool) digest = random();
  return pool;
}

bool IsTaken(const Digests& bits, size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }

Digests Chosen(const Digests& digests, const Digests& bits) {
  Digests chosen;
  for (size_t i = 0; i < digests.size(); ++i) {
    if (IsTaken(bits, i)) chosen.push_back(digests[i]);
  }
  return chosen;
}

uint64_t SideBytesOf(const ScalableFilter& filter) {
  uint64_t num_bytes = 0;
  for (const GenerationStats& generation : filter.GetStats().generations) {
    num_bytes += generation.stats.side_table_bytes;
  }
  return num_bytes;
}

TEST_CASE("generations with a limit hold just the keys that they did not refuse",
          "[engine][scalable][side_limit]") {
  const GenerationsShape shape = AnyGenerations();
  std::mt19937_64 random(Catch::rngSeed());
  ScalableFilter filter = LimitedGenerations(shape);
  // Holds what was not refused, without a limit: every answer and the bytes must be the same.
  ScalableFilter model = UnlimitedGenerations(shape);
  const Digests pool = Pool(9000, random);
  uint64_t num_refused = 0;
  const uint64_t num_steps = tests::Scaled(120);
  for (uint64_t step = 0; step < num_steps; ++step) {
    const size_t num_keys = step == 0 ? 60'000 : 1 + random() % 4000;
    const Digests digests = KeysOften(num_keys, pool, random);
    Digests bits(BitmapWords(digests.size()), ~uint64_t{0});
    Digests model_bits(bits);
    const Keys keys = Keys::Digests(digests);
    const uint64_t choice = step == 0 ? 0 : random() % 8;
    if (choice < (6 * step / num_steps % 2 == 0 ? 5U : 1U)) {
      const InsertOutcome outcome = filter.Insert(keys, bits);
      const Digests taken = Chosen(digests, bits);
      REQUIRE(outcome.num_inserted == taken.size());
      REQUIRE(outcome.num_refused == digests.size() - taken.size());
      REQUIRE((outcome.refusal == GrowthRefusal::kNone) == (outcome.num_refused == 0));
      num_refused += outcome.num_refused;
      REQUIRE(model.Insert(Keys::Digests(taken)).num_refused == 0);
    } else if (choice == 5) {
      const InsertOutcome outcome = filter.InsertIfAbsent(keys, bits);
      const Digests taken = Chosen(digests, bits);
      REQUIRE(outcome.num_inserted == taken.size());
      num_refused += outcome.num_refused;
      REQUIRE(model
                  .InsertIfAbsent(Keys::Digests(taken),
                                  std::span(model_bits).first(BitmapWords(taken.size())))
                  .num_inserted == taken.size());
    } else {
      REQUIRE(filter.Erase(keys, bits) == model.Erase(keys, model_bits));
      REQUIRE(bits == model_bits);
    }
    REQUIRE(filter.num_keys() == model.num_keys());
    REQUIRE(filter.GetStats().num_refused_inserts == num_refused);
    Digests counts(digests.size());
    Digests model_counts(digests.size());
    filter.CountEstimates(keys, counts);
    model.CountEstimates(keys, model_counts);
    REQUIRE(counts == model_counts);
    if (step % 20 == 0) REQUIRE((filter.Serialize() == model.Serialize()));
  }
  CHECK((filter.Serialize() == model.Serialize()));
  CHECK(num_refused > 0);
  CHECK(filter.num_generations() > 1);
  filter.Clear();
  model.Clear();
  CHECK(filter.GetStats().num_refused_inserts == 0);
  CHECK((filter.Serialize() == model.Serialize()));
}

TEST_CASE("generations refuse the same keys for any split and number of threads",
          "[engine][scalable][side_limit]") {
  const GenerationsShape shape = AnyGenerations();
  std::mt19937_64 random(Catch::rngSeed());
  ScalableFilter whole = LimitedGenerations(shape);
  ScalableFilter pieces = LimitedGenerations(shape);
  ScalableFilter spread = LimitedGenerations(shape);
  spread.UseExecutor(Executor::Create(3).value());
  const Digests pool = Pool(9000, random);
  uint64_t num_refused = 0;
  for (int round = 0; round < 3; ++round) {
    const Digests digests = KeysOften(20'000, pool, random);
    Digests bits(BitmapWords(digests.size()));
    const InsertOutcome outcome = whole.Insert(Keys::Digests(digests), bits);
    num_refused += outcome.num_refused;
    Digests spread_bits(bits.size());
    CHECK(spread.Insert(Keys::Digests(digests), spread_bits) == outcome);
    CHECK(spread_bits == bits);
    for (size_t first = 0; first < digests.size();) {
      const size_t size =
          random() % 2 == 0 ? 1 : std::min<size_t>(1 + random() % 300, digests.size() - first);
      const auto part = std::span(digests).subspan(first, size);
      Digests part_bits(BitmapWords(size));
      pieces.Insert(Keys::Digests(part), part_bits);
      for (size_t i = 0; i < size; ++i) REQUIRE(IsTaken(part_bits, i) == IsTaken(bits, first + i));
      first += size;
    }
    const Digests gone = KeysOften(10'000, pool, random);
    const EraseOutcome erased = whole.Erase(Keys::Digests(gone));
    CHECK(pieces.Erase(Keys::Digests(gone)) == erased);
    CHECK(spread.Erase(Keys::Digests(gone)) == erased);
  }
  CHECK(num_refused > 0);
  CHECK((pieces.Serialize() == whole.Serialize()));
  CHECK((spread.Serialize() == whole.Serialize()));
}

TEST_CASE("with a limit no update of generations needs memory",
          "[engine][scalable][side_limit][refused_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  const GenerationsShape shape = AnyGenerations();
  std::mt19937_64 random(Catch::rngSeed());
  ScalableFilter filter = LimitedGenerations(shape);
  const std::vector<std::byte> empty = filter.Serialize();
  const Digests pool = Pool(9000, random);
  const Digests digests = KeysOften(20'000, pool, random);
  Digests bits(BitmapWords(digests.size()));
  filter.Insert(Keys::Digests(digests), bits);
  Digests taken = Chosen(digests, bits);
  const size_t num_generations = filter.num_generations();
  InsertOutcome outcome;
  EraseOutcome erased;
  uint64_t num_by_one = 0;
  {
    const tests::RefusedAllocation refused(1, tests::Refused::kAllFrom);
    outcome = filter.Insert(Keys::Digests(digests), bits);
  }
  CHECK(outcome.num_inserted + outcome.num_refused == digests.size());
  CHECK(outcome.num_refused > 0);
  CHECK(filter.num_generations() == num_generations);
  const Digests more = Chosen(digests, bits);
  CHECK(more.size() == outcome.num_inserted);
  taken.insert(taken.end(), more.begin(), more.end());
  std::ranges::shuffle(taken, random);
  CHECK(filter.num_keys() == taken.size());
  {
    const tests::RefusedAllocation refused(1, tests::Refused::kAllFrom);
    const size_t half = taken.size() / 2;
    erased = filter.Erase(Keys::Digests(std::span(taken).first(half)));
    for (size_t i = half; i + 1 < taken.size(); ++i) {
      num_by_one += uint64_t{filter.Erase(Key::Digest(taken[i]))};
    }
  }
  CHECK(erased.num_refused == 0);
  CHECK(num_by_one == taken.size() - taken.size() / 2 - 1);
  // With memory, what is empty goes.
  CHECK(filter.Erase(Key::Digest(taken.back())));
  CHECK((filter.Serialize() == empty));
}

TEST_CASE("a new generation reserves in proportion to its blocks, or does not begin",
          "[engine][scalable][side_limit]") {
  const GenerationsShape shape{};
  std::mt19937_64 random(Catch::rngSeed());
  ScalableFilter filter = UnlimitedGenerations(shape);
  REQUIRE(filter.LimitSideMemory(200'000).ok());
  const uint64_t first_bytes = SideBytesOf(filter);
  CHECK(first_bytes <= 200'000);
  CHECK(first_bytes > 150'000);
  filter.Insert(Keys::Digests(Pool(8000, random)));
  const ScalableStats stats = filter.GetStats();
  REQUIRE(stats.generations.size() == 2);
  const double ratio = static_cast<double>(stats.generations[1].geometry.num_bytes()) /
                       static_cast<double>(stats.generations[0].geometry.num_bytes());
  CHECK(static_cast<double>(stats.generations[1].stats.side_table_bytes) <= 200'000 * ratio);
  CHECK(static_cast<double>(stats.generations[1].stats.side_table_bytes) >= 150'000 * ratio);

  // A limit on all bytes that has space for the second generation's blocks, and not for what it
  // reserves: keys are refused, and no memory is taken for each of them.
  ScalableFilter scarce = ScalableFilter::Create({.first_capacity = 3000,
                                                  .mode = GrowthMode::kGenerations,
                                                  .digest = {.kind = DigestKind::kCaller},
                                                  .memory_limit_bytes = stats.num_bytes - 100'000,
                                                  .side_memory_limit_bytes = 200'000})
                              .value();
  const Digests digests = Pool(8000, random);
  const InsertOutcome outcome = scarce.Insert(Keys::Digests(digests));
  CHECK(scarce.num_generations() == 1);
  CHECK(outcome.num_inserted >= 3000);
  CHECK(outcome.refusal == GrowthRefusal::kMemoryLimit);
  uint64_t num_bytes = 0;
  {
    const tests::AllocationPeak peak;
    scarce.Insert(Keys::Digests(std::span(digests).last(10)));
    num_bytes = peak.num_bytes();
  }
  CHECK(num_bytes < 20'000);
}

TEST_CASE("a limit of generations is taken by all of them or by none",
          "[engine][scalable][side_limit][refused_memory][long]") {
  const GenerationsShape shape = AnyGenerations();
  std::mt19937_64 random(Catch::rngSeed());
  ScalableFilter filter = UnlimitedGenerations(shape);
  const uint64_t least = LeastLimit(filter);
  const Digests pool = Pool(9000, random);
  const Digests digests = KeysOften(30'000, pool, random);
  filter.Insert(Keys::Digests(digests));
  REQUIRE(filter.num_generations() > 1);
  const std::vector<std::byte> bytes = filter.Serialize();
  // What is in needs more.
  const Status refused = filter.LimitSideMemory(least);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK(filter.Insert(Keys::Digests(digests)).num_refused == 0);
  CHECK(filter.Erase(Keys::Digests(digests)).num_refused == 0);
  CHECK((filter.Serialize() == bytes));
  // From here on with keys that fit.
  filter.Clear();
  filter.Insert(Keys::Digests(pool));
  const Digests hot(1 << 17, pool[0]);
  bool was_refused = tests::AllocationPeak::IsCounted();
  for (uint64_t n = 1; was_refused; n += 1 + n / 4) {
    CAPTURE(n);
    Status limited = Ok();
    was_refused = tests::WasRefusedAt(n, [&] { limited = filter.LimitSideMemory(64 * least); });
    CHECK(limited.ok() != was_refused);
    if (limited.ok()) break;
    CHECK(limited.error().code == ErrorCode::kOutOfMemory);
    CHECK(filter.Insert(Keys::Digests(hot)).num_refused == 0);
    CHECK(filter.Erase(Keys::Digests(hot)).num_refused == 0);
  }
  CHECK(filter.LimitSideMemory(~uint64_t{0}).error().code == ErrorCode::kOutOfMemory);
  REQUIRE(filter.LimitSideMemory(64 * least).ok());
  ScalableFilter copy = filter.Clone().value();
  CHECK(copy == filter);
  CHECK(SideBytesOf(copy) == SideBytesOf(filter));
  CHECK(copy.LimitSideMemory(0).ok());
  CHECK(copy.Insert(Keys::Digests(hot)).num_refused == 0);
}

TEST_CASE("beside other writers each key of generations with a limit has one outcome",
          "[engine][scalable][side_limit][threads]") {
  const GenerationsShape shape = AnyGenerations();
  std::mt19937_64 random(Catch::rngSeed());
  ScalableFilter filter = LimitedGenerations(shape);
  const std::vector<std::byte> empty = filter.Serialize();
  const Digests pool = Pool(6000, random);
  constexpr uint64_t kThreads = 3;
  std::vector<Digests> batches;
  for (uint64_t t = 0; t < kThreads; ++t) batches.push_back(KeysOften(4000, pool, random));
  std::atomic<uint64_t> num_wrong{0};
  std::atomic<uint64_t> num_refused{0};
  std::atomic<uint64_t> num_missed{0};
  std::vector<Digests> taken(kThreads);
  tests::InThreads(kThreads, [&](uint64_t t) {
    const Digests& digests = batches[t];
    Digests bits(BitmapWords(digests.size()));
    for (int round = 0; round < 6; ++round) {
      const InsertOutcome outcome = round % 3 == 2
                                        ? filter.InsertIfAbsent(Keys::Digests(digests), bits)
                                        : filter.Insert(Keys::Digests(digests), bits);
      const Digests in = Chosen(digests, bits);
      num_wrong += uint64_t{outcome.num_inserted != in.size()};
      if (round % 3 != 2) num_wrong += uint64_t{outcome.num_refused + in.size() != digests.size()};
      num_refused += outcome.num_refused;
      Digests answers(BitmapWords(in.size()));
      num_missed += in.size() - filter.Query(Keys::Digests(in), answers);
      if (round % 2 == 0) {
        num_wrong += filter.Erase(Keys::Digests(in)).num_refused;
      } else {
        taken[t].insert(taken[t].end(), in.begin(), in.end());
      }
    }
  });
  CHECK(num_wrong == 0);
  CHECK(num_missed == 0);
  CHECK(num_refused > 0);
  CHECK(filter.GetStats().num_refused_inserts == num_refused);
  uint64_t num_left = 0;
  for (const Digests& in : taken) num_left += in.size();
  CHECK(filter.num_keys() == num_left);
  for (const Digests& in : taken) CHECK(filter.Erase(Keys::Digests(in)).num_refused == 0);
  CHECK((filter.Serialize() == empty));
}

}  // namespace
}  // namespace trommel
