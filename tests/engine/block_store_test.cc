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

// Empty if a store gives the reference's answers all the way and its bytes at the end.
std::string Disagreement(const Program& program) {
  tests::StoreSubject got(program);
  tests::ReferenceSubject want(program);
  std::string first = FirstDisagreement(program, got, want);
  for (size_t which = 0; which < 2 && first.empty(); ++which) {
    first = tests::StoreDifference(got.store(which), want.filter(which));
  }
  return first;
}

BlockStore MakeStore(uint64_t num_blocks, kernels::Shape shape) {
  const Geometry geometry = tests::GeometryOf(shape, num_blocks);
  Result<BlockStore> store = BlockStore::Create(geometry, 0);
  REQUIRE(store.ok());
  return *std::move(store);
}

TEST_CASE("random programs leave the reference's bytes on every target", "[engine][block_store]") {
  tests::ForEachRunnableTarget([] {
    for (uint64_t seed = 0; seed < 150; ++seed) {
      tests::CheckInvariant(tests::RandomProgram(Catch::rngSeed() * 1000 + seed), Disagreement);
    }
  });
}

TEST_CASE("a promoted block returns at a count of six and not at seven", "[engine][block_store]") {
  BlockStore store = MakeStore(2, 8);
  const auto hot = DrawnDigests(9, 1, Catch::rngSeed());
  store.Insert(hot);
  const uint64_t block_idx = kernels::BlockIndex(hot[0], 2);
  for (uint64_t left = 8; left + 1 > 0; --left) {
    std::array<uint64_t, BlockStore::kBitmapWords> erased{};
    store.Erase(std::span(hot).first(1), erased);
    REQUIRE(erased[0] == 1);
    REQUIRE(store.IsPromoted(block_idx) == (left >= 7));
    REQUIRE(store.CountEstimate(hot[0]) == left);
    if (left == 0) break;
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
      tests::CheckInvariant(program, Disagreement);
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
  tests::ForEachRunnableTarget([&] { tests::CheckInvariant(program, Disagreement); });
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

TEST_CASE("a failing program is shrunk to the steps and keys that fail", "[support][program]") {
  const Program program = tests::RandomProgram(Catch::rngSeed(), 60);
  const uint64_t culprit =
      program.steps[30].digests.empty() ? program.pool[0] : program.steps[30].digests[0];
  Program failing = program;
  failing.steps.push_back({tests::Op::kInsert, 0, {1, 2, culprit, 3}});
  const auto fails = [culprit](const Program& candidate) {
    for (const tests::Step& step : candidate.steps) {
      for (const uint64_t digest : step.digests) {
        if (digest == culprit && step.op == tests::Op::kInsert) return true;
      }
    }
    return false;
  };
  const Program least = tests::Shrunk(failing, fails);
  REQUIRE(least.steps.size() == 1);
  CHECK(least.steps[0].digests == std::vector<uint64_t>{culprit});
}

}  // namespace
}  // namespace trommel
