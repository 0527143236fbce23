// Plans of queries: made, kept and replaced.
#include "engine/src/attributes/query_plans.h"

#include <algorithm>
#include <bit>
#include <new>
#include <tuple>
#include <utility>

namespace trommel {

QueryPlans::QueryPlans(const AttributeSets& sets, std::vector<double> target_fprs,
                       GracePeriods& grace_periods, const Bounds& bounds)
    : sets_(sets),
      target_fprs_(std::move(target_fprs)),
      grace_periods_(grace_periods),
      bounds_(bounds),
      // At least half of the slots are empty.
      set_bits_(static_cast<int>(std::bit_width(sets.allowed().size())) + 1),
      set_slots_(size_t{1} << set_bits_, kNoSet),
      cache_(std::make_unique<Cache>(sets.num_attributes())),
      current_(cache_.get()) {
  for (uint32_t s = 0; s < sets.allowed().size(); ++s) {
    size_t i = FirstSlotOf(sets.allowed()[s], set_bits_);
    while (set_slots_[i] != kNoSet) i = (i + 1) & (set_slots_.size() - 1);
    set_slots_[i] = s;
  }
}

QueryPlans::Plan QueryPlans::Made(AttributeMask asked) const {
  Plan made;
  for (const AttributeMask part : sets_.PartsOf(asked)) {
    made.push_back(static_cast<uint32_t>(sets_.IndexOf(part)));
  }
  std::ranges::sort(made, {}, [this](uint32_t set_idx) {
    const AttributeMask set = sets_.allowed()[set_idx];
    return std::tuple(target_fprs_[set_idx], -std::popcount(set), set);
  });
  return made;
}

bool QueryPlans::HasSpaceFor(const Plan& plan) const {
  return cache_->num_plans < bounds_.num_plans &&
         cache_->num_parts + plan.size() <= bounds_.num_parts;
}

void QueryPlans::Replace() const {
  if (retired_ != nullptr) return;
  auto empty = std::make_unique<Cache>(sets_.num_attributes());
  current_.store(empty.get(), std::memory_order_seq_cst);
  retired_ = std::exchange(cache_, std::move(empty));
  retirement_ = {};
}

std::span<const uint32_t> QueryPlans::MakeOrFind(
    AttributeMask asked, [[maybe_unused]] const GracePeriods::Reader& inside, Plan& own) const {
  const std::lock_guard lock(mutex_);
  if (retired_ != nullptr && grace_periods_.Poll(retirement_)) retired_ = nullptr;
  if (const Plan* plan = cache_->plans.Find(asked)) return *plan;  // meanwhile
  own = Made(asked);
  try {
    if (!HasSpaceFor(own)) Replace();
    if (!HasSpaceFor(own)) return own;
    const Plan& kept = cache_->plans.For(asked, [&own] { return own; });
    ++cache_->num_plans;
    cache_->num_parts += kept.size();
    return kept;
  } catch (const std::bad_alloc&) {
    return own;  // it is there, and cannot be kept
  }
}

size_t QueryPlans::num_kept() const {
  const std::lock_guard lock(mutex_);
  return cache_->num_plans + (retired_ == nullptr ? 0 : retired_->num_plans);
}

PlanOfBatch::PlanOfBatch(const QueryPlans& plans, AttributeMask asked,
                         GracePeriods& grace_periods) noexcept {
  const GracePeriods::Reader inside = grace_periods.Enter();
  const std::span<const uint32_t> parts = plans.Of(asked, inside, many_);
  if (parts.data() == many_.data() && !parts.empty()) {
    parts_ = parts;
  } else if (parts.size() <= kFewParts) {
    std::ranges::copy(parts, few_.begin());
    parts_ = std::span(few_).first(parts.size());
  } else {
    try {
      many_.assign(parts.begin(), parts.end());
      parts_ = many_;
    } catch (const std::bad_alloc&) {
      parts_ = {};
    }
  }
}

}  // namespace trommel
