// What a ScalableFilter is made of: what it was made with, an engine, and a count of refusals.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_FILTER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "engine/src/scalable/growing_engine.h"
#include "engine/src/sync/exclusive_access_check.h"
#include "trommel/one_key.h"
#include "trommel/scalable_filter.h"

namespace trommel {

struct ScalableFilter::Impl {
  Impl(const ScalableConfig& made_with, std::unique_ptr<GrowingEngine> keeps_keys)
      : config(made_with), engine(std::move(keeps_keys)) {
    one.HashBy(config.digest);
  }

  GrowingEngine::Context context() const {
    return {.policy = config.digest, .executor = config.executor.get()};
  }

  InsertOutcome Count(const InsertOutcome& outcome) {
    num_refused_inserts.fetch_add(outcome.num_refused, std::memory_order_relaxed);
    return outcome;
  }
  EraseOutcome Count(Keys keys, uint64_t num_erased) {
    const EraseOutcome outcome{num_erased, keys.size() - num_erased};
    num_refused_erases.fetch_add(outcome.num_refused, std::memory_order_relaxed);
    return outcome;
  }

  OneKey one;
  ScalableConfig config;
  std::unique_ptr<GrowingEngine> engine;
  std::atomic<uint64_t> num_refused_erases{0};
  std::atomic<uint64_t> num_refused_inserts{0};
  ExclusiveAccessCheck access_check;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_FILTER_IMPL_H_
