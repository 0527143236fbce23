// Several stores at once: the answers of the references, one by one.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/kernel_filter.h"
#include "support/shapes.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

using tests::DrawnDigests;
using tests::Guarded;
using tests::KernelFilter;

constexpr size_t kMostStores = 20;

// Stores of one shape with the same or other numbers of blocks, and what each of them holds.
struct StoreRow {
  StoreRow(Shape shape, bool is_equal) {
    for (size_t s = 0; s < kMostStores; ++s) {
      const uint64_t num_blocks = is_equal ? 7 : 1 + 5 * (s % 8) + s;
      references.emplace_back(num_blocks, shape);
      const auto members = DrawnDigests(3 * num_blocks, 40, Catch::rngSeed() + s);
      for (const uint64_t member : members) references.back().Insert(member);
      pool.insert(pool.end(), members.begin(), members.begin() + 3);  // the least there are
      filters.push_back(std::make_unique<KernelFilter>(references.back()));
      views.push_back(filters.back()->View());
    }
  }

  const BlockKernels& block_kernels() const { return filters.front()->block_kernels(); }

  std::vector<ReferenceFilter> references;
  std::vector<std::unique_ptr<KernelFilter>> filters;
  std::vector<Blocks> views;
  std::vector<uint64_t> pool;  // members of every store
};

// A third of the digests are members of some store.
std::vector<uint64_t> MixedDigests(const StoreRow& row, size_t size) {
  auto digests = DrawnDigests(size, size + 1, Catch::rngSeed() + 99);
  for (size_t i = 0; i < size; i += 3) digests[i] = row.pool[i * 7 % row.pool.size()];
  return digests;
}

uint8_t OldestByReference(const StoreRow& row, size_t num_stores, uint64_t digest) {
  size_t s = 0;
  while (s < num_stores && !row.references[s].MayContain(digest)) ++s;
  return static_cast<uint8_t>(s);
}

void CheckRow(const StoreRow& row, size_t size, size_t num_stores) {
  Guarded<uint64_t> digests(size, 0, size % 8);
  std::ranges::copy(MixedDigests(row, size), digests.data());
  std::vector<uint8_t> want_oldest(size);
  std::vector<uint64_t> want_bits((size + 63) / 64, 0);
  size_t want_present = 0;
  for (size_t i = 0; i < size; ++i) {
    want_oldest[i] = OldestByReference(row, num_stores, digests.data()[i]);
    const bool is_shown = want_oldest[i] != num_stores;
    want_bits[i / 64] |= uint64_t{is_shown} << (i % 64);
    want_present += is_shown;
  }
  tests::ForEachRunnableTarget([&] {
    Guarded<uint64_t> bits(want_bits.size(), ~uint64_t{0}, size % 8);
    REQUIRE(row.block_kernels().query_any(digests.data(), size, row.views.data(), num_stores,
                                          bits.data()) == want_present);
    REQUIRE(tests::FirstDifference(bits.Copy(), want_bits) == "");
    REQUIRE(bits.GuardsIntact());
    Guarded<uint8_t> oldest(size, 0xee, size % 5);
    row.block_kernels().find_oldest(digests.data(), size, row.views.data(), num_stores,
                                    oldest.data());
    REQUIRE(tests::FirstDifference(oldest.Copy(), want_oldest) == "");
    REQUIRE(oldest.GuardsIntact());
  });
}

TEST_CASE("many stores give the references' answers on every target", "[kernels][query]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const bool is_equal = GENERATE(false, true);
  const StoreRow row(shape, is_equal);
  // Nothing, a bitmap word, the fetch distances 16, 32 and 64, and a chunk.
  for (const size_t size : std::initializer_list<size_t>{0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64,
                                                         65, 1000, 1024, 1025}) {
    for (const size_t num_stores : std::initializer_list<size_t>{0, 1, 2, 3, 4, 5, 8, 9, 20}) {
      INFO(size << " keys, " << num_stores << " stores, " << shape);
      CheckRow(row, size, num_stores);
    }
  }
}

TEST_CASE("the first of 255 stores that shows a key is found on every target", "[kernels][query]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const uint64_t digest = DrawnDigests(1, 1, Catch::rngSeed())[0];
  KernelFilter empty(3, shape);
  KernelFilter full(3, shape);
  full.Insert(std::span(&digest, 1), 0, 1);
  const Blocks without = empty.View();
  for (const size_t first :
       std::initializer_list<size_t>{0, 1, 7, 8, 15, 127, 128, 253, 254, 255}) {
    std::vector<Blocks> stores(255, without);
    for (size_t s = first; s < stores.size(); s += 3) stores[s] = full.View();
    tests::ForEachRunnableTarget([&] {
      uint8_t oldest = 77;
      full.block_kernels().find_oldest(&digest, 1, stores.data(), stores.size(), &oldest);
      CHECK(oldest == first);
      uint64_t bits = 77;
      CHECK(full.block_kernels().query_any(&digest, 1, stores.data(), stores.size(), &bits) ==
            (first < 255));
      CHECK(bits == (first < 255));
    });
  }
}

}  // namespace
}  // namespace trommel::kernels
