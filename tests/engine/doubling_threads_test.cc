// The contract of scalable_filter.h for filters that double, with threads. Longer: `trommel
// stress`.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/exact_model.h"
#include "support/in_threads.h"
#include "support/random_keys.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

ScalableFilter EmptyDoubling() {
  return ScalableFilter::Create({.mode = GrowthMode::kDoubling}).value();
}

// Keys of two of the 64 parts, so that few keys make these double.
std::vector<uint64_t> CrowdedDigests(size_t num_keys, uint64_t seed, uint64_t first = 0) {
  std::vector<uint64_t> digests = MemberKeys(num_keys, seed, first);
  for (uint64_t& digest : digests) digest &= ~(uint64_t{31} << 59);
  return digests;
}

}  // namespace

TEST_CASE("a key that is in is never missed while its part doubles and is halved",
          "[engine][scalable][doubling][threads]") {
  constexpr int kNumRounds = 12;
  ScalableFilter filter = EmptyDoubling();
  const std::vector<std::byte> as_new = filter.Serialize();
  const std::vector<uint64_t> staying = CrowdedDigests(500, 1);
  REQUIRE(filter.Insert(Keys::Digests(staying)).num_refused == 0);
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> num_missed{0};
  std::atomic<uint64_t> num_asked{0};
  std::atomic<uint64_t> num_refused{0};
  std::atomic<uint64_t> least_blocks{UINT64_MAX};
  std::thread reader([&] {
    std::vector<uint64_t> bitmap(BitmapWords(staying.size()));
    while (!is_over) {
      if (filter.Query(Keys::Digests(staying), bitmap) != staying.size()) ++num_missed;
      if (!filter.MayContain(Key::Digest(staying[num_asked % staying.size()]))) ++num_missed;
      ++num_asked;
    }
  });
  InThreads(2, [&](uint64_t t) {
    for (int round = 0; round < kNumRounds; ++round) {
      const std::vector<uint64_t> digests = CrowdedDigests(9000, 2 + t, round * 9000);
      num_refused += filter.Insert(Keys::Digests(digests)).num_refused;
      // Half of this thread's keys are in one part: more than its first size holds.
      least_blocks = std::min(least_blocks.load(), filter.GetStats().doubling.num_blocks);
      for (size_t i = 0; i < digests.size(); i += 100) {
        if (!filter.MayContain(Key::Digest(digests[i]))) ++num_missed;
      }
      num_refused += filter.Erase(Keys::Digests(digests)).num_refused;
    }
  });
  while (num_asked == 0) std::this_thread::yield();
  is_over = true;
  reader.join();
  CHECK(num_missed == 0);
  CHECK(num_refused == 0);
  CHECK(least_blocks >= 2 * 256);
  CHECK(filter.num_keys() == staying.size());
  CHECK(filter.Erase(Keys::Digests(staying)).num_refused == 0);
  CHECK(filter.Serialize() == as_new);
}

TEST_CASE("of threads that race to insert a key into a filter that doubles exactly one is told new",
          "[engine][scalable][doubling][threads]") {
  constexpr uint64_t kThreads = 3;
  constexpr uint64_t kKeys = 12'000;
  ScalableFilter filter = EmptyDoubling();
  std::vector<std::atomic<int>> told(kKeys);
  const size_t batch = GENERATE(size_t{1}, 50, 1000);
  const std::vector<uint64_t> digests = CrowdedDigests(kKeys, 7);
  InThreads(kThreads, [&](uint64_t) {
    for (size_t first = 0; first < kKeys; first += batch) {
      std::vector<uint64_t> inserted(BitmapWords(batch));
      filter.InsertIfAbsent(Keys::Digests(std::span(digests).subspan(first, batch)), inserted);
      for (size_t i = 0; i < batch; ++i) told[first + i] += BitAt(inserted, i) ? 1 : 0;
    }
  });
  uint64_t num_new = 0;
  for (const auto& times : told) {
    REQUIRE(times <= 1);
    num_new += static_cast<uint64_t>(times);
  }
  CHECK(num_new == filter.num_keys());
  CHECK(num_new > kKeys - 200);
}

TEST_CASE("snapshots and figures of a filter that doubles are whole beside writers",
          "[engine][scalable][doubling][threads]") {
  ScalableFilter filter = EmptyDoubling();
  const std::vector<uint64_t> staying = CrowdedDigests(300, 1);
  filter.Insert(Keys::Digests(staying));
  std::atomic<bool> is_over{false};
  std::atomic<int> num_bad{0};
  std::atomic<int> num_looks{0};
  std::thread looker([&] {
    std::vector<uint64_t> bitmap(BitmapWords(staying.size()));
    do {
      const Result<ScalableFilter> copy = ScalableFilter::Deserialize(filter.Serialize());
      if (!copy.ok() || copy->Query(Keys::Digests(staying), bitmap) != staying.size()) ++num_bad;
      if (filter.GetStats().num_bytes == 0) ++num_bad;
      if (!(filter.MeasureFill().current_fpr < 0.1)) ++num_bad;
      ++num_looks;
    } while (!is_over);
  });
  for (uint64_t round = 0; round < 12 || num_looks < 3; ++round) {
    const std::vector<uint64_t> digests = CrowdedDigests(9000, 2, round * 9000);
    filter.Insert(Keys::Digests(digests));
    filter.Erase(Keys::Digests(digests));
  }
  is_over = true;
  looker.join();
  CHECK(num_bad == 0);
}

}  // namespace trommel::tests
