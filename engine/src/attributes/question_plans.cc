#include "engine/src/attributes/question_plans.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>
#include <utility>

namespace trommel {

QuestionPlans::QuestionPlans(const AttributeSets& sets, std::vector<double> target_fprs)
    : sets_(sets), target_fprs_(std::move(target_fprs)), plans_(sets.num_attributes()) {}

std::span<const uint32_t> QuestionPlans::Of(AttributeMask asked) const {
  return plans_.For(asked, [&] {
    Plan made;
    for (const AttributeMask part : sets_.PartsOf(asked)) {
      made.push_back(static_cast<uint32_t>(sets_.IndexOf(part)));
    }
    std::ranges::sort(made, {}, [this](uint32_t set_idx) {
      const AttributeMask set = sets_.allowed()[set_idx];
      return std::tuple(target_fprs_[set_idx], -std::popcount(set), set);
    });
    return made;
  });
}

}  // namespace trommel
