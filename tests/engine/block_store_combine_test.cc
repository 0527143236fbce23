// Whole block stores: merge equals inserting both, subtract erasing, and fold building at half
// size.
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "kernels/reference.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"
#include "support/subject.h"
#include "support/targets.h"

namespace trommel {
namespace {

using kernels::ReferenceFilter;
using tests::DrawnDigests;
using tests::StoreDifference;

// A store and the reference with the same keys.
struct Pair {
  Pair(uint64_t num_blocks, kernels::Shape shape, const std::vector<uint64_t>& digests)
      : store(Make(num_blocks, shape)), reference(num_blocks, shape) {
    for (size_t i = 0; i < digests.size(); i += kernels::kMaxChunkKeys) {
      const size_t size = std::min(kernels::kMaxChunkKeys, digests.size() - i);
      store.Insert(std::span(digests).subspan(i, size));
    }
    for (const uint64_t digest : digests) reference.Insert(digest);
  }
  static BlockStore Make(uint64_t num_blocks, kernels::Shape shape) {
    const Geometry geometry = tests::GeometryOf(shape, num_blocks);
    Result<BlockStore> made = BlockStore::Create(geometry, 0);
    REQUIRE(made.ok());
    return *std::move(made);
  }

  BlockStore store;
  ReferenceFilter reference;
};

std::vector<uint64_t> Joined(std::vector<uint64_t> a, const std::vector<uint64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Few distinct keys: some blocks promoted in one store, some in both, some only in the sum. Planes
// overflow among them by chance; runs hold any 31 to 63 keys, so some keys are as many as promote a
// block for certain, and some two thirds of that.
std::vector<uint64_t> Crowd(uint64_t seed, kernels::Shape shape) {
  std::vector<uint64_t> digests = DrawnDigests(1500, 250, Catch::rngSeed() + seed);
  if (!shape.has_runs) return digests;
  const uint32_t most = tests::MostCopies(shape);
  for (const uint64_t hot : DrawnDigests(12, 100, Catch::rngSeed() + seed + 1000)) {
    digests.insert(digests.end(), digests.size() % 2 == 0 ? most + 1 : most * 2 / 3 | 1, hot);
  }
  return digests;
}

TEST_CASE("a subtraction refused at the last block has changed none before it",
          "[engine][block_store]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const std::vector<uint64_t> last = {~uint64_t{0}};
  tests::ForEachRunnableTarget([&] {
    Pair a(60, shape, Crowd(1, shape));
    // All of a's keys and one more, in the last block: only that block cannot.
    Pair more(60, shape, Joined(Crowd(1, shape), last));
    REQUIRE_FALSE(a.store.Subtract(more.store));
    CHECK(StoreDifference(a.store, a.reference) == "");
    // The same where that block is promoted on both sides.
    const std::vector<uint64_t> many(tests::MostCopies(shape) + 1, last[0]);
    Pair b(60, shape, Joined(Crowd(1, shape), many));
    Pair much_more(60, shape, Joined(Joined(Crowd(1, shape), many), last));
    REQUIRE_FALSE(b.store.Subtract(much_more.store));
    CHECK(StoreDifference(b.store, b.reference) == "");
  });
}

TEST_CASE("fold keeps to its memory limit", "[engine][block_store]") {
  const Pair whole(60, 8, Crowd(1, 8));
  const uint64_t half_bytes = whole.store.geometry().num_bytes() / 2;
  CHECK(whole.store.Folded(half_bytes).ok());
  CHECK_FALSE(whole.store.Folded(half_bytes - 1).ok());
}

TEST_CASE("written counters are read back, in the block or in the side table",
          "[engine][block_store]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const uint64_t largest = GENERATE(0, 1, 7, 8, 9, 255, 256, 65535, 65536, uint64_t{1} << 40);
  BlockStore store = Pair::Make(3, shape);
  std::vector<uint64_t> counters(store.num_counters());
  uint64_t num_keys = 0;
  for (size_t i = 0; i < counters.size(); ++i) {  // the same in every slice
    const size_t position = i % shape.positions();
    counters[i] = position % 5 == 0 ? largest : position % 6 == 0 ? 1 : 0;
    if (i < shape.positions()) num_keys += counters[i];
  }
  REQUIRE(store.WriteCounters(1, counters));
  CHECK(store.IsPromoted(1) == (shape.has_runs ? num_keys > kernels::RunCapacity(shape.num_slices)
                                               : largest > kernels::kMaxPlaneCount));
  CHECK_FALSE(store.IsPromoted(0));
  std::vector<uint64_t> read(counters.size(), 99);
  store.ReadCounters(1, read);
  CHECK(read == counters);
  for (size_t i = 0; i < counters.size(); ++i) {
    const bool is_present = (store.PresenceOf(1)[i / 32] >> (i % 32) & 1) != 0;
    REQUIRE(is_present == (counters[i] > 0));
  }
  REQUIRE(store.WriteCounters(1, std::vector<uint64_t>(counters.size(), 0)));
  CHECK(StoreDifference(store, ReferenceFilter(3, shape)) == "");
}

}  // namespace
}  // namespace trommel
