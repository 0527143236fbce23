// Calls with one key: what a batch of the same keys gives, far over the capacity of the blocks and
// back.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/sample_filters.h"
#include "support/shapes.h"
#include "support/targets.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

constexpr size_t kKeysOneByOne = 960;
using KeyBits = std::array<uint64_t, kKeysOneByOne / 64>;

TEST_CASE("a filter filled key by key has the bytes of one filled by a batch", "[engine][one]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const auto digests = tests::DrawnDigests(kKeysOneByOne, 150, Catch::rngSeed());
  const auto others = tests::DrawnDigests(kKeysOneByOne, 300, Catch::rngSeed() + 1);
  tests::ForEachRunnableTarget([&] {
    CountingFilter batch = tests::MakeFilter(tests::GeometryOf(shape, 6));
    CountingFilter single = tests::MakeFilter(tests::GeometryOf(shape, 6));
    const auto is_set = [](const KeyBits& bits, size_t i) {
      return (bits[i / 64] >> i % 64 & 1) != 0;
    };
    batch.Insert(Keys::Digests(digests));
    for (const uint64_t digest : digests) single.Insert(Key::Digest(digest));
    CHECK(single.GetStats().num_promoted > 0);
    REQUIRE((single.Serialize() == batch.Serialize()));

    KeyBits bits;
    batch.InsertIfAbsent(Keys::Digests(others), bits);
    for (size_t i = 0; i < kKeysOneByOne; ++i) {
      REQUIRE(single.InsertIfAbsent(Key::Digest(others[i])) == is_set(bits, i));
    }
    REQUIRE((single.Serialize() == batch.Serialize()));

    for (const auto* erased : {&digests, &others}) {
      batch.Erase(Keys::Digests(*erased), bits);
      for (size_t i = 0; i < kKeysOneByOne; ++i) {
        REQUIRE(single.Erase(Key::Digest((*erased)[i])) == is_set(bits, i));
      }
      REQUIRE((single.Serialize() == batch.Serialize()));
    }
    CHECK(single.num_keys() == batch.num_keys());
    CHECK(single.GetStats().num_refused_erases == batch.GetStats().num_refused_erases);
    CHECK(single.GetStats().num_promoted == batch.GetStats().num_promoted);
  });
}

TEST_CASE("an update of one key in a store is an update of a batch of one", "[engine][one]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  tests::ForEachRunnableTarget([&] {
    BlockStore batch = BlockStore::Create(tests::GeometryOf(shape, 3), 0).value();
    BlockStore single = BlockStore::Create(tests::GeometryOf(shape, 3), 0).value();
    uint64_t seed = Catch::rngSeed();
    for (const Update update :
         {Update::kInsertIfAbsent, Update::kInsertIfPresent, Update::kInsert,
          Update::kInsertIfPresent, Update::kErase, Update::kInsertIfAbsent, Update::kErase}) {
      for (const uint64_t digest : tests::DrawnDigests(400, 90, seed++)) {
        uint64_t bit = 0;
        batch.Apply(update, &digest, {0, 1}, &bit);
        const bool is_applied = single.UpdateOne(update, digest);
        REQUIRE(is_applied == (update == Update::kInsert || bit == 1));
        REQUIRE(single.CountEstimate(digest) == batch.CountEstimate(digest));
      }
      REQUIRE(single.Tally() == batch.Tally());
    }
  });
}

}  // namespace
}  // namespace trommel
