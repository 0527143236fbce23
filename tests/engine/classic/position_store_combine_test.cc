// Whole position stores beside the reference.
#include <algorithm>
#include <vector>

#include "engine/src/classic/position_store.h"
#include "kernels/classic_reference.h"
#include "support/catch.h"
#include "support/classic_shapes.h"
#include "support/digests.h"
#include "support/words.h"

namespace trommel::classic {
namespace {

using kernels::ClassicReference;
using kernels::ClassicShape;

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
