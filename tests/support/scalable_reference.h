// The scalable filter by its definition: key by key, on reference filters.
#ifndef TROMMEL_TESTS_SUPPORT_SCALABLE_REFERENCE_H_
#define TROMMEL_TESTS_SUPPORT_SCALABLE_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "engine/src/scalable/growth_plan.h"
#include "kernels/fingerprint_reference.h"
#include "kernels/reference.h"
#include "trommel/sizing.h"

namespace trommel::tests {

// One generation, by the definition of its encoding.
class ReferenceOfGeneration {
 public:
  explicit ReferenceOfGeneration(const Geometry& geometry);

  void Insert(uint64_t digest) {
    std::visit([digest](auto& store) { store.Insert(digest); }, store_);
  }
  void Erase(uint64_t digest) {
    std::visit([digest](auto& store) { store.Erase(digest); }, store_);
  }
  bool MayContain(uint64_t digest) const {
    return std::visit([digest](const auto& store) { return store.MayContain(digest); }, store_);
  }
  uint64_t CountEstimate(uint64_t digest) const {
    return std::visit([digest](const auto& store) { return store.CountEstimate(digest); }, store_);
  }

 private:
  std::variant<kernels::ReferenceFilter, kernels::FingerprintReference> store_;
};

class ScalableReference {
 public:
  struct Generation {
    ReferenceOfGeneration filter;
    size_t slot;
    uint64_t num_keys = 0;  // insertions less erasures
    uint64_t load = 0;      // keys that it did not show when they came, at most num_keys
  };

  explicit ScalableReference(GrowthPlan plan);

  bool Insert(uint64_t digest);  // false: refused
  // kRefused: absent, and no room.
  enum class IfAbsent { kInserted, kPresent, kRefused };
  IfAbsent InsertIfAbsent(uint64_t digest);
  bool Erase(uint64_t digest);
  bool MayContain(uint64_t digest) const;
  uint64_t CountEstimate(uint64_t digest) const;

  const std::vector<Generation>& generations() const { return generations_; }

 private:
  Generation* OldestThatShows(uint64_t digest);
  Generation Made(size_t slot) const;
  size_t FreeSlot() const;
  bool Grow();
  void DropEmpty();

  GrowthPlan plan_;
  std::vector<Generation> generations_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SCALABLE_REFERENCE_H_
