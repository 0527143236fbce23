// Creating, saving and loading classic filters of each kind.
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"
#include "trommel/classic/bloom_filter.h"
#include "trommel/classic/counting_bloom_filter.h"
#include "trommel/classic/sizing.h"
#include "trommel/classic/split_counting_filter.h"
#include "trommel/counting_filter.h"

namespace trommel::classic {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::ScratchFolder;

template <class F>
void CheckRoundTrip(Kind kind) {
  const ScratchFolder folder;
  const Config config{.capacity = 700,
                      .target_fpr = 0.003,
                      .digest = {.kind = DigestKind::kXxh3, .seed = 77},
                      .counter_bits = 5,
                      .hashing = Hashing::kMixed};
  F filter = std::move(F::Create(config)).value();
  CHECK(filter.geometry() == SizeFor({.kind = kind,
                                      .capacity = 700,
                                      .target_fpr = 0.003,
                                      .counter_bits = 5,
                                      .hashing = Hashing::kMixed})
                                 ->geometry);
  filter.Insert(tests::MemberKeys(500, Catch::rngSeed()));
  for (int i = 0; i < 50; ++i) filter.Insert("hot");  // stuck
  REQUIRE(filter.Save(folder / "filter").ok());
  CHECK((tests::ReadFile(folder / "filter") == filter.Serialize()));

  Result<F> loaded = F::Load(folder / "filter");
  REQUIRE(loaded.ok());
  CHECK(loaded->geometry() == filter.geometry());
  CHECK(loaded->digest_policy() == config.digest);
  CHECK(loaded->capacity() == 700);
  CHECK(loaded->target_fpr() == 0.003);
  CHECK(loaded->num_keys() == 550);
  CHECK(loaded->GetStats().slice_fills == filter.GetStats().slice_fills);
  CHECK(loaded->GetStats().num_stuck == filter.GetStats().num_stuck);
  CHECK(loaded->GetStats().num_lost_increments == 0);  // wear stays behind
  // It works on: both take the same keys and stay the same.
  filter.Insert("after");
  loaded->Insert("after");
  CHECK((loaded->Serialize() == filter.Serialize()));
  // Moved, it is the same filter.
  const F moved = *std::move(loaded);
  CHECK((moved.Serialize() == filter.Serialize()));
}

TEST_CASE("a classic filter comes back from a file with all it was",
          "[engine][classic][snapshot]") {
  CheckRoundTrip<BloomFilter>(Kind::kBloom);
  CheckRoundTrip<CountingBloomFilter>(Kind::kCountingBloom);
  CheckRoundTrip<SplitCountingFilter>(Kind::kSplitCounting);
}

TEST_CASE("classic filters that cannot be are refused with the reason", "[engine][classic]") {
  CHECK(SplitCountingFilter::Create({}).error().message ==
        "capacity is 0; it must be between 1 and 1099511627776");
  CHECK_THAT(CountingBloomFilter::Create({.capacity = 10, .counter_bits = 12}).error().message,
             ContainsSubstring("counter_bits is 12"));
  CHECK_THAT(BloomFilter::Create({.capacity = 10, .digest = {.kind = static_cast<DigestKind>(4)}})
                 .error()
                 .message,
             ContainsSubstring("digest kind is 4; it must be between 0 and 3"));
  const Geometry split{.num_hashes = 3, .num_positions = 10};
  CHECK(BloomFilter::CreateWithGeometry(split).error().message ==
        "kind is 2; it must be 0 (bloom) here");
  CHECK(SplitCountingFilter::CreateWithGeometry({.num_positions = 10}).error().message ==
        "num_hashes is 0; it must be between 1 and 64");
  const Result<BloomFilter> large =
      BloomFilter::Create({.capacity = 1'000'000, .memory_limit_bytes = 1000});
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().code == ErrorCode::kOutOfMemory);
}

TEST_CASE("a snapshot of another kind of filter is refused by each",
          "[engine][classic][snapshot]") {
  const ScratchFolder folder;
  const auto bloom = std::move(BloomFilter::Create({.capacity = 100})).value();
  const auto split = std::move(SplitCountingFilter::Create({.capacity = 100})).value();
  const auto blocked = std::move(CountingFilter::Create({.capacity = 100})).value();
  const Result<SplitCountingFilter> not_split = SplitCountingFilter::Deserialize(bloom.Serialize());
  REQUIRE_FALSE(not_split.ok());
  CHECK(not_split.error().code == ErrorCode::kMismatch);
  CHECK(not_split.error().message ==
        "the snapshot holds a filter of the kind bloom, not split counting");
  CHECK(CountingBloomFilter::Deserialize(split.Serialize()).error().code == ErrorCode::kMismatch);
  const Result<BloomFilter> not_classic = BloomFilter::Deserialize(blocked.Serialize());
  REQUIRE_FALSE(not_classic.ok());
  CHECK(not_classic.error().code == ErrorCode::kMismatch);
  CHECK(not_classic.error().message ==
        "this is a counting filter's snapshot, not a classic filter's");

  REQUIRE(split.Save(folder / "split").ok());
  const Result<CountingFilter> not_blocked = CountingFilter::Load(folder / "split");
  REQUIRE_FALSE(not_blocked.ok());
  CHECK(not_blocked.error().code == ErrorCode::kMismatch);
  CHECK_THAT(not_blocked.error().message, ContainsSubstring("classic filter's snapshot, not a"));
  const Result<BloomFilter> not_bloom = BloomFilter::Load(folder / "split");
  REQUIRE_FALSE(not_bloom.ok());
  CHECK_THAT(not_bloom.error().message, ContainsSubstring("split: the snapshot holds"));
  CHECK(BloomFilter::Load(folder / "nothing").error().code == ErrorCode::kIo);
  CHECK(split.Save(folder.path()).error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace trommel::classic
