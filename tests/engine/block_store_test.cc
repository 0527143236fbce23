// Block stores against the reference: bytes, counters, promotion and return.
#include "engine/src/blocks/block_store.h"

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/plane_block.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/program.h"
#include "support/shapes.h"
#include "support/shrink.h"
#include "support/subject.h"
#include "support/targets.h"

namespace trommel {
namespace {

using tests::DrawnDigests;
using tests::Program;

BlockStore MakeStore(uint64_t num_blocks, kernels::Shape shape) {
  const Geometry geometry = tests::GeometryOf(shape, num_blocks);
  Result<BlockStore> store = BlockStore::Create(geometry, 0);
  REQUIRE(store.ok());
  return *std::move(store);
}

TEST_CASE("random programs leave the reference's bytes on every target", "[engine][block_store]") {
  tests::ForEachTargetAndSelect([] {
    for (uint64_t seed = 0; seed < 150; ++seed) {
      tests::CheckInvariant(tests::RandomProgram(Catch::rngSeed() * 1000 + seed),
                            tests::FirstDisagreement);
    }
  });
}

TEST_CASE("batches of all sizes into few blocks leave the reference's bytes on every target",
          "[engine][block_store]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const size_t size : tests::EdgeSizes()) {
    for (const uint64_t num_blocks : tests::EdgeBlocks()) {
      const std::vector<uint64_t> some = DrawnDigests(size, size / 3 + 1, Catch::rngSeed() + size);
      const std::vector<uint64_t> others = DrawnDigests(size, size + 1, Catch::rngSeed());
      Program program;
      program.num_blocks = num_blocks;
      program.shape = shape;
      program.pool = some;
      program.pool.insert(program.pool.end(), others.begin(), others.end());
      program.steps = {{tests::Op::kInsert, 0, some},
                       {tests::Op::kInsertIfAbsent, 0, program.pool},
                       {tests::Op::kErase, 0, others},
                       {tests::Op::kErase, 0, program.pool}};
      INFO(size << " keys, " << num_blocks << " blocks, " << shape);
      tests::ForEachRunnableTarget([&] { REQUIRE(tests::FirstDisagreement(program) == ""); });
    }
  }
}

TEST_CASE("a batch that drains a promoted block erases its later keys in the block itself",
          "[engine][block_store]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  tests::ForEachRunnableTarget([&] {
    BlockStore store = MakeStore(1, shape);
    const auto hot = DrawnDigests(tests::MostCopies(shape) + 4, 1, Catch::rngSeed());
    store.Insert(hot);
    REQUIRE(store.IsPromoted(0));
    std::array<uint64_t, BlockStore::kBitmapWords> erased{};
    store.Erase(std::vector<uint64_t>(hot.size() + 8, hot[0]), erased);
    for (size_t i = 0; i < hot.size() + 8; ++i) {
      REQUIRE((erased[i / 64] >> (i % 64) & 1) == (i < hot.size() ? 1 : 0));
    }
    CHECK(tests::StoreDifference(store, kernels::ReferenceFilter(1, shape)) == "");
  });
}

TEST_CASE("insert-if-absent keeps the order around a promotion in mid-batch",
          "[engine][block_store]") {
  // Full counters, then new keys and their duplicates in one batch: the first new key that hits a
  // full counter promotes the block, and later keys are spilled.
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  tests::ForEachRunnableTarget([&] {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Program program;
      program.num_blocks = 1;
      program.shape = shape;
      auto non_members = DrawnDigests(40, 30, seed);
      program.pool = non_members;
      program.steps.push_back(
          {tests::Op::kInsert, 0, std::vector<uint64_t>(tests::MostCopies(shape), non_members[0])});
      program.steps.push_back({tests::Op::kInsertIfAbsent, 0, tests::Repeated(non_members, 3)});
      tests::CheckInvariant(program, tests::FirstDisagreement);
    }
  });
}

TEST_CASE("the one full block that is promoted by definition continues to count",
          "[engine][block_store]") {
  const kernels::Shape shape(8);
  Program program;
  program.shape = shape;
  program.pool = tests::EveryPositionOnce();
  const auto full = tests::Repeated(program.pool, kernels::kMaxPlaneCount);
  program.steps = {{tests::Op::kInsert, 0, full},
                   {tests::Op::kInsert, 0, program.pool},
                   {tests::Op::kErase, 0, full},
                   {tests::Op::kInsertIfAbsent, 0, program.pool},
                   {tests::Op::kErase, 0, full}};
  tests::ForEachRunnableTarget([&] { tests::CheckInvariant(program, tests::FirstDisagreement); });
  // Halves of it that are merged, and that are folded.
  program.num_blocks = 2;
  auto half = tests::Repeated(program.pool, kernels::kMaxPlaneCount / 2);
  for (size_t i = 0, size = half.size(); i < size; ++i) half.push_back(half[i] | uint64_t{1} << 63);
  program.steps = {{tests::Op::kInsert, 0, half},
                   {tests::Op::kInsert, 1, half},
                   {tests::Op::kMerge, 0, {}},
                   {tests::Op::kSubtract, 0, {}},
                   {tests::Op::kFold, 0, {}}};
  tests::ForEachRunnableTarget([&] { tests::CheckInvariant(program, tests::FirstDisagreement); });
}

TEST_CASE("a store refuses a wrong geometry and more memory than its limit",
          "[engine][block_store]") {
  Geometry geometry;
  geometry.num_blocks = 100;
  geometry.num_slices = 9;
  CHECK(BlockStore::Create(geometry, 0).error().code == ErrorCode::kInvalidArgument);
  geometry.num_slices = 8;
  CHECK(BlockStore::Create(geometry, geometry.num_bytes()).ok());
  const Result<BlockStore> refused = BlockStore::Create(geometry, geometry.num_bytes() - 1);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace trommel
