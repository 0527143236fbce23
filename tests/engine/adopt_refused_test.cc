// ConcurrentFilter::Adopt where the system refuses memory: the filter stays the caller's as it was.
#include <cstddef>
#include <cstdint>
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
