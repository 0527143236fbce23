// Creating filters that hold keys.
#include <cstdint>
#include <memory>
#include <utility>

#include "engine/c/src/failures.h"
#include "engine/c/src/filter.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/structs.h"
#include "trommel/c.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"
#include "trommel/window_filter.h"

namespace trommel::c_abi {
namespace {

CountingConfig ConfigOf(const trommel_counting_config& given) {
  CountingConfig config;
  config.capacity = given.capacity;
  config.target_fpr = RateOf(given.target_fpr);
  config.digest = PolicyOf(given.digest);
  config.num_slices = given.num_slices;
  config.encoding = EncodingOf(given.encoding, Encoding::kRuns);
  config.preference = PreferenceOf(given.preference);
  config.power_of_two_blocks = given.power_of_two_blocks != 0;
  config.memory_limit_bytes = given.memory_limit_bytes;
  config.side_memory_limit_bytes = given.side_memory_limit_bytes;
  config.executor = ExecutorOf(given.executor);
  return config;
}

ScalableConfig ConfigOf(const trommel_scalable_config& given) {
  ScalableConfig config;
  config.first_capacity = given.first_capacity;
  config.target_fpr = RateOf(given.target_fpr);
  const uint32_t mode = EnumOf(given.mode, TROMMEL_GROWTH_DOUBLING + 1, "mode");
  if (mode == TROMMEL_GROWTH_GENERATIONS) config.mode = GrowthMode::kGenerations;
  if (mode == TROMMEL_GROWTH_DOUBLING) config.mode = GrowthMode::kDoubling;
  config.max_capacity = given.max_capacity;
  if (given.growth != 0) config.growth = given.growth;
  if (given.tightening != 0) config.tightening = given.tightening;
  config.digest = PolicyOf(given.digest);
  config.num_slices = given.num_slices;
  config.encoding = EncodingOf(given.encoding, Encoding::kAutomatic);
  config.memory_limit_bytes = given.memory_limit_bytes;
  config.side_memory_limit_bytes = given.side_memory_limit_bytes;
  config.executor = ExecutorOf(given.executor);
  return config;
}

WindowConfig ConfigOf(const trommel_window_config& given) {
  WindowConfig config;
  config.window = given.window;
  if (given.num_buckets != 0) config.num_buckets = given.num_buckets;
  config.capacity = given.capacity;
  config.target_fpr = RateOf(given.target_fpr);
  config.digest = PolicyOf(given.digest);
  config.is_erasable = given.is_insert_only == 0;
  config.memory_limit_bytes = given.memory_limit_bytes;
  config.side_memory_limit_bytes = given.side_memory_limit_bytes;
  config.executor = ExecutorOf(given.executor);
  return config;
}

template <class Filter, class Config>
trommel_code CreateFilter(const Config* config, trommel_filter** filter, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_filter*& out = Required(filter, "filter");
    const auto made = ConfigOf(Read(config, "config"));
    Return(out, Filter::Create(made), made.executor, made.side_memory_limit_bytes != 0);
  });
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_counting_create(const trommel_counting_config* config, trommel_filter** filter,
                                     trommel_error* error) {
  return CreateFilter<CountingFilter>(config, filter, error);
}

trommel_code trommel_concurrent_create(const trommel_counting_config* config,
                                       trommel_filter** filter, trommel_error* error) {
  return CreateFilter<ConcurrentFilter>(config, filter, error);
}

trommel_code trommel_scalable_create(const trommel_scalable_config* config, trommel_filter** filter,
                                     trommel_error* error) {
  return CreateFilter<ScalableFilter>(config, filter, error);
}

trommel_code trommel_window_create(const trommel_window_config* config, trommel_filter** filter,
                                   trommel_error* error) {
  return CreateFilter<WindowFilter>(config, filter, error);
}
