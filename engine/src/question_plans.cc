#include "engine/src/question_plans.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>
#include <utility>

namespace trommel {

QuestionPlans::QuestionPlans(const AttributeSets& sets, std::vector<double> target_fprs)
    : sets_(sets),
      target_fprs_(std::move(target_fprs)),
      plans_(new std::atomic<const Plan*>[size_t{sets.full()} + 1]()) {}

QuestionPlans::~QuestionPlans() {
  for (size_t asked = 0; asked <= sets_.full(); ++asked) delete plans_[asked].load();
}

std::span<const uint32_t> QuestionPlans::Of(AttributeMask asked) const {
  std::atomic<const Plan*>& place = plans_[asked];
  if (const Plan* plan = place.load(std::memory_order_acquire); plan != nullptr) return *plan;
  auto made = std::make_unique<Plan>();
  for (const AttributeMask part : sets_.PartsOf(asked)) {
    made->push_back(static_cast<uint32_t>(sets_.IndexOf(part)));
  }
  const auto rank = [this](uint32_t set_idx) {
    const AttributeMask set = sets_.allowed()[set_idx];
    return std::tuple(target_fprs_[set_idx], -std::popcount(set), set);
  };
  std::ranges::sort(*made, {}, rank);
  // Of threads that made one at the same time the first one's counts.
  const Plan* there = nullptr;
  if (!place.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel)) return *there;
  return *made.release();
}

}  // namespace trommel
