// Filters of presence bits for which the system refuses memory, at any of their allocations, or
// whose limit of side memory leaves none: what fails changes nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

struct PresenceShape {
  Encoding encoding = Encoding::kRuns;
  uint32_t num_slices = 0;
  size_t half_load = 0;  // keys per block at which few are promoted, and of twice as many, many
};

constexpr PresenceShape kPresenceShapes[] = {
    {Encoding::kRuns, 5, 19}, {Encoding::kRuns, 4, 32}, {Encoding::kPlanes, 8, 28}};

PresenceShape AnyPresenceShape() {
  return kPresenceShapes[GENERATE(range(size_t{0}, std::size(kPresenceShapes)))];
}

Geometry GeometryOf(const PresenceShape& shape) {
  return {.num_slices = shape.num_slices,
          .encoding = shape.encoding,
          .shard_bits = 1,
          .num_blocks = 64};
}

CountingFilter EmptyOf(const PresenceShape& shape) {
  return CountingFilter::CreateWithGeometry(GeometryOf(shape), {.kind = DigestKind::kCaller})
      .value();
}

std::vector<uint64_t> SomeKeys(const PresenceShape& shape, std::mt19937_64& random) {
  std::vector<uint64_t> digests(64 * shape.half_load);
  for (uint64_t& digest : digests) digest = random();
  // A hot one, of which more than 255 are in.
  digests.insert(digests.end(), 200, digests.front());
  return digests;
}

// Everything that was inserted is still in, can be erased, and the filter takes keys.
void CheckUsable(CountingFilter& filter, const std::vector<uint64_t>& digests) {
  const std::vector<std::byte> bytes = filter.Serialize();
  std::vector<uint64_t> bits(BitmapWords(digests.size()));
  CHECK(filter.Query(Keys::Digests(digests), bits) == digests.size());
  CHECK(filter.Insert(Keys::Digests(digests)).num_inserted == digests.size());
  CHECK(filter.Erase(Keys::Digests(digests)).num_refused == 0);
  CHECK((filter.Serialize() == bytes));
}

// Calls change(filter) with its n-th allocation refused, for each n, on a filter that holds the
// keys. Where it fails nothing has changed; check(filter, is_changed) says what else must be.
template <class Change, class Check>
void CheckWithRefusals(const PresenceShape& shape, const std::vector<uint64_t>& digests,
                       const Change& change, const Check& check) {
  uint64_t num_failed = 0;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; n += 1 + n / 8) {
    CAPTURE(n);
    CountingFilter filter = EmptyOf(shape);
    filter.Insert(Keys::Digests(digests));
    const std::vector<std::byte> before = filter.Serialize();
    Status changed = Ok();
    was_refused = tests::WasRefusedAt(n, [&] { changed = change(filter); });
    if (!changed.ok()) {
      num_failed += 1;
      CHECK(changed.error().code == ErrorCode::kOutOfMemory);
      CHECK((filter.Serialize() == before));
    }
    check(filter, changed.ok());
    CheckUsable(filter, digests);
  }
  CHECK(num_failed > 0);
}

TEST_CASE("a merge that the system refuses memory for changes nothing, at any of its allocations",
          "[engine][refused_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  const PresenceShape shape = AnyPresenceShape();
  std::mt19937_64 random(Catch::rngSeed());
  const std::vector<uint64_t> digests = SomeKeys(shape, random);
  const bool is_own = GENERATE(false, true);  // merged into itself
  CountingFilter other = EmptyOf(shape);
  other.Insert(Keys::Digests(SomeKeys(shape, random)));
  const uint64_t num_there = is_own ? digests.size() : other.num_keys();
  CheckWithRefusals(
      shape, digests, [&](CountingFilter& filter) { return filter.Merge(is_own ? filter : other); },
      [&](const CountingFilter& filter, bool is_merged) {
        if (is_merged) CHECK(filter.num_keys() == digests.size() + num_there);
      });
}

TEST_CASE("a fold that the system refuses memory for changes nothing, at any of its allocations",
          "[engine][refused_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  const PresenceShape shape = AnyPresenceShape();
  std::mt19937_64 random(Catch::rngSeed());
  const std::vector<uint64_t> digests = SomeKeys(shape, random);
  CheckWithRefusals(
      shape, digests, [](CountingFilter& filter) { return filter.Fold(); },
      [](const CountingFilter& filter, bool is_folded) {
        CHECK(filter.geometry().num_blocks == (is_folded ? 32U : 64U));
      });
}

