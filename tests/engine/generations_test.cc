// The list of generations: room, growth, and what is dropped.
#include "engine/src/scalable/generations.h"

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "support/catch.h"

namespace trommel::tests {
namespace {

// First capacity 100, then 200, 400 ...
std::unique_ptr<Generations> MadeGenerations(uint64_t limit_bytes = 0, uint64_t max_capacity = 0) {
  Result<GrowthPlan> plan = GrowthPlan::Make({.first_capacity = 100,
                                              .target_fpr = 0.01,
                                              .mode = GrowthMode::kGenerations,
                                              .max_capacity = max_capacity,
                                              .encoding = Encoding::kRuns});
  REQUIRE(plan.ok());
  Result<std::unique_ptr<Generations>> made = Generations::Create(*std::move(plan), limit_bytes);
  REQUIRE(made.ok());
  return *std::move(made);
}

std::vector<size_t> Slots(const Generations& generations) {
  std::vector<size_t> slots;
  const auto list = generations.Read();
  for (const auto& member : list->members()) slots.push_back(member->slot);
  return slots;
}

// The newest generation, full, and a new one begun.
GrowthRefusal FillAndGrow(Generations& generations) {
  Generation& newest = generations.Read()->newest();
  const uint64_t num_keys = newest.capacity - newest.load();
  newest.AddKeys(num_keys);
  newest.Settle(0, num_keys);
  return generations.Grow(&newest);
}

const Generation* Newest(const Generations& generations) { return &generations.Read()->newest(); }

}  // namespace

TEST_CASE("room is given up to the capacity, and settled by what came", "[engine][generations]") {
  const auto generations = MadeGenerations();
  Generation& newest = generations->Read()->newest();
  REQUIRE(newest.capacity == 100);
  CHECK(newest.Reserve(0) == 0);
  CHECK(newest.Reserve(70) == 70);
  CHECK(newest.Reserve(70) == 30);  // what another call has reserved is taken
  CHECK(newest.Reserve(1) == 0);
  CHECK(newest.Room() == 0);
  newest.AddKeys(75);
  newest.Settle(70, 20);  // fifty of them were duplicates
  newest.Settle(30, 5);
  CHECK(newest.load() == 25);
  CHECK(newest.Room() == 75);
  CHECK(newest.Reserve(1000) == 75);
  newest.Settle(75, 0);
}

TEST_CASE("the load is never more than the keys that are in", "[engine][generations]") {
  const auto generations = MadeGenerations();
  Generation& newest = generations->Read()->newest();
  newest.AddKeys(100);
  newest.Settle(0, 60);
  CHECK(newest.TakeKeys(30) == 70);
  CHECK(newest.load() == 60);
  CHECK(newest.TakeKeys(50) == 20);
  CHECK(newest.load() == 20);
  newest.AddKeys(50);  // duplicates weigh nothing,
  newest.Settle(0, 0);
  CHECK(newest.load() == 20);
  CHECK(newest.TakeKeys(70) == 0);
  CHECK(newest.load() == 0);
  // What has gone before it was settled weighs nothing, either.
  newest.AddKeys(30);
  CHECK(newest.TakeKeys(30) == 0);
  newest.Settle(0, 30);
  CHECK(newest.load() == 0);
}

TEST_CASE("growth takes the lowest free slot, once", "[engine][generations]") {
  const auto generations = MadeGenerations();
  const Generation* first = Newest(*generations);
  CHECK(generations->Grow(first) == GrowthRefusal::kNone);  // it has room
  CHECK(Slots(*generations) == std::vector<size_t>{0});
  CHECK(FillAndGrow(*generations) == GrowthRefusal::kNone);
  CHECK(generations->Grow(first) == GrowthRefusal::kNone);  // it has grown already
  CHECK(Slots(*generations) == std::vector<size_t>{0, 1});
  CHECK(FillAndGrow(*generations) == GrowthRefusal::kNone);
  CHECK(Slots(*generations) == std::vector<size_t>{0, 1, 2});
}

TEST_CASE("growth ends with the plan and with the memory", "[engine][generations]") {
  const auto few = MadeGenerations(0, 300);
  CHECK(FillAndGrow(*few) == GrowthRefusal::kNone);
  CHECK(FillAndGrow(*few) == GrowthRefusal::kLargestCapacity);
  CHECK(Slots(*few) == std::vector<size_t>{0, 1});
  const uint64_t first_bytes = few->plan().slot(0).geometry.num_bytes();
  const auto small = MadeGenerations(first_bytes + 10);
  CHECK(FillAndGrow(*small) == GrowthRefusal::kMemoryLimit);
  CHECK(Slots(*small) == std::vector<size_t>{0});
}

TEST_CASE("growth over the limit is refused without the exclusive lock", "[engine][generations]") {
  // The second generation would fit, but not beside the first one.
  const GrowthPlan plan = MadeGenerations()->plan();
  const uint64_t first_bytes = plan.slot(0).geometry.num_bytes();
  const auto small = MadeGenerations(plan.slot(1).geometry.num_bytes() + first_bytes / 2);
  std::future<GrowthRefusal> grown;
  {
    const auto view = small->LockShared();
    grown = std::async(std::launch::async, [&] { return FillAndGrow(*small); });
    CHECK(grown.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
  }
  CHECK(grown.get() == GrowthRefusal::kMemoryLimit);
  CHECK(Slots(*small) == std::vector<size_t>{0});
}

TEST_CASE("clearing uses the first generation again", "[engine][generations]") {
  const auto generations = MadeGenerations();
  const Generation* first = Newest(*generations);
  for (const uint64_t digest : {1, 2, 3}) generations->Read()->newest().store().InsertOne(digest);
  REQUIRE(FillAndGrow(*generations) == GrowthRefusal::kNone);
  REQUIRE(generations->Clear().ok());
  CHECK(Slots(*generations) == std::vector<size_t>{0});
  CHECK(Newest(*generations) == first);
  CHECK(first->num_keys() == 0);
  CHECK(first->load() == 0);
  CHECK(first->Room() == 100);
  CHECK(LeastLoad(first->store()) == 0);
  // Without one of its slot it is made anew.
  REQUIRE(FillAndGrow(*generations) == GrowthRefusal::kNone);
  Generation& oldest = generations->Read()->at(0);
  oldest.TakeKeys(oldest.num_keys());
  generations->Read()->newest().AddKeys(1);
  generations->DropEmpty();
  REQUIRE(Slots(*generations) == std::vector<size_t>{1});
  REQUIRE(generations->Clear().ok());
  CHECK(Slots(*generations) == std::vector<size_t>{0});
  CHECK(Newest(*generations)->num_keys() == 0);
}

TEST_CASE("an empty generation is dropped, and its slot is free again", "[engine][generations]") {
  const auto generations = MadeGenerations();
  for (int i = 0; i < 3; ++i) FillAndGrow(*generations);
  const auto empty = [&](size_t idx) {
    Generation& generation = generations->Read()->at(idx);
    generation.TakeKeys(generation.num_keys());
  };
  REQUIRE(Slots(*generations) == std::vector<size_t>{0, 1, 2, 3});
  // The newest is empty, but no lower slot is free.
  generations->DropEmpty();
  CHECK(Slots(*generations) == std::vector<size_t>{0, 1, 2, 3});
  // Now one is: the empty newest makes way for one of that slot.
  empty(1);
  generations->DropEmpty();
  CHECK(Slots(*generations) == std::vector<size_t>{0, 2, 1});
  // A newest one with keys stays, whatever is free.
  generations->Read()->newest().AddKeys(1);
  empty(0);
  generations->DropEmpty();
  CHECK(Slots(*generations) == std::vector<size_t>{2, 1});
  // Empty of all: as new.
  empty(0);
  empty(1);
  generations->DropEmpty();
  CHECK(Slots(*generations) == std::vector<size_t>{0});
}

TEST_CASE("a list stays readable while it is replaced", "[engine][generations]") {
  const auto generations = MadeGenerations();
  {
    const auto view = generations->LockShared();
    CHECK(view->size() == 1);
  }
  CHECK(generations->LockList()->size() == 1);
  FillAndGrow(*generations);
  CHECK(generations->Read()->closed_stores().size() == 1);
  CHECK(generations->Read()->stores().size() == 2);
  REQUIRE(generations->Clear().ok());
  CHECK(generations->Read()->newest().num_keys() == 0);
}

}  // namespace trommel::tests
