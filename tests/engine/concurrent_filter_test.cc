// The contract of concurrent_filter.h. (That one thread gets a CountingFilter's answers and bytes:
// counting_filter_invariants_test.cc; what it promises to threads: beside_writers_test.cc.)
#include "trommel/concurrent_filter.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"

namespace trommel {
namespace {

ConcurrentFilter Made(const CountingConfig& config) {
  return ConcurrentFilter::Create(config).value();
}

Encoding AnyEncoding() {
  return GENERATE(Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16, Encoding::kDense);
}

TEST_CASE("a concurrent filter counts the erases it refused", "[engine][concurrent]") {
  ConcurrentFilter filter = Made({.capacity = 1000, .target_fpr = 1e-4, .encoding = AnyEncoding()});
  filter.Insert(uint64_t{1});
  CHECK_FALSE(filter.Erase(uint64_t{2}));
  CHECK(filter.Erase(std::vector<uint64_t>{1, 3, 4}) == EraseOutcome{1, 2});
  std::vector<uint64_t> erased(1, ~uint64_t{0});
  CHECK(filter.Erase(std::vector<uint64_t>{5}, erased) == EraseOutcome{0, 1});
  CHECK(erased[0] == 0);
  CHECK(filter.GetStats().num_refused_erases == 4);
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("bitmaps of another size end the program", "[engine][concurrent][death]") {
  ConcurrentFilter filter = Made({.capacity = 1000});
  const std::vector<uint64_t> keys(65);
  std::vector<uint64_t> bitmap(1);
  const std::string want = "bitmap of another size";
  const auto says = [&](const std::function<void()>& body) {
    return tests::AbortMessage(body).find(want) != std::string::npos;
  };
  CHECK(says([&] { filter.InsertIfAbsent(keys, bitmap); }));
  CHECK(says([&] { filter.Erase(keys, bitmap); }));
  CHECK(says([&] { filter.Query(keys, bitmap); }));
}

#ifndef NDEBUG
TEST_CASE("an exclusive operation beside another one ends a debug build",
          "[engine][concurrent][death]") {
  const bool is_limit = GENERATE(false, true);
  const std::string message = tests::AbortMessage([is_limit] {
    ConcurrentFilter filter = Made({.capacity = 1000, .encoding = Encoding::kDense});
    std::atomic<bool> is_done{false};
    std::thread reader([&] {  // not a writer, which might crash before it is noticed
      const std::vector<uint64_t> keys = tests::MemberKeys(10'000, 1);
      std::vector<uint64_t> answers(CountingFilter::BitmapWords(keys.size()));
      while (!is_done) filter.Query(keys, answers);
    });
    for (int i = 0; i < 1'000'000; ++i) {
      if (is_limit) {
        (void)filter.LimitSideMemory(0);
      } else {
        filter.Clear();
      }
    }
    is_done = true;
    reader.join();
  });
  CHECK(message.find("exclusive operation") != std::string::npos);
}
#endif

TEST_CASE("a concurrent filter is saved and loaded as a counting filter", "[engine][concurrent]") {
  const tests::ScratchFolder folder;
  const auto path = folder.path() / "filter";
  ConcurrentFilter filter = Made({.capacity = 5000, .target_fpr = 0.02, .encoding = AnyEncoding()});
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
  ConcurrentFilter filter = Made({.capacity = 1000});
  filter.Insert(tests::MemberKeys(10, 1));
  const Status saved = filter.Save(folder.path() / "no" / "folder");
  REQUIRE_FALSE(saved.ok());
  CHECK(saved.error().code == ErrorCode::kIo);
  CHECK(filter.num_keys() == 10);
}

TEST_CASE("merge and clear of a concurrent filter leave the right number of keys",
          "[engine][concurrent]") {
  const CountingConfig config{.capacity = 30'000, .encoding = AnyEncoding()};
  ConcurrentFilter filter = Made(config);
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
  CountingFilter filter =
      std::move(CountingFilter::Create({.capacity = 30'000, .encoding = AnyEncoding()})).value();
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
  Result<ConcurrentFilter> again = ConcurrentFilter::Adopt(std::move(filter));
  REQUIRE(again.ok());
  CHECK(again->num_keys() == 1000);
  CHECK((again->Serialize() == bytes));
}

}  // namespace
}  // namespace trommel
