// QueryPlans: which filters answer a query for some attributes, and in which order. Computed for
// the first such query, and kept, within bounds.
//
// The plan of an allowed set is the set itself: a table of them, as long as there are sets, is made
// beforehand. Those of other sets are kept in a cache until it is full; then a new cache begins.
// The old one is freed when no query can be reading it any more. So there are at most two, and
// where a third would be needed a plan is made for its query alone.
#ifndef TROMMEL_ENGINE_SRC_ATTRIBUTES_QUERY_PLANS_H_
#define TROMMEL_ENGINE_SRC_ATTRIBUTES_QUERY_PLANS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <vector>

#include "engine/src/tuples/per_set_cache.h"
#include "trommel/attribute_sets.h"
#include "trommel/sync/grace_periods.h"

namespace trommel {

class QueryPlans {
 public:
  using Plan = std::vector<uint32_t>;

  // Of one cache: together some megabytes.
  struct Bounds {
    size_t num_plans = size_t{1} << 14;
    size_t num_parts = size_t{1} << 20;  // of all its plans; more than those of one plan
  };

  // target_fprs[i] is the rate of the set sets.allowed()[i]. The sets and grace periods must
  // outlive the plans.
  QueryPlans(const AttributeSets& sets, std::vector<double> target_fprs,
             GracePeriods& grace_periods, const Bounds& bounds);
  QueryPlans(const AttributeSets& sets, std::vector<double> target_fprs,
             GracePeriods& grace_periods)
      : QueryPlans(sets, std::move(target_fprs), grace_periods, Bounds{}) {}

  // The parts of the set as indices of sets.allowed(), most selective first: the lowest rate, then
  // most attributes, then ascending; none if the system refuses the memory of a plan that is not
  // made yet: a query then answers "maybe present". `asked` must lie within sets.full(). Valid
  // while the reader is inside and `own` is there, to which a plan goes that is not kept. Any
  // thread, without a lock but where a plan is made.
  std::span<const uint32_t> Of(AttributeMask asked, const GracePeriods::Reader& inside,
                               Plan& own) const noexcept try {
    return Make(asked, inside, own);
  } catch (const std::bad_alloc&) {
    return {};
  }
  // The same; throws std::bad_alloc instead.
  std::span<const uint32_t> Make(AttributeMask asked, const GracePeriods::Reader& inside,
                                 Plan& own) const {
    if (const auto itself = AllowedPlan(asked); !itself.empty()) return itself;
    // As the list of GracePeriods' proof.
    const Cache* const cache = current_.load(std::memory_order_seq_cst);
    if (const Plan* plan = cache->plans.Find(asked)) return *plan;
    return MakeOrFind(asked, inside, own);
  }

  // Plans that are kept at the moment, but for those of allowed sets; of both caches.
  size_t num_kept() const;

 private:
  struct Cache {
    explicit Cache(uint32_t num_attributes) : plans(num_attributes) {}
    PerSetCache<Plan> plans;
    size_t num_plans = 0;
    size_t num_parts = 0;
  };

  static constexpr uint32_t kNoSet = UINT32_MAX;

  // The index of an allowed set, or nothing.
  std::span<const uint32_t> AllowedPlan(AttributeMask asked) const {
    for (size_t i = FirstSlotOf(asked, set_bits_);; i = (i + 1) & (set_slots_.size() - 1)) {
      if (set_slots_[i] == kNoSet) return {};
      if (sets_.allowed()[set_slots_[i]] == asked) return {&set_slots_[i], 1};
    }
  }
  Plan Made(AttributeMask asked) const;
  std::span<const uint32_t> MakeOrFind(AttributeMask asked, const GracePeriods::Reader& inside,
                                       Plan& own) const;
  bool HasSpaceFor(const Plan& plan) const;
  // Begins a new cache, unless two are there.
  void Replace() const;

  const AttributeSets& sets_;
  std::vector<double> target_fprs_;
  GracePeriods& grace_periods_;
  const Bounds bounds_;
  int set_bits_;
  std::vector<uint32_t> set_slots_;  // a hash table of sets_.allowed(); kNoSet: empty

  mutable std::mutex mutex_;  // of what follows
  mutable std::unique_ptr<Cache> cache_;
  mutable std::atomic<const Cache*> current_;
  mutable std::unique_ptr<Cache> retired_;
  mutable GracePeriods::Period retirement_;
};

// A plan that outlives its reader: of a batch, during which readers must not stay inside. It has no
// parts where QueryPlans::Of has none, and where the system refuses the memory of a copy.
class PlanOfBatch {
 public:
  PlanOfBatch(const QueryPlans& plans, AttributeMask asked, GracePeriods& grace_periods) noexcept;
  PlanOfBatch(const PlanOfBatch&) = delete;
  PlanOfBatch& operator=(const PlanOfBatch&) = delete;

  std::span<const uint32_t> parts() const { return parts_; }

 private:
  static constexpr size_t kFewParts = 32;
  std::array<uint32_t, kFewParts> few_;
  QueryPlans::Plan many_;
  std::span<const uint32_t> parts_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ATTRIBUTES_QUERY_PLANS_H_