TEST_CASE("a limit that the system refuses memory for is not set, and the filter stays as it was",
          "[engine][refused_memory][side_limit]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  const PresenceShape shape = AnyPresenceShape();
  std::mt19937_64 random(Catch::rngSeed());
  const std::vector<uint64_t> digests = SomeKeys(shape, random);
  const std::vector<uint64_t> hot(1 << 17, ~digests.front());
  CheckWithRefusals(
      shape, digests, [](CountingFilter& filter) { return filter.LimitSideMemory(200'000); },
      [&hot](CountingFilter& filter, bool is_limited) {
        if (is_limited) return;
        CHECK(filter.Insert(Keys::Digests(hot)).num_refused == 0);
        CHECK(filter.Erase(Keys::Digests(hot)).num_refused == 0);
      });
}

TEST_CASE("no erasure, return or subtraction needs memory", "[engine][refused_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  const PresenceShape shape = AnyPresenceShape();
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests = SomeKeys(shape, random);
  const std::vector<uint64_t> more = SomeKeys(shape, random);
  CountingFilter filter = EmptyOf(shape);
  const std::vector<std::byte> empty = filter.Serialize();
  CountingFilter other = EmptyOf(shape);
  other.Insert(Keys::Digests(more));
  filter.Insert(Keys::Digests(digests));
  REQUIRE(filter.Merge(other).ok());
  REQUIRE(filter.GetStats().num_promoted > 0);
  std::ranges::shuffle(digests, random);
  std::vector<uint64_t> bits(BitmapWords(digests.size() / 2));
  Status subtracted = Ok();
  EraseOutcome outcome;
  {
    const tests::RefusedAllocation refused(1, tests::Refused::kAllFrom);
    const size_t half = digests.size() / 2;
    outcome = filter.Erase(Keys::Digests(std::span(digests).first(half)), bits);
    subtracted = filter.Subtract(other);
    for (const uint64_t digest : std::span(digests).subspan(half)) {
      outcome.num_erased += uint64_t{filter.Erase(Key::Digest(digest))};
    }
  }
  CHECK(outcome.num_erased == digests.size());
  CHECK(subtracted.ok());
  CHECK((filter.Serialize() == empty));
  CHECK(filter.GetStats().side_table_bytes == 0);
}

TEST_CASE("within a limit a hot key counts exactly as far as there are digits for it",
          "[engine][side_limit]") {
  const PresenceShape shape = AnyPresenceShape();
  CountingFilter filter = EmptyOf(shape);
  const std::vector<std::byte> empty = filter.Serialize();
  const bool is_scarce = GENERATE(false, true);
  REQUIRE(filter.LimitSideMemory(is_scarce ? 2 * 750 : 2 * 20'000).ok());
  const std::vector<uint64_t> hot(100'000, 0x123456789abcdef0);
  uint64_t num_in = 0;
  for (int i = 0; i < 3; ++i) num_in += filter.Insert(Keys::Digests(hot)).num_inserted;
  // A space of 750 bytes for each half of the blocks has one or two digits.
  CHECK((num_in == 255 || num_in == 65'535) == is_scarce);
  if (!is_scarce) CHECK(num_in == 3 * hot.size());
  CHECK(filter.num_keys() == num_in);
  CHECK(filter.CountEstimate(Key::Digest(hot[0])) == num_in);
  CHECK(filter.GetStats().num_refused_inserts == 3 * hot.size() - num_in);
  CHECK(filter.Insert(Key::Digest(~hot[0])));  // other keys are not affected
  CHECK(filter.Erase(Key::Digest(~hot[0])));
  for (uint64_t left = num_in; left > 0; left -= std::min<uint64_t>(left, hot.size())) {
    const auto part = std::span(hot).first(std::min<uint64_t>(left, hot.size()));
    CHECK(filter.Erase(Keys::Digests(part)).num_refused == 0);
  }
  CHECK_FALSE(filter.MayContain(Key::Digest(hot[0])));
  CHECK((filter.Serialize() == empty));
}

TEST_CASE("a fold carries the limit, and fails where it leaves no space", "[engine][side_limit]") {
  const PresenceShape shape = AnyPresenceShape();
  std::mt19937_64 random(Catch::rngSeed());
  const std::vector<uint64_t> digests = SomeKeys(shape, random);
  CountingFilter filter = EmptyOf(shape);
  REQUIRE(filter.LimitSideMemory(100'000).ok());
  REQUIRE(filter.Insert(Keys::Digests(digests)).num_refused == 0);
  CountingFilter unlimited = EmptyOf(shape);
  unlimited.Insert(Keys::Digests(digests));
  REQUIRE(unlimited.Fold().ok());
  const uint64_t side_bytes = filter.GetStats().side_table_bytes;
  CHECK(side_bytes <= 100'000);
  REQUIRE(filter.Fold().ok());
  CHECK((filter.Serialize() == unlimited.Serialize()));
  CHECK(filter.GetStats().side_table_bytes <= 100'000);
  CHECK(filter.LimitSideMemory(0).ok());

  CountingFilter scarce = EmptyOf(shape);
  REQUIRE(scarce.LimitSideMemory(3'000).ok());
  for (int i = 0; i < 3; ++i) scarce.Insert(Keys::Digests(digests));
  const Stats stats = scarce.GetStats();
  const std::vector<std::byte> before = scarce.Serialize();
  const Status folded = scarce.Fold();
  REQUIRE_FALSE(folded.ok());
  CHECK(folded.error().code == ErrorCode::kOutOfMemory);
  CHECK((scarce.Serialize() == before));
  CHECK(scarce.GetStats().num_refused_inserts == stats.num_refused_inserts);
  CHECK(stats.num_refused_inserts > 0);
}

TEST_CASE("three times the predicted side table suffices for keys that differ",
          "[engine][side_limit]") {
  const auto encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes);
  const auto target_fpr = GENERATE(0.03, 0.004, 0.0001);
  constexpr uint64_t kCapacity = 400'000;
  const Sizing sizing =
      SizeFor({.capacity = kCapacity, .target_fpr = target_fpr, .encoding = encoding}).value();
  const uint64_t num_parts = uint64_t{1} << sizing.geometry.shard_bits;
  CountingFilter filter =
      CountingFilter::Create({.capacity = kCapacity,
                              .target_fpr = target_fpr,
                              .digest = {.kind = DigestKind::kCaller},
                              .encoding = encoding,
                              .side_memory_limit_bytes = std::max(
                                  3 * sizing.predicted_side_table_bytes, 2048 * num_parts)})
          .value();
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(kCapacity);
  for (uint64_t& digest : digests) digest = random();
  CHECK(filter.Insert(Keys::Digests(digests)).num_refused == 0);
}

}  // namespace
}  // namespace trommel
