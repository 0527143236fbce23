// ConcurrentFilters of fingerprints: their queries never look into the side table, and answer
// "absent" only from a group that was not changed meanwhile. (What every encoding promises:
// tests/promises; kernels: kernels/group_versions_test.cc.)
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/fingerprints/wide_store.h"
#include "kernels/fingerprint_layout.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/in_threads.h"
#include "support/scratch_folder.h"
#include "support/shapes.h"
#include "support/shrink.h"
#include "support/statistics.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using tests::BitAt;

Encoding EitherShape() { return GENERATE(Encoding::kFingerprints16, Encoding::kDense); }

bool IsWide(Encoding encoding) { return encoding == Encoding::kFingerprints16; }

using tests::FingerprintsOf;

CountingFilter EmptyServed(const Geometry& geometry) {
  return CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller}).value();
}

// So many keys per block that some hide keys and some do not; some keys are hot.
std::vector<uint64_t> CrowdedDigests(const Geometry& geometry, std::mt19937_64& random) {
  const uint64_t load = IsWide(geometry.encoding) ? 33 : 46;
  std::vector<uint64_t> digests(load * geometry.num_blocks);
  for (uint64_t& digest : digests) digest = random();
  digests.insert(digests.end(), 1000, digests[0]);
  digests.insert(digests.end(), 60, digests[1]);
  return digests;
}

std::vector<uint64_t> FreshDigests(size_t size, std::mt19937_64& random) {
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) digest = random();
  return digests;
}

// May the key be one that its block hides, as far as the block's words tell? From the layout.
bool IsUndecided(const WideStore& store, uint64_t digest) {
  const auto place = kernels::FingerprintPlaceOf(digest, store.geometry().num_blocks);
  const uint32_t* block = store.blocks().data() + place.block_idx * kernels::kFingerprintBlockWords;
  return kernels::WideSlot(block, kernels::kWideSlots - 1) == kernels::kSpillMark;
}

