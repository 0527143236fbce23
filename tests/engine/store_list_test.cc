// Lists of stores: the same answers as those of the stores one by one.
#include "engine/src/blocks/store_list.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "engine/src/fingerprints/make_store.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/digests.h"
#include "support/shapes.h"

namespace trommel {
namespace {

// Stores of doubling sizes with keys of their own.
std::vector<BlockStore> Generations(const kernels::Shape& shape, size_t num_stores) {
  std::vector<BlockStore> stores;
  for (size_t s = 0; s < num_stores; ++s) {
    const uint64_t num_blocks = 3 + (uint64_t{1} << s % 9);
    stores.push_back(*BlockStore::Create(tests::GeometryOf(shape, num_blocks), 0));
    stores.back().Insert(tests::DrawnDigests(8 * num_blocks, 8 * num_blocks, s));
  }
  return stores;
}

std::vector<const Store*> ListOf(const std::vector<BlockStore>& stores) {
  std::vector<const Store*> list;
  for (const BlockStore& store : stores) list.push_back(&store);
  return list;
}

TEST_CASE("a list of stores answers what its stores answer one by one", "[engine][query]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const size_t num_stores = GENERATE(size_t{0}, 1, 2, 8, 20);
  const auto stores = Generations(shape, num_stores);
  auto digests = tests::DrawnDigests(5000, 5000, Catch::rngSeed());
  for (size_t s = 0; s < num_stores; ++s) {
    const uint64_t num_blocks = stores[s].geometry().num_blocks;
    const auto members = tests::DrawnDigests(8 * num_blocks, 8 * num_blocks, s);
    for (size_t i = s; i < digests.size(); i += 50) digests[i] = members[i % members.size()];
  }
  std::vector<uint64_t> bits((digests.size() + 63) / 64, ~uint64_t{0});
  std::vector<uint8_t> oldest(digests.size(), 0xee);
  const size_t num_present = QueryAny(ListOf(stores), digests, bits.data());
  FindOldest(ListOf(stores), digests, oldest.data());

  std::vector<uint64_t> want_bits(bits.size(), 0);
  std::vector<uint8_t> want_oldest(digests.size());
  size_t want_present = 0;
  for (size_t i = 0; i < digests.size(); ++i) {
    size_t s = 0;
    while (s < num_stores && !stores[s].MayContain(digests[i])) ++s;
    want_oldest[i] = static_cast<uint8_t>(s);
    want_bits[i / 64] |= uint64_t{s < num_stores} << (i % 64);
    want_present += s < num_stores;
  }
  CHECK(num_present == want_present);
  CHECK(num_present >= num_stores * 100);  // the members
  CHECK(bits == want_bits);
  CHECK(oldest == want_oldest);
}

TEST_CASE("a list of slices and fingerprints answers what its stores answer one by one",
          "[engine][query]") {
  const std::vector<Encoding> order = {Encoding::kRuns,  Encoding::kRuns,
                                       Encoding::kDense, Encoding::kFingerprints16,
                                       Encoding::kDense, Encoding::kPlanes};
  constexpr size_t kKeys = 900;
  std::vector<std::unique_ptr<Store>> stores;
  std::vector<const Store*> list;
  std::vector<uint64_t> digests = tests::DrawnDigests(5000, 5000, Catch::rngSeed());
  for (size_t s = 0; s < order.size(); ++s) {
    const Geometry geometry =
        SizeFor({.capacity = kKeys, .target_fpr = 0.01, .encoding = order[s]})->geometry;
    stores.push_back(*MakeStore(geometry, 0));
    const auto members = tests::DrawnDigests(kKeys, kKeys, s);
    for (const uint64_t digest : members) stores[s]->InsertOne(digest);
    for (size_t i = s; i < digests.size(); i += 50) digests[i] = members[i % members.size()];
    list.push_back(stores[s].get());
  }
  std::vector<uint64_t> bits((digests.size() + 63) / 64, ~uint64_t{0});
  std::vector<uint8_t> oldest(digests.size(), 0xee);
  const size_t num_present = QueryAny(list, digests, bits.data());
  FindOldest(list, digests, oldest.data());
  size_t want_present = 0;
  for (size_t i = 0; i < digests.size(); ++i) {
    size_t s = 0;
    while (s < list.size() && !list[s]->MayContain(digests[i])) ++s;
    want_present += s < list.size();
    REQUIRE(oldest[i] == s);
    REQUIRE((bits[i / 64] >> (i % 64) & 1) == (s < list.size()));
  }
  CHECK(num_present == want_present);
  CHECK(num_present >= order.size() * 100);  // the members
}

TEST_CASE("a list takes 255 stores", "[engine][query]") {
  const auto store = BlockStore::Create(tests::GeometryOf({5, true}, 1), 0);
  BlockStore last = *BlockStore::Create(tests::GeometryOf({5, true}, 4), 0);
  const uint64_t digest = tests::DrawnDigests(1, 1, Catch::rngSeed())[0];
  last.Insert(std::span(&digest, 1));
  std::vector<const Store*> list(254, &*store);
  list.push_back(&last);
  uint8_t oldest = 0;
  FindOldest(list, std::span(&digest, 1), &oldest);
  CHECK(oldest == 254);
}

TEST_CASE("more stores than a list takes are misuse", "[engine][query]") {
  const auto runs = BlockStore::Create(tests::GeometryOf({8, true}, 4), 0);
  const uint64_t digest = 1;
  uint8_t oldest = 0;
  uint64_t bits = 0;
  const std::vector<const Store*> list(256, &*runs);
  const auto too_many =
      tests::AbortMessage([&] { FindOldest(list, std::span(&digest, 1), &oldest); });
  CHECK_THAT(too_many, Catch::Contains("more than 255 stores"));
  const auto too_many_queried =
      tests::AbortMessage([&] { QueryAny(list, std::span(&digest, 1), &bits); });
  CHECK_THAT(too_many_queried, Catch::Contains("more than 255 stores"));
}

}  // namespace
}  // namespace trommel
