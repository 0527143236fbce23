// What a WindowFilter is made of.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_WINDOW_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_WINDOW_WINDOW_FILTER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/src/sync/exclusive_access_check.h"
#include "engine/src/window/window_engine.h"
#include "trommel/window_filter.h"

namespace trommel {

struct WindowFilter::Impl {
  WindowInsertOutcome InsertNoting(Keys keys, std::optional<uint64_t> time,
                                   std::span<uint64_t> inserted, uint64_t& inserted_at);
  WindowEraseOutcome Erase(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased);
  WindowEraseOutcome EraseAll(Keys keys, std::span<const uint64_t> inserted_at,
                              std::span<uint64_t> missing);

  std::unique_ptr<WindowEngine> engine;
  std::atomic<uint64_t> num_refused_erases{0};
  std::atomic<uint64_t> num_expired_erases{0};
  std::atomic<uint64_t> num_refused_inserts{0};
  ExclusiveAccessCheck access_check;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_WINDOW_FILTER_IMPL_H_
