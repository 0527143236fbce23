// Runs at their extremes: blocks with far too many keys, with one, on the edge, and on the way
// between. Snapshots say what a filter is, for they do not depend on how it came about.
#include <cstdint>
#include <vector>

#include "kernels/run_block.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/program.h"
#include "support/sample_filters.h"
#include "support/shapes.h"
#include "support/subject.h"
#include "support/targets.h"

namespace trommel {
namespace {

using kernels::RunCapacity;
using tests::DigestInBlock;

// Digests 0, 1 ... of one block of so many.
std::vector<uint64_t> DigestsInBlock(uint64_t block_idx, uint64_t num_blocks, uint32_t num_keys) {
  std::vector<uint64_t> digests(num_keys);
  for (uint32_t i = 0; i < num_keys; ++i) digests[i] = DigestInBlock(block_idx, num_blocks, i);
  return digests;
}

TEST_CASE("a block on the edge is promoted once, whatever comes and goes there", "[engine][runs]") {
  const auto shape = GENERATE(from_range(tests::RunShapes()));
  const bool is_hot = GENERATE(false, true);
  const uint32_t capacity = RunCapacity(shape.num_slices);
  for (const uint32_t around : {capacity - 1, capacity, capacity + 1}) {
    Result<BlockStore> store = BlockStore::Create(tests::GeometryOf(shape, 2), 0);
    REQUIRE(store.ok());
    const std::vector<uint64_t> staying =
        is_hot ? std::vector<uint64_t>(around, DigestInBlock(1, 2, 7))
               : DigestsInBlock(1, 2, around);
    store->Insert(staying);
    const std::vector<uint64_t> one = {DigestInBlock(1, 2, 99)};
    int num_promotions = store->IsPromoted(1) ? 1 : 0;
    for (int i = 0; i < 1000; ++i) {
      const bool was_promoted = store->IsPromoted(1);
      store->Insert(one);
      num_promotions += !was_promoted && store->IsPromoted(1) ? 1 : 0;
      uint64_t erased = 0;
      store->Erase(one, std::span(&erased, 1));
      REQUIRE(erased == 1);
    }
    CHECK(num_promotions == (around < capacity ? 0 : 1));
    CHECK(store->IsPromoted(1) == (around >= capacity));
    // It comes back two keys under the edge and not before.
    uint32_t num_keys = around;
    for (const uint64_t digest : staying) {
      uint64_t erased = 0;
      store->Erase(std::span(&digest, 1), std::span(&erased, 1));
      REQUIRE(erased == 1);
      --num_keys;
      REQUIRE(store->IsPromoted(1) == (around >= capacity && num_keys > capacity - 2));
    }
    CHECK(store->Tally() == kernels::Tally{});
    CHECK(store->side_table().num_bytes() == 0);
  }
}

TEST_CASE("a batch that runs over the edge and back ends as key by key", "[engine][runs]") {
  const auto shape = GENERATE(from_range(tests::RunShapes()));
  const uint32_t capacity = RunCapacity(shape.num_slices);
  tests::ForEachRunnableTarget([&] {
    for (const uint32_t size : {capacity - 1, capacity, capacity + 1, 63U, 64U, 65U, 200U}) {
      tests::Program program;
      program.num_blocks = 3;
      program.shape = shape;
      program.pool = DigestsInBlock(1, 3, size);
      program.steps = {{tests::Op::kInsert, 0, program.pool},
                       {tests::Op::kInsertIfAbsent, 0, tests::Repeated(program.pool, 2)},
                       {tests::Op::kErase, 0, tests::Repeated(program.pool, 2)},
                       {tests::Op::kInsertIfAbsent, 0, program.pool},
                       {tests::Op::kErase, 0, tests::Repeated(program.pool, 3)}};
      INFO(shape << ", " << size << " keys");
      CHECK(tests::FirstDisagreement(program) == "");
    }
  });
}

}  // namespace
}  // namespace trommel
