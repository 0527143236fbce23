// What a ScalableFilter tells of itself: how it was made, how far it may grow, and its statistics.
#include <atomic>
#include <cstdint>

#include "engine/src/scalable/scalable_filter_impl.h"
#include "trommel/scalable_filter.h"

namespace trommel {

const DigestPolicy& ScalableFilter::digest_policy() const noexcept { return impl_->config.digest; }
uint64_t ScalableFilter::first_capacity() const noexcept { return impl_->config.first_capacity; }
double ScalableFilter::target_fpr() const noexcept { return impl_->config.target_fpr; }
uint64_t ScalableFilter::largest_capacity() const noexcept {
  return impl_->engine->largest_capacity();
}
uint64_t ScalableFilter::num_keys() const noexcept { return impl_->engine->num_keys(); }

ScalableStats ScalableFilter::GetStats() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  ScalableStats stats = impl_->engine->GetStats();
  stats.num_refused_erases = impl_->num_refused_erases.load(std::memory_order_relaxed);
  stats.num_refused_inserts = impl_->num_refused_inserts.load(std::memory_order_relaxed);
  return stats;
}

ScalableFill ScalableFilter::MeasureFill() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->MeasureFill();
}

uint64_t ScalableFilter::NextBytes() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->NextBytes();
}

GrowthForecast ScalableFilter::ForecastAt(uint64_t num_keys) const {
  return impl_->engine->ForecastAt(num_keys);
}

}  // namespace trommel
