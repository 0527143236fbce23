// The contract of concurrent_filter.h. (What it promises of answers and to threads:
// tests/promises.)
#include "trommel/concurrent_filter.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/random_keys.h"

namespace trommel {
namespace {

Encoding AnyEncoding() {
  return GENERATE(Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16, Encoding::kDense);
}

#ifndef NDEBUG
TEST_CASE("an exclusive operation beside another one ends a debug build",
          "[engine][concurrent][death]") {
  const bool is_limit = GENERATE(false, true);
  const std::string message = tests::AbortMessage([is_limit] {
    ConcurrentFilter filter =
        ConcurrentFilter::Create({.capacity = 1000, .encoding = Encoding::kDense}).value();
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
