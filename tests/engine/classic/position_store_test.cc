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
    // Few distinct digests: they are inserted again and again, and counters stick.
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
  // counts at least, so it was never inserted.
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

// A store and its reference with the same random keys.
struct Twins {
  Twins(const ClassicShape& shape, size_t num_keys, uint64_t seed)
      : store(std::move(PositionStore::Create(tests::GeometryOf(shape), 0)).value()),
        reference(shape) {
    Insert(tests::DrawnDigests(num_keys, num_keys / 2 + 1, seed));
  }
  void Insert(const std::vector<uint64_t>& digests) {
    store.Insert(digests);
    for (const uint64_t digest : digests) reference.Insert(digest);
  }

  PositionStore store;
  ClassicReference reference;
};

void CheckTwins(const PositionStore& store, const ClassicReference& reference) {
  CHECK(tests::FirstDifference(tests::BytesOfSpan(store.bytes()), reference.Bytes()) == "");
  CHECK(store.num_lost() == reference.num_lost());
  for (size_t s = 0; s < store.geometry().num_slices(); ++s) {
    CHECK(store.num_present(s) == reference.num_present(s));
  }
}

TEST_CASE("merged classic stores are the reference's, stuck counters and all",
          "[engine][classic]") {
  const ClassicShape shape = GENERATE(from_range(tests::ClassicShapes()));
  INFO(shape);
  Twins a(shape, shape.num_positions, Catch::rngSeed());
  const Twins b(shape, shape.num_positions * 2, Catch::rngSeed() + 1);
  a.store.Merge(b.store);
  a.reference.Merge(b.reference);
  CheckTwins(a.store, a.reference);
  a.store.Merge(a.store);  // itself: doubled
  const ClassicReference copy = a.reference;
  a.reference.Merge(copy);
  CheckTwins(a.store, a.reference);
}

TEST_CASE("subtracted classic stores are the reference's, or both refuse", "[engine][classic]") {
  const ClassicShape shape = GENERATE(from_range(tests::ClassicShapes()));
  INFO(shape);
  const Twins b(shape, shape.num_positions / 2 + 1, Catch::rngSeed() + 1);
  Twins a(shape, shape.num_positions / 2 + 1, Catch::rngSeed());
  a.store.Merge(b.store);
  a.reference.Merge(b.reference);
  REQUIRE(a.store.CanSubtract(b.store));  // a stuck counter of a has enough for all of b's
  a.store.Subtract(b.store);
  REQUIRE(a.reference.Subtract(b.reference));
  CHECK(tests::FirstDifference(tests::BytesOfSpan(a.store.bytes()), a.reference.Bytes()) == "");

  const Twins other(shape, shape.num_positions / 2 + 1, Catch::rngSeed() + 2);
  ClassicReference trial = a.reference;
  CHECK(a.store.CanSubtract(other.store) == trial.Subtract(other.reference));
}

TEST_CASE("a folded classic store is the reference's, and the one built at half size",
          "[engine][classic]") {
  ClassicShape shape = GENERATE(from_range(tests::ClassicShapes()));
  shape.num_positions *= 2;
  INFO(shape);
  const Twins whole(shape, shape.num_positions / 8 + 1, Catch::rngSeed());
  const PositionStore folded = std::move(whole.store.Folded(0)).value();
  CheckTwins(folded, whole.reference.Folded());
  ClassicShape half = shape;
  half.num_positions /= 2;
  const Twins built(half, shape.num_positions / 8 + 1, Catch::rngSeed());
  // Counters of one bit stick at once: but whole and half stick at the same places there, too, as
  // they do wherever nothing is ever erased.
  CHECK(std::ranges::equal(folded.bytes(), built.store.bytes()));
  CHECK(folded.num_lost() == built.store.num_lost());
}

TEST_CASE("the first slices of a store are the store built with so many", "[engine][classic]") {
  const Twins whole({true, true, 10, 4, 333}, 200, Catch::rngSeed());
  const PositionStore kept = std::move(whole.store.FirstSlices(4, 0)).value();
  const Twins built({true, true, 4, 4, 333}, 200, Catch::rngSeed());
  CHECK(std::ranges::equal(kept.bytes(), built.store.bytes()));
  CHECK(kept.geometry() == built.store.geometry());
  CHECK(kept.FillProduct(4) == built.store.FillProduct(4));
  CHECK(kept.FillProduct(4) == whole.store.FillProduct(4));
}

TEST_CASE("a histogram counts every position once", "[engine][classic]") {
  const ClassicShape shape = GENERATE(from_range(tests::ClassicShapes()));
  INFO(shape);
  const Twins twins(shape, shape.num_positions, Catch::rngSeed());
  for (size_t s = 0; s < twins.store.geometry().num_slices(); ++s) {
    const std::vector<uint64_t> histogram = twins.store.Histogram(s);
    const auto& counters = twins.reference.counters()[s];
    for (uint64_t c = 0; c < histogram.size(); ++c) {
      REQUIRE(histogram[c] == static_cast<uint64_t>(std::ranges::count(counters, c)));
    }
  }
}

TEST_CASE("a cleared classic store is a new one", "[engine][classic]") {
  Twins twins({true, false, 10, 2, 50}, 500, Catch::rngSeed());
  REQUIRE(twins.store.num_lost() > 0);
  twins.store.Clear();
  CheckTwins(twins.store, ClassicReference(twins.reference.shape()));
}

}  // namespace
}  // namespace trommel::classic
