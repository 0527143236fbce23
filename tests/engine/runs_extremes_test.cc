// Runs at their extremes: blocks with far too many keys, with one, on the edge, and on the way
// between. Snapshots say what a filter is, for they do not depend on how it came about.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kernels/run_block.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/program.h"
#include "support/sample_filters.h"
#include "support/shapes.h"
#include "support/subject.h"
#include "support/targets.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using kernels::RunCapacity;
using kernels::Shape;
using tests::DigestInBlock;

CountingFilter RunFilter(const Shape& shape, uint64_t num_blocks,
                         const std::vector<uint64_t>& digests = {}) {
  CountingFilter filter = tests::MakeFilter(tests::GeometryOf(shape, num_blocks));
  filter.Insert(Keys::Digests(digests));
  return filter;
}

// Digests 0, 1 ... of one block of so many.
std::vector<uint64_t> DigestsInBlock(uint64_t block_idx, uint64_t num_blocks, uint32_t num_keys) {
  std::vector<uint64_t> digests(num_keys);
  for (uint32_t i = 0; i < num_keys; ++i) digests[i] = DigestInBlock(block_idx, num_blocks, i);
  return digests;
}

TEST_CASE("a million copies of one key come and go and leave the bytes as before",
          "[engine][runs][long]") {
  const auto shape = GENERATE(from_range(tests::RunShapes()));
  constexpr uint64_t kMillion = 1'000'000;
  std::vector<uint64_t> others = tests::DrawnDigests(60, 60, Catch::rngSeed());
  const uint64_t hot = DigestInBlock(5, 8, 12345);
  CountingFilter filter = RunFilter(shape, 8, others);
  const std::vector<std::byte> before = filter.Serialize();
  const uint64_t count_before = filter.CountEstimate(Key::Digest(hot));
  const std::vector<uint64_t> copies(10'000, hot);
  for (uint64_t done = 0; done < kMillion; done += copies.size()) {
    filter.Insert(Keys::Digests(copies));
  }
  CHECK(filter.num_keys() == kMillion + others.size());
  CHECK(filter.CountEstimate(Key::Digest(hot)) == kMillion + count_before);
  CHECK(filter.GetStats().num_promoted >= 1);
  for (uint64_t done = 0; done < kMillion; done += copies.size()) {
    REQUIRE(filter.Erase(Keys::Digests(copies)).num_refused == 0);
    if (done % 250'000 == 0) {
      const auto read = CountingFilter::Deserialize(filter.Serialize());
      REQUIRE(read.ok());
      REQUIRE(read->num_keys() == filter.num_keys());
    }
  }
  CHECK((filter.Serialize() == before));
  filter.Erase(Keys::Digests(others));
  CHECK((filter.Serialize() == RunFilter(shape, 8).Serialize()));
  CHECK(filter.GetStats().side_table_bytes == 0);
}

TEST_CASE("all keys in one block, in and out in any order, are always the filter built directly",
          "[engine][runs]") {
  const auto shape = GENERATE(from_range(tests::RunShapes()));
  constexpr uint32_t kKeys = 5000;
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests = DigestsInBlock(3, 8, kKeys);
  std::ranges::shuffle(digests, random);
  CountingFilter filter = RunFilter(shape, 8);
  const auto check = [&](size_t begin, size_t end) {
    const std::vector<uint64_t> in(digests.begin() + static_cast<ptrdiff_t>(begin),
                                   digests.begin() + static_cast<ptrdiff_t>(end));
    const std::vector<std::byte> bytes = filter.Serialize();
    REQUIRE((bytes == RunFilter(shape, 8, in).Serialize()));
    REQUIRE(CountingFilter::Deserialize(bytes).ok());
  };
  // The snapshots are taken where something may change: around the edges, and now and then.
  const auto is_telling = [&](size_t num_keys) { return num_keys < 80 || num_keys % 500 == 0; };
  for (size_t i = 0; i < kKeys; ++i) {
    filter.Insert(Key::Digest(digests[i]));
    if (is_telling(i + 1)) check(0, i + 1);
  }
  std::ranges::shuffle(digests, random);
  for (size_t i = 0; i < kKeys; ++i) {
    REQUIRE(filter.Erase(Key::Digest(digests[i])));
    if (is_telling(kKeys - i - 1)) check(i + 1, kKeys);
  }
  CHECK((filter.Serialize() == RunFilter(shape, 8).Serialize()));
  CHECK(filter.GetStats().num_promoted == 0);
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
      tests::StoreSubject got(program);
      tests::ReferenceSubject want(program);
      INFO(shape << ", " << size << " keys");
      CHECK(FirstDisagreement(program, got, want) == "");
      CHECK(tests::StoreDifference(got.store(0), want.filter(0)) == "");
    }
  });
}

TEST_CASE("runs and planes of one shape show the same bits, answers, counts and statistics",
          "[engine][runs]") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    tests::Program program =
        tests::RandomProgram(Catch::rngSeed() * 1000 + seed, 25, tests::Shapes::kPlanes);
    program.shape = 8;
    tests::FilterSubject planes(program, tests::Split::kWhole);
    tests::StoreSubject plane_stores(program);
    RunProgram(program, plane_stores);
    program.shape = {8, true};
    tests::FilterSubject runs(program, tests::Split::kWhole);
    tests::StoreSubject run_stores(program);
    RunProgram(program, run_stores);
    INFO(tests::ToText(program));
    REQUIRE(FirstDisagreement(program, runs, planes) == "");
    for (size_t which = 0; which < 2; ++which) {
      const Stats of_runs = runs.filter(which).GetStats();
      const Stats of_planes = planes.filter(which).GetStats();
      CHECK(of_runs.num_keys == of_planes.num_keys);
      const BlockFill runs_fill = runs.filter(which).MeasureFill();
      const BlockFill planes_fill = planes.filter(which).MeasureFill();
      CHECK(runs_fill.fill_ratio == planes_fill.fill_ratio);
      CHECK(runs_fill.current_fpr == planes_fill.current_fpr);
      CHECK(of_runs.predicted_fpr == of_planes.predicted_fpr);
      CHECK(of_runs.num_refused_erases == of_planes.num_refused_erases);
      const BlockStore& a = run_stores.store(which);
      const BlockStore& b = plane_stores.store(which);
      CHECK(a.Tally().num_present == b.Tally().num_present);
      for (uint64_t block_idx = 0; block_idx < a.geometry().num_blocks; ++block_idx) {
        REQUIRE(std::equal(a.PresenceOf(block_idx), a.PresenceOf(block_idx) + 8,
                           b.PresenceOf(block_idx)));
      }
    }
  }
}

}  // namespace
}  // namespace trommel
