// Statistics that stores keep account of: after any operations they are what a pass counts.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "engine/src/fingerprints/dense_store.h"
#include "engine/src/fingerprints/make_store.h"
#include "engine/src/fingerprints/wide_store.h"
#include "kernels/dense_block.h"
#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/in_threads.h"
#include "support/shapes.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

std::vector<Geometry> FigureGeometries() {
  std::vector<Geometry> geometries;
  for (const kernels::Shape& shape : tests::AllShapes()) {
    geometries.push_back(tests::GeometryOf(shape, 256, 2));
  }
  for (const Encoding encoding : {Encoding::kFingerprints16, Encoding::kDense}) {
    geometries.push_back(tests::FingerprintsOf(encoding, 256, 2));
  }
  return geometries;
}

std::unique_ptr<Store> EmptyStore(const Geometry& geometry) {
  return MakeStore(geometry, 0).value();
}

// Of presence bits and slots of 16 bits by a pass over the side table; of dense blocks what their
// ranges say.
uint64_t SideTableBytes(const Store& store) {
  if (store.geometry().encoding == Encoding::kFingerprints16) {
    return static_cast<const WideStore&>(store).CountSideTableBytes();
  }
  if (store.geometry().encoding != Encoding::kDense) {
    return static_cast<const BlockStore&>(store).side_table().CountBytes();
  }
  uint64_t num_bytes = 0;
  for (size_t r = 0; r < store.num_owned_ranges(); ++r) {
    num_bytes += static_cast<const DenseStore&>(store).range(r).side_bytes();
  }
  return num_bytes;
}

// In 64ths of a block, from the layout: what may be a hidden key as far as the block tells.
uint64_t NumUndecided(const Store& store) {
  uint64_t num_undecided = 0;
  const uint64_t num_blocks = store.geometry().num_blocks;
  if (store.geometry().encoding == Encoding::kFingerprints16) {
    const uint32_t* block = static_cast<const WideStore&>(store).blocks().data();
    for (uint64_t b = 0; b < num_blocks; ++b, block += kernels::kFingerprintBlockWords) {
      const uint32_t last = kernels::WideSlot(block, kernels::kWideSlots - 1);
      num_undecided += last == kernels::kSpillMark ? 64 : 0;
    }
  }
  if (store.geometry().encoding != Encoding::kDense) return num_undecided;
  const auto& dense = static_cast<const DenseStore&>(store);
  const uint64_t of_range = store.blocks_per_owned_range();
  for (size_t r = 0; r < store.num_owned_ranges(); ++r) {
    uint64_t num_bins = 0;
    for (uint64_t b = r * of_range; b < (r + 1) * of_range; ++b) {
      const uint32_t* words = dense.blocks().data() + b * kernels::kFingerprintBlockWords;
      const kernels::DenseBlock block(dense.layout(), words);
      if (block.is_spilled()) num_bins += dense.layout().shape.bins - block.num_bins();
    }
    num_undecided += num_bins * 64 / dense.layout().shape.bins;
  }
  return num_undecided;
}

void CheckFigures(const Store& store) {
  kernels::Tally tally;
  for (size_t o = 0; o < store.num_owned_ranges(); ++o) tally += store.TallyOf(o);
  const StoreFigures figures = store.Figures();
  REQUIRE(figures.num_promoted == tally.num_promoted);
  REQUIRE(figures.side_table_bytes == SideTableBytes(store));
  REQUIRE(figures.num_undecided == NumUndecided(store));
}

// Digests of which some are hot, and a tenth belong to the first block.
class DigestPool {
 public:
  DigestPool(uint64_t seed, size_t size) : random_(seed), pool_(size) {
    for (size_t i = 0; i < size; ++i) pool_[i] = i % 10 == 3 ? random_() >> 40 : random_();
  }
  std::vector<uint64_t> Draw(size_t size) {
    std::vector<uint64_t> digests(size);
    for (uint64_t& digest : digests) digest = pool_[random_() % pool_.size()];
    if (random_() % 8 == 0) digests.assign(size, digests.front());
    return digests;
  }
  uint64_t Below(uint64_t end) { return random_() % end; }

 private:
  std::mt19937_64 random_;
  std::vector<uint64_t> pool_;
};

void Apply(Update update, std::span<const uint64_t> digests, Store& store) {
  std::vector<uint64_t> bits(BitmapWords(digests.size()));
  store.Apply(update, digests.data(), {0, digests.size()}, bits.data(), nullptr);
}

// Of 256 blocks. In dense filters each range but the first may begin with a part of a group.
uint64_t VersionBytes(const Geometry& geometry) {
  const bool has_parts = geometry.encoding == Encoding::kDense;
  return (4 + (has_parts ? (1U << geometry.shard_bits) - 1 : 0)) * sizeof(uint64_t);
}

TEST_CASE("running figures are what a pass counts, after any operation", "[engine][fingerprints]") {
  const Geometry geometry = GENERATE(from_range(FigureGeometries()));
  const bool is_limited = GENERATE(false, true);
  const bool serves_queries = GENERATE(false, true);
  if ((is_limited || serves_queries) && !HasFingerprints(geometry.encoding)) return;
  DigestPool pool(Catch::rngSeed(), 256 * 40);
  std::unique_ptr<Store> store = EmptyStore(geometry);
  if (serves_queries) {
    REQUIRE(store->ServeQueries(0).ok());
  }
  if (is_limited) {
    REQUIRE(store->LimitSideMemory(std::max(uint64_t{4} * 160, 2 * LeastSideBytes(geometry))).ok());
  }
  const std::unique_ptr<Store> other = EmptyStore(geometry);
  Apply(Update::kInsert, pool.Draw(256 * 15), *other);
  CheckFigures(*other);
  uint64_t most_promoted = 0;
  for (int step = 0; step < 400; ++step) {
    const bool is_growing = step / 50 % 2 == 0;
    const std::vector<uint64_t> digests = pool.Draw(1 + pool.Below(400));
    switch (pool.Below(12)) {
      case 0:
        Apply(Update::kInsertIfAbsent, digests, *store);
        break;
      case 1:
        for (const uint64_t digest : digests) store->UpdateOne(Update::kErase, digest);
        break;
      case 2:
        for (const uint64_t digest : digests) store->UpdateOne(Update::kInsert, digest);
        break;
      case 3:
        if (step % 3 == 0) (void)store->Merge(*other);
        break;
      case 4:
        if (store->Subtract(*other)) CheckFigures(*store);
        break;
      case 5:
        if (step % 4 == 0 && step < 300) store->Clear();
        break;
      default:
        Apply(is_growing ? Update::kInsert : Update::kErase, digests, *store);
        break;
    }
    CheckFigures(*store);
    most_promoted = std::max(most_promoted, store->Figures().num_promoted);
  }
  CHECK(most_promoted > 0);
  CHECK((store->Figures().num_refused_inserts > 0) == is_limited);
  if (serves_queries) CHECK(store->Figures().version_bytes == VersionBytes(geometry));
  if (is_limited) return;
  Apply(Update::kInsert, pool.Draw(256 * 30), *store);
  const std::unique_ptr<Store> half = store->HalfSize(0).value();
  CheckFigures(*half);
  CHECK(half->Figures().num_promoted > 0);
  if (HasFingerprints(geometry.encoding)) {
    const std::unique_ptr<Store> twice = half->DoubleSize(0).value();
    CheckFigures(*twice);
  }
}

}  // namespace
}  // namespace trommel
