#include "support/scalable_reference.h"

#include <algorithm>
#include <optional>

#include "engine/src/sizing/geometry_checks.h"
#include "support/shapes.h"

namespace trommel::tests {

namespace {

std::variant<kernels::ReferenceFilter, kernels::FingerprintReference> ReferenceOf(
    const Geometry& geometry) {
  if (!HasFingerprints(geometry.encoding)) {
    return kernels::ReferenceFilter(geometry.num_blocks, ShapeOf(geometry));
  }
  std::optional<kernels::DenseShape> dense;
  if (geometry.encoding == Encoding::kDense) dense = DenseLayoutOf(geometry).shape;
  return kernels::FingerprintReference(dense, geometry.num_blocks, geometry.fingerprint_bits);
}

}  // namespace

ReferenceOfGeneration::ReferenceOfGeneration(const Geometry& geometry)
    : store_(ReferenceOf(geometry)) {}

ScalableReference::ScalableReference(GrowthPlan plan) : plan_(std::move(plan)) {
  generations_.push_back(Made(0));
}

ScalableReference::Generation ScalableReference::Made(size_t slot) const {
  return {.filter = ReferenceOfGeneration(plan_.slot(slot).geometry), .slot = slot};
}

size_t ScalableReference::FreeSlot() const {
  size_t slot = 0;
  while (std::ranges::any_of(generations_, [&](const Generation& g) { return g.slot == slot; })) {
    ++slot;
  }
  return slot;
}

ScalableReference::Generation* ScalableReference::OldestThatShows(uint64_t digest) {
  for (Generation& generation : generations_) {
    if (generation.filter.MayContain(digest)) return &generation;
  }
  return nullptr;
}

bool ScalableReference::Grow() {
  const size_t slot = FreeSlot();
  if (slot >= plan_.num_slots()) return false;
  generations_.push_back(Made(slot));
  return true;
}

bool ScalableReference::Insert(uint64_t digest) {
  if (Generation* oldest = OldestThatShows(digest)) {
    oldest->filter.Insert(digest);
    ++oldest->num_keys;
    return true;
  }
  return InsertIfAbsent(digest) == IfAbsent::kInserted;
}

ScalableReference::IfAbsent ScalableReference::InsertIfAbsent(uint64_t digest) {
  if (OldestThatShows(digest) != nullptr) return IfAbsent::kPresent;
  const Generation& last = generations_.back();
  const bool is_full = last.load >= plan_.slot(last.slot).capacity;
  if (is_full && !Grow()) return IfAbsent::kRefused;
  Generation& newest = generations_.back();
  newest.filter.Insert(digest);
  ++newest.num_keys;
  ++newest.load;
  return IfAbsent::kInserted;
}

bool ScalableReference::Erase(uint64_t digest) {
  Generation* oldest = OldestThatShows(digest);
  if (oldest == nullptr) return false;
  oldest->filter.Erase(digest);
  --oldest->num_keys;
  oldest->load = std::min(oldest->load, oldest->num_keys);
  if (oldest->num_keys == 0) DropEmpty();
  return true;
}

void ScalableReference::DropEmpty() {
  const Generation newest = generations_.back();
  std::erase_if(generations_, [](const Generation& g) { return g.num_keys == 0; });
  // The one that takes keys stays, in the lowest slot there is.
  if (newest.num_keys == 0) generations_.push_back(Made(FreeSlot()));
}

bool ScalableReference::MayContain(uint64_t digest) const {
  return std::ranges::any_of(generations_,
                             [digest](const Generation& g) { return g.filter.MayContain(digest); });
}

uint64_t ScalableReference::CountEstimate(uint64_t digest) const {
  for (const Generation& generation : generations_) {
    if (const uint64_t count = generation.filter.CountEstimate(digest)) return count;
  }
  return 0;
}

}  // namespace trommel::tests
