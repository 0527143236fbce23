// Random programs of batches: the reference's bytes and answers, on every target.
#include "engine/src/classic/position_store.h"

#include <algorithm>
#include <random>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "kernels/classic_reference.h"
#include "support/catch.h"
#include "support/classic_shapes.h"
#include "support/digests.h"
#include "support/exact_model.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::classic {
namespace {

using kernels::ClassicReference;
using kernels::ClassicShape;

PositionStore NewStore(const ClassicShape& shape) {
  return std::move(PositionStore::Create(tests::GeometryOf(shape), 0)).value();
}

// Same bytes, and what the store counts along with them.
void CheckSame(const PositionStore& store, const ClassicReference& reference) {
  REQUIRE(tests::FirstDifference(tests::BytesOfSpan(store.bytes()), reference.Bytes()) == "");
  REQUIRE(store.num_lost() == reference.num_lost());
  for (size_t s = 0; s < store.geometry().num_slices(); ++s) {
    REQUIRE(store.num_present(s) == reference.num_present(s));
  }
}

// What one batch of the kind of step does to both, answer for answer.
void Step(int kind, const std::vector<uint64_t>& digests, Executor* executor, PositionStore& store,
          ClassicReference& reference) {
  std::vector<uint64_t> bitmap((digests.size() + 63) / 64, ~uint64_t{0});
  uint64_t num_set = 0;
  if (kind == 0) {
    store.Insert(digests, executor);
    for (const uint64_t digest : digests) reference.Insert(digest);
    return;
  }
  num_set = kind == 1 ? store.InsertIfAbsent(digests, bitmap.data())
                      : store.Erase(digests, bitmap.data());
  uint64_t num_want = 0;
  for (size_t i = 0; i < digests.size(); ++i) {
    const bool want =
        kind == 1 ? reference.InsertIfAbsent(digests[i]) : reference.Erase(digests[i]);
    REQUIRE(tests::BitAt(bitmap, i) == want);
    num_want += want ? 1 : 0;
  }
  REQUIRE(num_set == num_want);
  if (digests.size() % 64 != 0) REQUIRE(bitmap.back() >> digests.size() % 64 == 0);
}

void CheckAnswers(const std::vector<uint64_t>& pool, const PositionStore& store,
                  const ClassicReference& reference) {
  std::vector<uint64_t> bitmap((pool.size() + 63) / 64);
  std::vector<uint64_t> counts(pool.size());
  store.Query(pool, store.geometry().num_hashes, bitmap.data());
  store.CountEstimates(pool, counts);
  for (size_t i = 0; i < pool.size(); ++i) {
    REQUIRE(tests::BitAt(bitmap, i) == reference.MayContain(pool[i]));
    REQUIRE(store.MayContain(pool[i]) == reference.MayContain(pool[i]));
    REQUIRE(counts[i] == reference.CountEstimate(pool[i]));
  }
}

TEST_CASE("random programs on classic stores leave the reference's bytes on every target",
          "[engine][classic]") {
  const ClassicShape shape = GENERATE(from_range(tests::ClassicShapes()));
  INFO(shape);
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed());
    PositionStore store = NewStore(shape);
    ClassicReference reference(shape);
    // Few distinct digests: they come in again and again, and counters stick.
    const auto pool = tests::DrawnDigests(50, 40, Catch::rngSeed());
    for (int step = 0; step < 12; ++step) {
      std::vector<uint64_t> digests(random() % 150);
      for (uint64_t& digest : digests) digest = pool[random() % pool.size()];
      Step(static_cast<int>(random() % 3), digests, nullptr, store, reference);
      CheckSame(store, reference);
    }
    CheckAnswers(pool, store, reference);
  });
}

TEST_CASE("long batches leave the reference's bytes on every target", "[engine][classic]") {
  const ClassicShape shape =
      GENERATE(ClassicShape{true, false, 10, 4, 1500}, ClassicShape{false, true, 7, 4, 9999});
  const auto digests = tests::DrawnDigests(2500, 2000, Catch::rngSeed());
  ClassicReference reference(shape);
  for (const uint64_t digest : digests) reference.Insert(digest);
  ClassicReference erased = reference;
  for (const uint64_t digest : digests) REQUIRE(erased.Erase(digest));
  tests::ForEachRunnableTarget([&] {
    PositionStore store = NewStore(shape);
    store.Insert(digests);
    CheckSame(store, reference);
    std::vector<uint64_t> bitmap((digests.size() + 63) / 64);
    CHECK(store.Erase(digests, bitmap.data()) == digests.size());
    CheckSame(store, erased);  // empty, but for counters that stuck
  });
}

TEST_CASE("slices updated by tasks of their own leave the same bytes",
          "[engine][classic][threads]") {
  const ClassicShape shape =
      GENERATE(ClassicShape{true, false, 10, 4, 700}, ClassicShape{true, true, 64, 2, 5},
               ClassicShape{false, false, 7, 4, 999});
  const auto executor = std::move(Executor::Create(4)).value();
  const auto digests = tests::DrawnDigests(5000, 500, Catch::rngSeed());
  PositionStore spread = NewStore(shape);
  PositionStore alone = NewStore(shape);
  spread.Insert(digests, executor.get());
  alone.Insert(digests);
  CHECK(std::ranges::equal(spread.bytes(), alone.bytes()));
  CHECK(spread.num_lost() == alone.num_lost());
  CHECK(spread.num_lost() > 0);  // counters of 4 bits, each hit 5000 / 700 times and more
  for (size_t s = 0; s < spread.geometry().num_slices(); ++s) {
    CHECK(spread.num_present(s) == alone.num_present(s));
  }
}

TEST_CASE("a key that two hashes lead to one counter counts there twice", "[engine][classic]") {
  // One position: all seven hashes fall on it.
  const ClassicShape shape{false, false, 7, 4, 1};
  PositionStore store = NewStore(shape);
  const uint64_t digest = 42;
  store.Insert(std::span(&digest, 1));
  CHECK(store.Histogram(0)[7] == 1);
  uint64_t erased = 0;
  CHECK(store.Erase(std::span(&digest, 1), &erased) == 1);
  CHECK(store.Histogram(0)[0] == 1);

  // Two positions, a key on both and one twice on the first: of the second key there would be two
  // counts at least, so it never came in.
  const ClassicShape two{false, false, 2, 4, 2};
  PositionStore pair = NewStore(two);
  const uint64_t both = 0x80000000'00000000ULL | 0x80000001U;  // second half, then first
  const uint64_t first = 1;                                    // first half twice
  pair.Insert(std::span(&both, 1));
  REQUIRE(pair.MayContain(first));
  CHECK(pair.Erase(std::span(&first, 1), &erased) == 0);
  CHECK(pair.Histogram(0)[1] == 2);  // what was taken was put back
  CHECK(pair.num_present(0) == 2);
}

TEST_CASE("a store over its memory limit is refused", "[engine][classic]") {
  const ArrayGeometry geometry{.num_hashes = 10, .num_positions = 1'000'000};
  const Result<PositionStore> store = PositionStore::Create(geometry, 1000);
  REQUIRE_FALSE(store.ok());
  CHECK(store.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(store.error().message, Catch::Matchers::ContainsSubstring(
                                        "needs 5,000,320 bytes, more than the limit of 1,000"));
}

}  // namespace
}  // namespace trommel::classic
