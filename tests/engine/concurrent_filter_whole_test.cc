#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"
#include "trommel/concurrent_filter.h"

namespace trommel {
namespace {

ConcurrentFilter FreshConcurrent(const CountingConfig& config) {
  Result<ConcurrentFilter> filter = ConcurrentFilter::Create(config);
  REQUIRE(filter.ok());
  return *std::move(filter);
}

TEST_CASE("a filter saved while others write is a whole filter with what was in before",
          "[engine][concurrent][threads]") {
  // Slices by their number: 8 of planes, and each shape of runs.
  const uint32_t num_slices = GENERATE(0U, 4U, 5U, 8U, 10U);
  const CountingConfig config{.capacity = 20'000,
                              .target_fpr = 0.02,
                              .num_slices = num_slices,
                              .encoding = num_slices == 0 ? Encoding::kPlanes : Encoding::kRuns};
  ConcurrentFilter filter = FreshConcurrent(config);
  const std::vector<uint64_t> staying = tests::MemberKeys(5000, 1);
  filter.Insert(staying);
  std::atomic<bool> is_done{false};
  std::thread writer([&] {
    const std::vector<uint64_t> own = tests::MemberKeys(3000, 2);
    const std::vector<uint64_t> hot(300, 77);  // promoted, and back
    while (!is_done) {
      filter.Insert(own);
      filter.Insert(hot);
      filter.Erase(hot);
      filter.Erase(own);
    }
  });
  std::vector<std::vector<std::byte>> snapshots;
  uint64_t num_odd = 0;
  for (int i = 0; i < 20; ++i) {
    snapshots.push_back(filter.Serialize());
    const Stats stats = filter.GetStats();
    num_odd += stats.num_keys < staying.size() || stats.num_keys > staying.size() + 3300 ? 1 : 0;
    (void)filter.num_keys();
  }
  is_done = true;
  writer.join();
  CHECK(num_odd == 0);
  for (const std::vector<std::byte>& bytes : snapshots) {
    // Loading audits every block: one torn between two keys would be refused.
    const Result<CountingFilter> loaded = CountingFilter::Deserialize(bytes);
    REQUIRE(loaded.ok());
    std::vector<uint64_t> answers(CountingFilter::BitmapWords(staying.size()));
    CHECK(loaded->Query(staying, answers) == staying.size());
    CHECK(loaded->capacity() == config.capacity);
  }
}

TEST_CASE("a concurrent filter is saved and loaded as a counting filter", "[engine][concurrent]") {
  const tests::ScratchFolder folder;
  const auto path = folder.path() / "filter";
  ConcurrentFilter filter = FreshConcurrent({.capacity = 5000, .target_fpr = 0.02});
  filter.Insert(tests::MemberKeys(5000, 3));
  REQUIRE(filter.Save(path).ok());
  Result<ConcurrentFilter> loaded = ConcurrentFilter::Load(path);
  REQUIRE(loaded.ok());
  CHECK(loaded->num_keys() == 5000);
  CHECK(loaded->target_fpr() == 0.02);
  CHECK((loaded->Serialize() == filter.Serialize()));
  const auto missing = ConcurrentFilter::Load(folder.path() / "none");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == ErrorCode::kIo);
}

TEST_CASE("a concurrent filter that cannot be saved says so and stays as it is",
          "[engine][concurrent]") {
  const tests::ScratchFolder folder;
  ConcurrentFilter filter = FreshConcurrent({.capacity = 1000});
  filter.Insert(tests::MemberKeys(10, 1));
  const Status saved = filter.Save(folder.path() / "no" / "folder");
  REQUIRE_FALSE(saved.ok());
  CHECK(saved.error().code == ErrorCode::kIo);
  CHECK(filter.num_keys() == 10);
}

TEST_CASE("merge and clear of a concurrent filter leave the right number of keys",
          "[engine][concurrent]") {
  const CountingConfig config{.capacity = 30'000};
  ConcurrentFilter filter = FreshConcurrent(config);
  CountingFilter other = std::move(CountingFilter::Create(config)).value();
  filter.Insert(tests::MemberKeys(1000, 1));
  other.Insert(tests::MemberKeys(500, 2));
  REQUIRE(filter.Merge(other).ok());
  CHECK(filter.num_keys() == 1500);
  filter.Insert(tests::MemberKeys(10, 3));
  CHECK(filter.Erase(tests::MemberKeys(500, 2)).num_erased == 500);
  CHECK(filter.num_keys() == 1010);
  CHECK(filter.GetStats().num_keys == 1010);
  CountingFilter unlike = std::move(CountingFilter::Create({.capacity = 10})).value();
  CHECK_FALSE(filter.Merge(unlike).ok());
  CHECK(filter.num_keys() == 1010);
  filter.Clear();
  CHECK(filter.num_keys() == 0);
  CHECK((filter.Serialize() == std::move(CountingFilter::Create(config)).value().Serialize()));
}

TEST_CASE("a filter goes into concurrent use and back with all it holds", "[engine][concurrent]") {
  CountingFilter filter = std::move(CountingFilter::Create({.capacity = 30'000})).value();
  filter.Insert(tests::MemberKeys(1000, 1));
  filter.Erase(uint64_t{12345});
  const uint64_t num_refused = filter.GetStats().num_refused_erases;
  const std::vector<std::byte> bytes = filter.Serialize();
  ConcurrentFilter shared(std::move(filter));
  CHECK(shared.num_keys() == 1000);
  CHECK(shared.capacity() == 30'000);
  shared.Insert(uint64_t{5});
  CHECK(shared.Erase(uint64_t{5}));
  filter = std::move(shared).TakeExclusive();
  CHECK((filter.Serialize() == bytes));
  CHECK(filter.GetStats().num_refused_erases == num_refused);
}

}  // namespace
}  // namespace trommel
