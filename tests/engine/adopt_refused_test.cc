// ConcurrentFilter::Adopt where the system refuses memory: the filter stays the caller's as it was.
#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/shapes.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

bool Allocates() {
  try {
    ::operator delete(::operator new(100));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool Maps() {
  constexpr size_t kBytes = 4096;
  void* mapping = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapping != MAP_FAILED && munmap(mapping, kBytes) == 0;
}

TEST_CASE("the n-th allocation is refused and no other, mappings included",
          "[support][allocation_peak]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  for (uint64_t n = 1; n <= 5; ++n) {
    std::array<bool, 4> is_done{};
    bool was_refused = false;
    {
      const tests::RefusedAllocation refused(n);
      is_done = {Allocates(), Maps(), Allocates(), Maps()};
      was_refused = refused.was_refused();
    }
    for (size_t i = 0; i < is_done.size(); ++i) CHECK(is_done[i] == (i + 1 != n));
    CHECK(was_refused == (n <= is_done.size()));
    CHECK(Allocates());
  }
}

TEST_CASE("a filter that Adopt has no memory for stays as it was",
          "[engine][concurrent][fingerprints]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  const auto encoding = GENERATE(Encoding::kFingerprints16, Encoding::kDense);
  const bool is_wide = encoding == Encoding::kFingerprints16;
  constexpr uint64_t kBlocks = 512;
  CountingFilter filter =
      CountingFilter::CreateWithGeometry(tests::FingerprintsOf(encoding, kBlocks, 2),
                                         {.kind = DigestKind::kCaller})
          .value();
  // Some blocks hide keys: a filter with versions would answer "maybe present" for more of the
  // others.
  const std::vector<uint64_t> members =
      tests::MemberKeys((is_wide ? 33 : 42) * kBlocks, Catch::rngSeed());
  const std::vector<uint64_t> others = tests::NonMemberKeys(20'000, Catch::rngSeed());
  filter.Insert(Keys::Digests(members));
  const std::vector<std::byte> bytes = filter.Serialize();
  const auto answers_of = [&others](const auto& some) {
    std::vector<uint64_t> answers(BitmapWords(others.size()));
    some.Query(Keys::Digests(others), answers);
    return answers;
  };
  const std::vector<uint64_t> answers = answers_of(filter);
  uint64_t num_failed = 0;
  for (bool is_adopted = false; !is_adopted;) {
    const uint64_t num_bytes = filter.GetStats().num_bytes;
    bool was_refused = false;
    Result<ConcurrentFilter> adopted = [&] {
      const tests::RefusedAllocation refused(num_failed + 1);
      Result<ConcurrentFilter> result = ConcurrentFilter::Adopt(std::move(filter));
      was_refused = refused.was_refused();
      return result;
    }();
    is_adopted = adopted.ok();
    REQUIRE(is_adopted != was_refused);
    if (is_adopted) {
      CHECK(adopted->num_keys() == members.size());
      CHECK((answers_of(*adopted) != answers) == is_wide);  // overflow lines decide
      filter = (*std::move(adopted)).TakeExclusive();
    } else {
      num_failed += 1;
      CHECK(adopted.error().code == ErrorCode::kOutOfMemory);
    }
    CAPTURE(num_failed);
    REQUIRE((filter.Serialize() == bytes));
    REQUIRE((answers_of(filter) == answers));
    REQUIRE(filter.GetStats().num_bytes == num_bytes);
    REQUIRE(filter.Insert(Key::Digest(others[0])));
    REQUIRE(filter.Erase(Key::Digest(others[0])));
  }
  CHECK(num_failed >= 3);  // the locks, the versions, and the filter itself
  CHECK(filter.Erase(Keys::Digests(members)) == EraseOutcome{members.size(), 0});
  CHECK(filter.num_keys() == 0);
}

}  // namespace
}  // namespace trommel
