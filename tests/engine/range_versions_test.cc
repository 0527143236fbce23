// Reads that count only if no range was changed meanwhile, and the stores that rely on them.
#include "engine/src/sync/range_versions.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "engine/src/growing/growing_store.h"
#include "engine/src/growing/shard_contents.h"
#include "engine/src/window/stamped_store.h"
#include "support/catch.h"

namespace trommel {
namespace {

// Calls ReadAtOnce until it reads, or a pause would be over. Returns whether a read counted.
bool ReadsAfterPauses(const RangeVersions& versions) {
  for (uint32_t i = 0; i < RangeVersions::kPauses; ++i) {
    if (versions.ReadAtOnce([] { FAIL("read within a pause"); })) return false;
  }
  return versions.ReadAtOnce([] {});
}

// Whether an update of a store is seen by a query that it overlaps.
template <class Store, class Apply>
bool IsSeen(const Store& store, const Apply& apply) {
  const uint64_t before = store.versions().num_updates();
  apply();
  return store.versions().num_updates() > before;
}

}  // namespace

TEST_CASE("what is read while no range is changed counts", "[engine][range_versions]") {
  RangeVersions versions(6);
  for (int i = 0; i < 3; ++i) {
    int num_reads = 0;
    CHECK(versions.ReadAtOnce([&] { num_reads += 1; }));
    CHECK(num_reads == 1);
    { const RangeVersions::Update update(versions, 17); }
  }
  CHECK(versions.num_updates() == 3);
}

TEST_CASE("nothing is read while a range is being changed, nor for some calls after that",
          "[engine][range_versions]") {
  RangeVersions versions(6);
  {
    const RangeVersions::Update update(versions, 63);
    CHECK_FALSE(versions.ReadAtOnce([] { FAIL("read beside an update"); }));
  }
  CHECK(ReadsAfterPauses(versions));
}

TEST_CASE("what is read while a range changes does not count", "[engine][range_versions]") {
  RangeVersions versions(0);
  int num_reads = 0;
  CHECK_FALSE(versions.ReadAtOnce([&] {
    num_reads += 1;
    const RangeVersions::Update update(versions, 0);
  }));
  CHECK(num_reads == 1);
  CHECK(ReadsAfterPauses(versions));
  // An update that has not ended when the read does.
  alignas(RangeVersions::Update) std::array<std::byte, sizeof(RangeVersions::Update)> memory;
  RangeVersions::Update* update = nullptr;
  CHECK_FALSE(versions.ReadAtOnce(
      [&] { update = new (memory.data()) RangeVersions::Update(versions, 0); }));
  std::destroy_at(update);
  CHECK(ReadsAfterPauses(versions));
}

TEST_CASE("every change of a growing store is seen by queries that it overlaps",
          "[engine][range_versions][growing]") {
  const auto store = GrowingStore::Create({}).value();
  const auto other = GrowingStore::Create({}).value();
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(3'000);
  for (uint64_t& digest : digests) digest = random() >> 6;  // one shard, which gets blocks
  std::vector<uint64_t> answers(digests.size() / 64 + 1);
  const kernels::DigestRange all{0, digests.size()};
  for (const Update update : {Update::kInsert, Update::kInsertIfAbsent, Update::kErase}) {
    CHECK(IsSeen(*store,
                 [&] { store->Apply(update, digests.data(), all, answers.data(), nullptr); }));
    CHECK(IsSeen(*store, [&] { store->UpdateOne(update, digests[0]); }));
  }
  other->Apply(Update::kInsert, digests.data(), all, nullptr, nullptr);
  CHECK(IsSeen(*store, [&] { store->Clear(); }));
  const ShardContents contents = other->ReadShard(0);
  CHECK(IsSeen(*store, [&] { REQUIRE(store->WriteShard(0, contents).ok()); }));
}

TEST_CASE("every change of a stamped store is seen by queries that it overlaps",
          "[engine][range_versions][stamped]") {
  const Geometry geometry{.num_slices = 0,
                          .encoding = Encoding::kFingerprints16,
                          .shard_bits = 6,
                          .num_blocks = 64 * 64,
                          .fingerprint_bits = kernels::kStampedBits16};
  StampedStore store = StampedStore::Create(geometry, true, 0).value();
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(100);
  for (uint64_t& digest : digests) digest = random() >> 6;
  std::vector<uint64_t> answers(2);
  const kernels::DigestRange all{0, digests.size()};
  const StampedSpan span{.bucket = 3};
  for (const Update update : {Update::kInsert, Update::kInsertIfAbsent, Update::kErase}) {
    CHECK(IsSeen(store, [&] { store.Apply(update, span, digests.data(), all, answers.data()); }));
    CHECK(IsSeen(store, [&] { store.UpdateOne(update, span, digests[0]); }));
  }
  CHECK(IsSeen(store, [&] { store.SweepOneGroup(0, 2); }));
}

}  // namespace trommel