// (Dense stores: dense_readers_test.cc.)
TEST_CASE("queries beside writers answer as a filter's own, but for keys that blocks may hide",
          "[engine][concurrent][fingerprints][long]") {
  const Geometry geometry = FingerprintsOf(Encoding::kFingerprints16, 512, 2);
  std::mt19937_64 random(Catch::rngSeed());
  const std::unique_ptr<WideStore> store = WideStore::Create(geometry, 0).value();
  const std::vector<uint64_t> members = CrowdedDigests(geometry, random);
  for (const uint64_t digest : members) store->InsertOne(digest);
  std::vector<uint64_t> digests = FreshDigests(60'000, random);
  uint64_t num_undecided = 0;
  for (const uint64_t digest : digests) num_undecided += uint64_t{IsUndecided(*store, digest)};
  const double share = static_cast<double>(store->Figures().num_undecided) / 64 / 512;
  CHECK(share > 0);
  CHECK(share < 1);
  CHECK(tests::BinomialBound(share, digests.size()).ContainsHits(num_undecided));

  digests.insert(digests.end(), members.begin(), members.end());
  std::vector<uint8_t> exact(digests.size());
  std::vector<uint8_t> beside(digests.size());
  for (size_t i = 0; i < digests.size(); ++i) {
    exact[i] = store->MayContain(digests[i]) ? 1 : 0;
    beside[i] = exact[i] != 0 || IsUndecided(*store, digests[i]) ? 1 : 0;
  }
  const auto check = [&](const std::vector<uint8_t>& want) {
    std::vector<uint64_t> bits(BitmapWords(digests.size()));
    const auto num_present = static_cast<size_t>(std::ranges::count(want, 1));
    REQUIRE(store->Query(digests, bits.data()) == num_present);
    for (size_t i = 0; i < digests.size(); ++i) {
      REQUIRE(store->MayContain(digests[i]) == (want[i] != 0));
      REQUIRE(BitAt(bits, i) == (want[i] != 0));
    }
    std::vector<uint32_t> absent(digests.size());
    REQUIRE(store->Select(digests, false, 0, absent.data()) == digests.size() - num_present);
    REQUIRE(store->Figures().num_interrupted_queries == 0);
  };
  check(exact);
  REQUIRE(store->ServeQueries(0).ok());
  check(beside);
  // Updates look into the side table all the same.
  for (const uint64_t digest : members)
    REQUIRE(store->UpdateOne(Update::kInsertIfAbsent, digest) == Fate::kUnchanged);
  store->StopServingQueries();
  check(exact);
  REQUIRE(store->ServeQueries(0).ok());
  for (const uint64_t digest : members) REQUIRE(store->EraseOne(digest));
  CHECK(store->Figures().num_undecided == 0);
}

TEST_CASE("the undecided share is what non-members meet, whatever was done before",
          "[engine][concurrent][fingerprints][long]") {
  const Geometry geometry = FingerprintsOf(Encoding::kFingerprints16, 256);
  std::mt19937_64 random(Catch::rngSeed());
  const std::vector<uint64_t> non_members = FreshDigests(100'000, random);
  const Keys keys = Keys::Digests(non_members);
  std::vector<uint64_t> exact(BitmapWords(non_members.size()));
  std::vector<uint64_t> beside(exact.size());
  const auto check = [&](CountingFilter filter) {
    const double share = filter.GetStats().undecided_share;
    CHECK(share > 0);
    const size_t num_exact = filter.Query(keys, exact);
    ConcurrentFilter shared(std::move(filter));
    CHECK(shared.GetStats().undecided_share == share);
    const size_t num_beside = shared.Query(keys, beside);
    for (size_t w = 0; w < exact.size(); ++w) REQUIRE((exact[w] & ~beside[w]) == 0);
    // Of the undecided ones, those that the filter's own query finds are not counted here.
    const double found = static_cast<double>(num_exact) / static_cast<double>(non_members.size());
    CHECK(tests::BinomialBound(share * (1 - found), non_members.size())
              .ContainsHits(num_beside - num_exact));
    CHECK(shared.GetStats().num_interrupted_queries == 0);
    filter = std::move(shared).TakeExclusive();
    CHECK(filter.Query(keys, beside) == num_exact);
    CHECK(beside == exact);
    return filter;
  };
  const std::vector<uint64_t> members = CrowdedDigests(geometry, random);
  CountingFilter filter = EmptyServed(geometry);
  filter.Insert(Keys::Digests(members));
  filter = check(std::move(filter));
  check(CountingFilter::Deserialize(filter.Serialize()).value());

  CountingFilter other = EmptyServed(geometry);
  other.Insert(Keys::Digests(std::span(members).first(members.size() / 5)));
  ConcurrentFilter shared(std::move(filter));
  REQUIRE(shared.Merge(other).ok());
  filter = check(std::move(shared).TakeExclusive());
  REQUIRE(filter.Subtract(other).ok());
  filter = check(std::move(filter));

  shared = ConcurrentFilter(std::move(filter));
  for (size_t left = members.size(); !shared.LimitSideMemory(100'000).ok(); --left) {
    REQUIRE(shared.Erase(Key::Digest(members[left - 1])));  // the hot ones first
  }
  CHECK(shared.Insert(Keys::Digests(FreshDigests(256 * 20, random))).num_refused > 0);
  CHECK(shared.GetStats().side_table_bytes <= 100'000);
  filter = check(std::move(shared).TakeExclusive());

  shared = ConcurrentFilter(std::move(filter));
  shared.Clear();
  CHECK(shared.GetStats().undecided_share == 0);
  CHECK(shared.GetStats().num_promoted == 0);
  CHECK(shared.Query(keys, beside) == 0);
}

TEST_CASE("versions count as bytes of a filter while it is shared",
          "[engine][concurrent][fingerprints]") {
  const Geometry geometry = FingerprintsOf(EitherShape(), 640);
  ConcurrentFilter shared(EmptyServed(geometry));
  CHECK(shared.GetStats().num_bytes == geometry.num_bytes() + 10 * sizeof(uint64_t));
  const CountingFilter filter = std::move(shared).TakeExclusive();
  CHECK(filter.GetStats().num_bytes == geometry.num_bytes());
}

TEST_CASE("versions beyond the memory limit are refused, and the filter stays the caller's",
          "[engine][concurrent][fingerprints]") {
  const Geometry geometry = FingerprintsOf(EitherShape(), 64 * 100, 1);
  // In dense filters the second half of the blocks may begin with a part of a group.
  const uint64_t num_versions = geometry.encoding == Encoding::kDense ? 101 : 100;
  const uint64_t enough = geometry.num_bytes() + num_versions * sizeof(uint64_t);
  const auto filter_within = [&](uint64_t memory_limit_bytes) {
    return CountingFilter::CreateWithGeometry(geometry, {}, memory_limit_bytes).value();
  };
  CountingFilter filter = filter_within(enough - 1);
  filter.Insert(Key(7));
  const Result<ConcurrentFilter> adopted = ConcurrentFilter::Adopt(std::move(filter));
  REQUIRE_FALSE(adopted.ok());
  CHECK(adopted.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(adopted.error().message, Catch::Matchers::ContainsSubstring("versions"));
  CHECK(filter.MayContain(Key(7)));
  CHECK_FALSE(filter.MayContain(Key(8)));
  filter.Insert(Key(8));
  CHECK(filter.Erase(Key(7)));
  CHECK(filter.num_keys() == 1);
  Result<ConcurrentFilter> within = ConcurrentFilter::Adopt(filter_within(enough));
  REQUIRE(within.ok());
  CHECK(within->Insert(Key(7)));
  const Status limited = within->LimitSideMemory(1'000'000);  // versions fill the memory limit
  REQUIRE_FALSE(limited.ok());
  CHECK(limited.error().code == ErrorCode::kOutOfMemory);

  const tests::ScratchFolder folder;
  REQUIRE(filter.Save(folder / "filter").ok());
  const Result<ConcurrentFilter> loaded = ConcurrentFilter::Load(folder / "filter", enough - 1);
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(loaded.error().message, Catch::Matchers::ContainsSubstring("filter: "));
  CHECK(ConcurrentFilter::Load(folder / "filter", enough).ok());
}

TEST_CASE("a query whose group changes at every attempt is answered maybe present, and counted",
          "[engine][concurrent][fingerprints][threads]") {
  // Three fingerprints: one that never moves, one that comes and goes, and one that is never in.
  ConcurrentFilter filter(EmptyServed(FingerprintsOf(EitherShape(), 1)));
  const Key staying = Key::Digest(0);
  const Key changing = Key::Digest(uint64_t{0xabcd} << 48);
  constexpr uint64_t kAbsent = uint64_t{0x1234} << 48;
  const Key absent = Key::Digest(kAbsent);
  filter.Insert(staying);
  std::atomic<bool> is_done{false};
  uint64_t num_maybe = 0;
  uint64_t num_missed = 0;
  tests::InThreads(2, [&](uint64_t t) {
    if (t == 0) {
      while (!is_done) {
        filter.Insert(changing);
        filter.Erase(changing);
      }
      return;
    }
    const std::vector<uint64_t> batch(9, kAbsent);
    std::vector<uint64_t> answers(1);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (uint64_t i = 0; num_maybe < 5; ++i) {
      num_missed += filter.MayContain(staying) ? 0 : 1;
      num_maybe += filter.MayContain(absent) ? 1 : 0;
      num_maybe += filter.Query(Keys::Digests(batch), answers);
      if (i % 1000 == 0 && std::chrono::steady_clock::now() > deadline) break;
    }
    is_done = true;
  });
  CHECK(num_missed == 0);
  CHECK(num_maybe >= 5);
  CHECK(filter.GetStats().num_interrupted_queries == num_maybe);
  CHECK_FALSE(filter.MayContain(absent));
  CHECK(filter.GetStats().num_interrupted_queries == num_maybe);
  filter.Clear();
  CHECK(filter.GetStats().num_interrupted_queries == 0);
}

TEST_CASE("a key that leaves a full block and returns with every update is never absent",
          "[engine][concurrent][fingerprints][threads]") {
  // The block is full: one key more moves others out of it, and one less moves them back.
  const Encoding encoding = EitherShape();
  ConcurrentFilter filter(EmptyServed(FingerprintsOf(encoding, 1)));
  std::vector<uint64_t> staying(IsWide(encoding) ? kernels::kWideSlots : 48);
  for (size_t i = 0; i < staying.size(); ++i) {
    staying[i] = (i * (IsWide(encoding) ? 2000 : 1300) + 1) << 48;
  }
  filter.Insert(Keys::Digests(staying));
  REQUIRE(filter.GetStats().num_promoted == 0);
  const Key one_more = Key::Digest(uint64_t{0xfff0} << 48);
  const Key last = Key::Digest(staying.back());  // of slots and of bins: moved each time
  // A busy machine may run the threads in turn: what counts is how many queries met an update, not
  // how long both ran.
  const uint64_t enough = tests::Scaled(50'000);
  std::atomic<uint64_t> num_updates{0};
  std::atomic<bool> is_over{false};
  uint64_t num_missed = 0;
  uint64_t num_overlaps = 0;
  uint64_t num_promoted = 0;
  uint64_t num_refused = 0;
  tests::InThreads(2, [&](uint64_t t) {
    if (t == 0) {
      for (uint64_t i = 0; !is_over; ++i) {
        filter.Insert(one_more);
        ++num_updates;
        if (i % 1000 == 50) num_promoted += filter.GetStats().num_promoted;
        num_refused += filter.Erase(one_more) ? 0 : 1;
        ++num_updates;
      }
      return;
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::vector<uint64_t> answers(BitmapWords(staying.size()));
    for (uint64_t i = 0; num_overlaps < enough; ++i) {
      const uint64_t before = num_updates;
      num_missed += filter.MayContain(last) ? 0 : 1;
      if (i % 50 == 0) {
        num_missed += staying.size() - filter.Query(Keys::Digests(staying), answers);
      }
      num_overlaps += num_updates != before ? 1 : 0;
      if (i % 1000 == 0 && std::chrono::steady_clock::now() > deadline) break;
    }
    is_over = true;
  });
  CHECK(num_missed == 0);
  CHECK(num_overlaps > 0);
  CHECK(num_refused == 0);
  CHECK(num_promoted > 0);
  // A dense block shows its bins again when a few slots are free.
  CHECK(filter.GetStats().num_promoted == (IsWide(encoding) ? 0 : 1));
  CHECK(filter.Erase(Keys::Digests(staying)).num_refused == 0);
  CHECK(filter.GetStats().num_promoted == 0);
}

}  // namespace
}  // namespace trommel
