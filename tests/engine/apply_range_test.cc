#include "engine/src/batches/apply_range.h"

#include <cstdint>
#include <vector>

#include "engine/src/keys/radix_split.h"
#include "support/catch.h"
#include "support/ways.h"

namespace trommel {
namespace {

using tests::WayStore;

TEST_CASE("a run is applied under its lock, and its keys are counted there",
          "[engine][apply_range]") {
  WayStore store({Route::kDirect, 0, true}, {.shard_bits = 2, .num_blocks = 16});
  REQUIRE(store.locks->lock_bits() == 2);
  const UpdateTarget target{
      .store = store.store, .policy = store.policy, .locks = store.locks.get()};
  // Keys 1 and 2 of four, in the third quarter of the blocks.
  const std::vector<uint64_t> digests = {0, uint64_t{2} << 62 | 5, uint64_t{2} << 62 | 77, 0};
  uint64_t bits = 0;
  const size_t range = RangeOf(digests[1], 2);
  CHECK(range == 2);
  CHECK(ApplyRange(target, Update::kInsert, digests.data(), {1, 3}, range, 2, {}) == 2);
  CHECK(store.locks->Hold(2, 2).num_keys() == 2);
  CHECK(store.locks->num_keys() == 2);
  CHECK(ApplyRange(target, Update::kErase, digests.data(), {1, 3}, range, 2, std::span(&bits, 1)) ==
        2);
  CHECK(bits == 6);
  bits = 1;  // another run's answer in the same word is not counted, and stays
  CHECK(ApplyRange(target, Update::kErase, digests.data(), {1, 3}, range, 2, std::span(&bits, 1)) ==
        0);
  CHECK(bits == 1);
  CHECK(store.locks->num_keys() == 0);
}

}  // namespace
}  // namespace trommel
