// Batches: all routes leave the same bytes and answers, and when which is taken.
#include "engine/src/batches/update_batch.h"

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "engine/src/counting/forced_route.h"
#include "kernels/presence_words.h"
#include "support/catch.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"

namespace trommel {
namespace {

std::vector<uint64_t> RandomDigests(size_t size, uint64_t num_distinct, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) {
    digest = (random() % num_distinct + 1) * 0x9e3779b97f4a7c15;  // the same few in every batch
  }
  return digests;
}

// Inserts, inserts again if absent, erases members and non-members, and asks: all that was said.
template <class Filter>
std::vector<uint64_t> Follow(Filter& filter, size_t batch, uint64_t num_distinct) {
  std::vector<uint64_t> said;
  uint64_t seed = Catch::rngSeed();
  for (const Update update :
       {Update::kInsert, Update::kInsertIfAbsent, Update::kErase, Update::kInsert, Update::kErase,
        Update::kInsertIfAbsent, Update::kErase}) {
    const std::vector<uint64_t> digests = RandomDigests(batch, num_distinct, ++seed);
    const Keys keys = Keys::Digests(digests);
    std::vector<uint64_t> bits(BitmapWords(batch), ~uint64_t{0});
    const bool wants_answers = seed % 3 != 0;
    if (update == Update::kInsertIfAbsent) {
      said.push_back(filter.InsertIfAbsent(keys, bits));
    } else if (update == Update::kInsert) {
      said.push_back(
          (wants_answers ? filter.Insert(keys, bits) : filter.Insert(keys)).num_inserted);
    } else {
      said.push_back((wants_answers ? filter.Erase(keys, bits) : filter.Erase(keys)).num_erased);
    }
    said.insert(said.end(), bits.begin(), bits.end());
    if (update != Update::kInsertIfAbsent) continue;
    said.push_back(filter.Query(keys, bits));
    said.insert(said.end(), bits.begin(), bits.end());
    std::vector<uint64_t> counts(batch);
    filter.CountEstimates(keys, counts);
    said.insert(said.end(), counts.begin(), counts.end());
    std::vector<uint32_t> absent(batch);
    absent.resize(filter.Select(keys, Answer::kAbsent, absent));
    said.insert(said.end(), absent.begin(), absent.end());
  }
  said.push_back(filter.num_keys());
  return said;
}

TEST_CASE("by every route and any threads a batch gives the same answers and leaves the same bytes",
          "[engine][update_batch][threads]") {
  struct Size {
    size_t batch;
    uint64_t num_distinct;
    Geometry geometry;
  };
  const Size size = GENERATE(
      Size{0, 1, {.shard_bits = 2, .num_blocks = 4}},
      Size{1, 1, {.shard_bits = 0, .num_blocks = 3}},
      Size{64, 100, {.shard_bits = 3, .num_blocks = 16}},
      Size{65, 100, {.shard_bits = 3, .num_blocks = 16}},
      Size{2049, 900, {.shard_bits = 5, .num_blocks = 96}},                 // a few to a block
      Size{5000, 40, {.num_slices = 8, .shard_bits = 2, .num_blocks = 4}},  // all promoted
      Size{70'001, 30'000, {.shard_bits = 10, .num_blocks = 32'768}},  // two chunks in one round
      Size{2049,
           900,
           {.num_slices = 4, .encoding = Encoding::kRuns, .shard_bits = 5, .num_blocks = 96}},
      Size{4000,
           300,
           {.num_slices = 8, .encoding = Encoding::kRuns, .shard_bits = 5, .num_blocks = 96}},
      Size{5000,
           40,
           {.num_slices = 10, .encoding = Encoding::kRuns, .shard_bits = 2, .num_blocks = 4}},
      Size{70'001,
           30'000,
           {.num_slices = 5, .encoding = Encoding::kRuns, .shard_bits = 10, .num_blocks = 4096}},
      Size{70'001,
           30'000,
           {.shard_bits = 12, .num_blocks = 4096}});  // two rounds; more shards than owned ranges
  const auto run = [&](Route route, uint32_t num_threads, bool is_shared) {
    CountingFilter filter = CountingFilter::CreateWithGeometry(size.geometry, {}).value();
    ForcedRoute::Use(filter, route);
    if (num_threads > 0) filter.UseExecutor(Executor::Create(num_threads).value());
    if (!is_shared) {
      auto said = Follow(filter, size.batch, size.num_distinct);
      return std::pair(std::move(said), filter.Serialize());
    }
    ConcurrentFilter shared(std::move(filter));
    auto said = Follow(shared, size.batch, size.num_distinct);
    return std::pair(std::move(said), shared.Serialize());
  };
  const auto want = run(Route::kDirect, 0, false);
  for (const Route route : {Route::kAutomatic, Route::kDirect, Route::kSplit}) {
    for (const uint32_t num_threads : {0, 1, 2, 3, 8}) {
      // Under ThreadSanitizer other numbers of threads find nothing new, and take seconds.
      if (TROMMEL_ATOMIC_WORDS && num_threads != 3) continue;
      for (const bool is_shared : {false, true}) {
        CAPTURE(static_cast<int>(route), num_threads, is_shared, size.batch);
        CHECK((run(route, num_threads, is_shared) == want));
      }
    }
  }
}

TEST_CASE("splitting is worth it for large batches into large filters, and for many threads",
          "[engine][update_batch]") {
  const UpdateCost small = UpdateCost::Of({.shard_bits = 3, .num_blocks = 8192});       // 1 MiB
  const UpdateCost large = UpdateCost::Of({.shard_bits = 8, .num_blocks = 1'000'192});  // 122 MiB
  const UpdateCost undivided = UpdateCost::Of({.shard_bits = 0, .num_blocks = 1'000'000});
  CHECK_FALSE(IsWorthSplitting(small, 10'000'000, 1));
  const UpdateCost middling = UpdateCost::Of({.shard_bits = 7, .num_blocks = 131'072});  // 16 MiB
  CHECK(IsWorthSplitting(middling, 300'000, 1));
  CHECK_FALSE(IsWorthSplitting(middling, 200'000, 1));
  const UpdateCost between = UpdateCost::Of({.shard_bits = 7, .num_blocks = 196'608});  // 24 MiB
  CHECK(IsWorthSplitting(between, 200'000, 1));
  CHECK_FALSE(IsWorthSplitting(between, 190'000, 1));
  CHECK(IsWorthSplitting(small, 20'000, 2));
  CHECK_FALSE(IsWorthSplitting(small, 1000, 2));
  CHECK(IsWorthSplitting(large, 2'000'000, 1));
  CHECK_FALSE(IsWorthSplitting(large, 100'000, 1));
  CHECK_FALSE(IsWorthSplitting(undivided, 10'000'000, 8));
}

}  // namespace
}  // namespace trommel
