// The scalable filter by its definition: key by key, on reference filters.
#ifndef TROMMEL_TESTS_SUPPORT_SCALABLE_REFERENCE_H_
#define TROMMEL_TESTS_SUPPORT_SCALABLE_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/src/scalable/growth_plan.h"
#include "kernels/reference.h"

namespace trommel::tests {

class ScalableReference {
 public:
  struct Generation {
    kernels::ReferenceFilter filter;
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
