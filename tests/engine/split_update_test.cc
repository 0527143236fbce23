#include "engine/src/batches/split_update.h"

#include <cstdint>
#include <vector>

#include "engine/src/keys/radix_split.h"
#include "support/catch.h"
#include "support/shapes.h"
#include "support/ways.h"

namespace trommel {
namespace {

// That all ways agree is update_batch_test's law; here is what is special about the split.

TEST_CASE("a split keeps the order of a block's keys, so that an erase meets its insert",
          "[engine][split_update][threads]") {
  const uint32_t num_threads = GENERATE(0U, 2U);
  const auto shape = GENERATE(kernels::Shape(8), kernels::Shape(4, true), kernels::Shape(8, true));
  const Geometry geometry = tests::GeometryOf(shape, 64, /*shard_bits=*/4);
  tests::WayStore store({Route::kSplit, num_threads, false}, geometry);
  // One key many times, among others: the first is told new, and no other, in whatever chunk.
  constexpr uint64_t kHot = 0xabcdef0123456789;
  std::vector<uint64_t> digests(2 * kSplitChunk + 100);
  for (size_t i = 0; i < digests.size(); ++i) digests[i] = i % 3 == 1 ? kHot : uint64_t{i} << 20;
  std::vector<uint64_t> answers((digests.size() + 63) / 64);
  store.Apply(Update::kInsertIfAbsent, Keys::Digests(digests), answers);
  CHECK((answers[0] >> 1 & 1) == 1);
  for (size_t i = 4; i < digests.size(); i += 3) {
    if ((answers[i / 64] >> (i % 64) & 1) != 0) FAIL("key " << i << " was told new again");
  }
  // In once, asked for many times: the first erase gets it.
  std::vector<uint64_t> hot(1000, kHot);
  answers.assign((hot.size() + 63) / 64, 0);
  CHECK(store.Apply(Update::kErase, Keys::Digests(hot), answers) >= 1);
  CHECK((answers[0] & 1) == 1);
}

TEST_CASE("a split of no keys does nothing", "[engine][split_update]") {
  tests::WayStore store({Route::kSplit, 0, false}, {.shard_bits = 1, .num_blocks = 2});
  const UpdateTarget target{.store = store.store, .policy = store.policy};
  CHECK(UpdateSplit(target, Update::kInsert, Keys::Digests(std::vector<uint64_t>()), {}) == 0U);
  CHECK(store.store.Tally().num_present == 0);
}

}  // namespace
}  // namespace trommel
