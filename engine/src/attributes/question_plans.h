// QuestionPlans: which filters answer a question, and in which order; worked out when it is asked
// for the first time, and kept.
#ifndef TROMMEL_ENGINE_SRC_ATTRIBUTES_QUESTION_PLANS_H_
#define TROMMEL_ENGINE_SRC_ATTRIBUTES_QUESTION_PLANS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/tuples/per_set_cache.h"
#include "trommel/attribute_sets.h"

namespace trommel {

class QuestionPlans {
 public:
  // target_fprs[i] is the rate of the set sets.allowed()[i]. The sets must outlive the plans.
  QuestionPlans(const AttributeSets& sets, std::vector<double> target_fprs);

  // The parts of the set as indices of sets.allowed(), most selective first: the lowest rate, then
  // most attributes, then ascending. `asked` must lie within sets.full(). Any thread, without a
  // lock but for the first time.
  std::span<const uint32_t> Of(AttributeMask asked) const;

 private:
  using Plan = std::vector<uint32_t>;

  const AttributeSets& sets_;
  std::vector<double> target_fprs_;
  PerSetCache<Plan> plans_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ATTRIBUTES_QUESTION_PLANS_H_
