// The contract of scalable_filter.h, with threads. Longer: `trommel stress`.
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/exact_model.h"
#include "support/in_threads.h"
#include "support/random_keys.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {}  // namespace

TEST_CASE("a growing filter lets go of its executor", "[engine][scalable][threads]") {
  std::shared_ptr<Executor> executor = Executor::Create(2).value();
  const std::weak_ptr<Executor> watched = executor;
  ScalableFilter filter = ScalableFilter::Create({.first_capacity = 100,
                                                  .mode = GrowthMode::kGenerations,
                                                  .executor = std::move(executor)})
                              .value();
  filter.Insert(MemberKeys(1000, 5));
  filter.UseExecutor(nullptr);
  CHECK(watched.expired());
}

TEST_CASE("a key that is in is never missed while generations come and go",
          "[engine][scalable][threads]") {
  constexpr int kNumRounds = 40;
  const Encoding encoding =
      GENERATE(Encoding::kRuns, Encoding::kFingerprints8, Encoding::kFingerprints16);
  Result<ScalableFilter> made = ScalableFilter::Create({.first_capacity = 200,
                                                        .target_fpr = 0.1,
                                                        .mode = GrowthMode::kGenerations,
                                                        .encoding = encoding});
  REQUIRE(made.ok());
  ScalableFilter& filter = *made;
  const std::vector<std::byte> as_new = filter.Serialize();
  // Some keys stay from early on, in generations that are closed and nearly empty by the end.
  const std::vector<uint64_t> staying = MemberKeys(500, 1);
  REQUIRE(filter.Insert(staying).num_refused == 0);
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> num_missed{0};
  std::atomic<uint64_t> num_asked{0};
  std::atomic<uint64_t> num_refused{0};
  std::atomic<size_t> most_generations{0};
  std::thread reader([&] {
    std::vector<uint64_t> bitmap(BitmapWords(staying.size()));
    while (!is_over) {
      if (filter.Query(staying, bitmap) != staying.size()) ++num_missed;
      if (!filter.MayContain(staying[num_asked % staying.size()])) ++num_missed;
      most_generations = std::max(most_generations.load(), filter.num_generations());
      ++num_asked;
    }
  });
  InThreads(2, [&](uint64_t t) {
    for (int round = 0; round < kNumRounds; ++round) {
      const std::vector<uint64_t> keys = MemberKeys(3000, 2 + t, round * 3000);
      num_refused += filter.Insert(keys).num_refused;
      for (size_t i = 0; i < keys.size(); i += 100) {
        if (!filter.MayContain(keys[i])) ++num_missed;
      }
      num_refused += filter.Erase(keys).num_refused;
    }
  });
  while (num_asked == 0) std::this_thread::yield();
  is_over = true;
  reader.join();
  CHECK(num_missed == 0);
  CHECK(num_refused == 0);
  CHECK(most_generations > 1);
  CHECK(filter.num_keys() == staying.size());
  CHECK(filter.Erase(staying).num_refused == 0);
  CHECK(filter.num_generations() == 1);
  CHECK(filter.Serialize() == as_new);
}

TEST_CASE("of threads that race to insert a key into a growing filter exactly one is told new",
          "[engine][scalable][threads]") {
  constexpr uint64_t kThreads = 3;
  constexpr uint64_t kKeys = 4000;
  const Encoding encoding =
      GENERATE(Encoding::kRuns, Encoding::kFingerprints8, Encoding::kFingerprints16);
  Result<ScalableFilter> filter = ScalableFilter::Create({.first_capacity = 100,
                                                          .target_fpr = 1e-3,
                                                          .mode = GrowthMode::kGenerations,
                                                          .growth = 4,
                                                          .encoding = encoding});
  REQUIRE(filter.ok());
  std::vector<std::atomic<int>> told(kKeys);
  const size_t batch = GENERATE(size_t{1}, 50, 1000);
  InThreads(kThreads, [&](uint64_t) {
    const std::vector<uint64_t> keys = MemberKeys(kKeys, 7);
    for (size_t first = 0; first < kKeys; first += batch) {
      std::vector<uint64_t> inserted(BitmapWords(batch));
      filter->InsertIfAbsent(std::span(keys).subspan(first, batch), inserted);
      for (size_t i = 0; i < batch; ++i) told[first + i] += BitAt(inserted, i) ? 1 : 0;
    }
  });
  uint64_t num_new = 0;
  for (const auto& times : told) {
    REQUIRE(times <= 1);
    num_new += static_cast<uint64_t>(times);
  }
  CHECK(num_new == filter->num_keys());
  CHECK(num_new > kKeys - 40);
}

TEST_CASE("snapshots and statistics beside writers are whole", "[engine][scalable][threads]") {
  const Encoding encoding = GENERATE(Encoding::kRuns, Encoding::kFingerprints8);
  Result<ScalableFilter> filter = ScalableFilter::Create(
      {.first_capacity = 100, .mode = GrowthMode::kGenerations, .encoding = encoding});
  REQUIRE(filter.ok());
  const std::vector<uint64_t> staying = MemberKeys(300, 1);
  filter->Insert(staying);
  std::atomic<bool> is_over{false};
  std::atomic<int> num_bad{0};
  std::atomic<int> num_looks{0};
  std::thread looker([&] {
    std::vector<uint64_t> bitmap(BitmapWords(staying.size()));
    do {
      const Result<ScalableFilter> copy = ScalableFilter::Deserialize(filter->Serialize());
      if (!copy.ok() || copy->Query(staying, bitmap) != staying.size()) ++num_bad;
      if (filter->GetStats().generations.empty()) ++num_bad;
      ++num_looks;
    } while (!is_over);
  });
  for (uint64_t round = 0; round < 30 || num_looks < 3; ++round) {
    const std::vector<uint64_t> keys = MemberKeys(2000, 2, round * 2000);
    filter->Insert(keys);
    filter->Erase(keys);
  }
  is_over = true;
  looker.join();
  CHECK(num_bad == 0);
}

}  // namespace trommel::tests
