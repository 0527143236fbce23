// CountingFilter: creation, batches, keys of all types, misuse, const queries from many threads.
// Whole filters and statistics: counting_filter_merge_test.cc; invariants:
// counting_filter_invariants_test.cc.
#include "trommel/counting_filter.h"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "engine/src/blocks/block_store.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/targets.h"

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

TEST_CASE("impossible wishes are errors that name the value", "[engine][filter]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CountingConfig config;
  CHECK_THAT(CountingFilter::Create(config).error().message, ContainsSubstring("capacity is 0"));
  config.capacity = kMaxCapacity + 1;
  CHECK(CountingFilter::Create(config).error().code == ErrorCode::kInvalidArgument);
  config.capacity = 1000;
  for (const double fpr : {0.0, 1.0, nan, -0.1, 2.0}) {
    config.target_fpr = fpr;
    const Result<CountingFilter> filter = CountingFilter::Create(config);
    REQUIRE_FALSE(filter.ok());
    CHECK(filter.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(filter.error().message, ContainsSubstring("target_fpr"));
  }
  config.target_fpr = 0.01;
  config.num_slices = 12;
  CHECK_THAT(CountingFilter::Create(config).error().message, ContainsSubstring("12"));
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

TEST_CASE("an empty batch of any kind does nothing", "[engine][filter]") {
  CountingFilter filter = MakeFilter(10);
  const std::vector<std::string> none;
  filter.Insert(none);
  CHECK(filter.InsertIfAbsent(none, {}) == 0);
  CHECK(filter.Erase(none) == EraseOutcome{});
  CHECK(filter.Erase(none, {}) == EraseOutcome{});
  CHECK(filter.Query(none, {}) == 0);
  CHECK(filter.Select(none, Answer::kAbsent, {}) == 0);
  filter.CountEstimates(none, {});
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("keys of all types are found one by one that were inserted by batch",
          "[engine][filter]") {
  const auto kind = GENERATE(DigestKind::kXxh64, DigestKind::kXxh3);
  const DigestPolicy policy{kind, 5};
  const size_t size = kChunk + 100;
  const auto wide = MemberKeys(size, 3);
  const auto strings = tests::MemberStrings(size, 3);
  const std::vector<std::string_view> views(strings.begin(), strings.end());
  std::vector<int32_t> narrow(size);
  for (size_t i = 0; i < size; ++i) narrow[i] = -static_cast<int32_t>(i) - 1;
  CountingFilter filter = MakeFilter(100'000, policy);
  filter.Insert(wide);
  filter.Insert(strings);
  filter.Insert(Keys::Int32(narrow));
  for (size_t i = 0; i < size; ++i) {
    REQUIRE(filter.MayContain(wide[i]));
    REQUIRE(filter.MayContain(static_cast<int64_t>(wide[i])));
    REQUIRE(filter.MayContain(Key::Digest(policy(wide[i]))));
    REQUIRE(filter.MayContain(strings[i]));
    REQUIRE(filter.MayContain(Key::Int32(narrow[i])));
  }
  // Views are the same keys as strings: erasing them erases those. The 64-bit -1, -2 .. are not.
  CHECK(filter.Erase(views) == EraseOutcome{size, 0});
  std::vector<int64_t> widened(narrow.begin(), narrow.end());
  CHECK(filter.Erase(widened).num_refused > size * 9 / 10);
}

TEST_CASE("a filter of the caller's digests takes those only", "[engine][filter]") {
  CountingFilter filter = MakeFilter(100, {DigestKind::kCaller, 0});
  const auto digests = MemberKeys(50, 1);
  filter.Insert(Keys::Digests(digests));
  CHECK(filter.MayContain(Key::Digest(digests[7])));
  CHECK_THAT(tests::AbortMessage([&] { filter.Insert("bytes"); }),
             ContainsSubstring("caller's digests"));
}

TEST_CASE("spans of another size than the batch end the program with a message",
          "[engine][filter]") {
  CountingFilter filter = MakeFilter(100);
  const auto keys = MemberKeys(65, 1);
  std::vector<uint64_t> word(1);
  std::vector<uint32_t> selection(64);
  std::vector<uint64_t> counts(66);
  const std::string bitmap = "bitmap of another size";
  CHECK_THAT(tests::AbortMessage([&] { filter.Query(keys, word); }), ContainsSubstring(bitmap));
  CHECK_THAT(tests::AbortMessage([&] { filter.InsertIfAbsent(keys, word); }),
             ContainsSubstring(bitmap));
  CHECK_THAT(tests::AbortMessage([&] { filter.Erase(keys, word); }), ContainsSubstring(bitmap));
  CHECK_THAT(tests::AbortMessage([&] { filter.Select(keys, Answer::kAbsent, selection); }),
             ContainsSubstring("selection of another size"));
  CHECK_THAT(tests::AbortMessage([&] { filter.CountEstimates(keys, counts); }),
             ContainsSubstring("counts of another size"));
  CHECK(tests::AbortMessage([&] { filter.Insert(keys); }) == "survived");
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
