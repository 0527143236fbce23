// CountingFilter: creation, batches, keys of all types, misuse, const queries from many threads.
// Whole filters and statistics: counting_filter_merge_test.cc; invariants: tests/promises.
#include "trommel/counting_filter.h"

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "engine/src/blocks/block_store.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/random_keys.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::MemberKeys;
using tests::NonMemberKeys;

CountingFilter MakeFilter(uint64_t capacity, const DigestPolicy& digest = {}) {
  CountingConfig config;
  config.capacity = capacity;
  config.digest = digest;
  Result<CountingFilter> filter = CountingFilter::Create(config);
  REQUIRE(filter.ok());
  return *std::move(filter);
}

// The engine works in chunks of this many keys.
constexpr size_t kChunk = kernels::kMaxChunkKeys;

std::vector<uint64_t> Bitmap(size_t num_keys) {
  return std::vector<uint64_t>(CountingFilter::BitmapWords(num_keys), ~uint64_t{0});
}

TEST_CASE("a new filter is what was asked for and empty", "[engine][filter]") {
  CountingConfig config;
  config.capacity = 5000;
  config.target_fpr = 0.003;
  config.digest = {DigestKind::kXxh3, 7};
  config.num_slices = 10;
  config.power_of_two_blocks = true;
  const Result<CountingFilter> filter = CountingFilter::Create(config);
  REQUIRE(filter.ok());
  CHECK(filter->capacity() == 5000);
  CHECK(filter->target_fpr() == 0.003);
  CHECK(filter->digest_policy() == config.digest);
  CHECK(filter->geometry().num_slices == 10);
  CHECK(filter->geometry().encoding == Encoding::kRuns);
  CHECK((filter->geometry().num_blocks & (filter->geometry().num_blocks - 1)) == 0);
  CHECK(filter->num_keys() == 0);
  auto answers = Bitmap(1000);
  CHECK(filter->Query(NonMemberKeys(1000, 1), answers) == 0);
  CHECK_FALSE(filter->MayContain("anything"));
}

TEST_CASE("too much memory is an error that names bytes and limit", "[engine][filter]") {
  CountingConfig config;
  config.capacity = 1'000'000;
  config.memory_limit_bytes = 100'000;
  const Result<CountingFilter> filter = CountingFilter::Create(config);
  REQUIRE_FALSE(filter.ok());
  CHECK(filter.error().code == ErrorCode::kOutOfMemory);
  const Result<Sizing> sizing = SizeFor({.capacity = config.capacity});
  REQUIRE(sizing.ok());
  CHECK_THAT(filter.error().message, ContainsSubstring(GroupedText(sizing->geometry.num_bytes())) &&
                                         ContainsSubstring("100,000"));
  config.memory_limit_bytes = sizing->geometry.num_bytes();
  CHECK(CountingFilter::Create(config).ok());
}

TEST_CASE("a filter of the caller's digests takes those only", "[engine][filter]") {
  CountingFilter filter = MakeFilter(100, {DigestKind::kCaller, 0});
  const auto digests = MemberKeys(50, 1);
  filter.Insert(Keys::Digests(digests));
  CHECK(filter.MayContain(Key::Digest(digests[7])));
  CHECK_THAT(tests::AbortMessage([&] { filter.Insert("bytes"); }),
             ContainsSubstring("caller's digests"));
}

TEST_CASE("a filter that no thread changes answers many threads at once",
          "[engine][filter][threads]") {
  CountingConfig config;
  config.capacity = 2000;
  config.encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  CountingFilter filter = CountingFilter::Create(config).value();
  const std::vector<uint64_t> members = tests::MemberKeys(2000, 1);
  filter.Insert(members);
  filter.Insert(std::vector<uint64_t>(300, members[0]));
  const CountingFilter& shared = filter;

  constexpr size_t kThreads = 4;
  std::vector<size_t> present(kThreads, 0);
  std::vector<uint64_t> counts(kThreads, 0);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::vector<uint64_t> answers(CountingFilter::BitmapWords(members.size()));
        present[t] = shared.Query(members, answers);
        for (const uint64_t member : members) present[t] += shared.MayContain(member) ? 1 : 0;
        counts[t] = shared.CountEstimate(members[0]);
      });
    }
  }
  for (size_t t = 0; t < kThreads; ++t) {
    CHECK(present[t] == 2 * members.size());
    CHECK(counts[t] >= 301);
  }
}

}  // namespace
}  // namespace trommel
