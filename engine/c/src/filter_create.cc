// Creating filters that hold keys.
#include <cstdint>
#include <memory>
#include <string>

#include "engine/c/src/failures.h"
#include "engine/c/src/filter.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/structs.h"
#include "trommel/c.h"
#include "trommel/sizing.h"

namespace trommel::c_abi {
namespace {

// Descriptions (AnyFilter::Create). What is 0, and has a default that is not, is left out.

Figures DescriptionOf(const trommel_counting_config& given) {
  return {{"capacity", given.capacity},
          {"target_fpr", RateOf(given.target_fpr)},
          {"num_slices", given.num_slices},
          {"encoding", std::string(EncodingName(EncodingOf(given.encoding, Encoding::kRuns)))},
          {"preference", std::string(PreferenceName(PreferenceOf(given.preference)))},
          {"power_of_two_blocks", given.power_of_two_blocks != 0},
          {"memory_limit_bytes", given.memory_limit_bytes},
          {"side_memory_limit_bytes", given.side_memory_limit_bytes}};
}

Figures DescriptionOf(const trommel_scalable_config& given) {
  return {{"first_capacity", given.first_capacity},
          {"target_fpr", RateOf(given.target_fpr)},
          {"max_capacity", given.max_capacity},
          {"memory_limit_bytes", given.memory_limit_bytes},
          {"side_memory_limit_bytes", given.side_memory_limit_bytes}};
}

Figures DescriptionOf(const trommel_window_config& given) {
  Figures description = {{"window", given.window},
                         {"capacity", given.capacity},
                         {"target_fpr", RateOf(given.target_fpr)},
                         {"is_erasable", given.is_insert_only == 0},
                         {"memory_limit_bytes", given.memory_limit_bytes},
                         {"side_memory_limit_bytes", given.side_memory_limit_bytes}};
  if (given.num_buckets != 0) description.emplace_back("num_buckets", given.num_buckets);
  return description;
}

template <class Config>
trommel_code CreateFilter(FilterType type, const Config* config, trommel_filter** filter,
                          trommel_error* error) {
  return Guarded(error, [&] {
    trommel_filter*& out = Required(filter, "filter");
    const Config given = Read(config, "config");
    const std::shared_ptr<Executor> executor = ExecutorOf(given.executor);
    Return(out, AnyFilter::Create(type, DescriptionOf(given), PolicyOf(given.digest), executor),
           executor);
  });
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_counting_create(const trommel_counting_config* config, trommel_filter** filter,
                                     trommel_error* error) {
  return CreateFilter(FilterType::kCounting, config, filter, error);
}

trommel_code trommel_concurrent_create(const trommel_counting_config* config,
                                       trommel_filter** filter, trommel_error* error) {
  return CreateFilter(FilterType::kConcurrent, config, filter, error);
}

trommel_code trommel_scalable_create(const trommel_scalable_config* config, trommel_filter** filter,
                                     trommel_error* error) {
  return CreateFilter(FilterType::kScalable, config, filter, error);
}

trommel_code trommel_window_create(const trommel_window_config* config, trommel_filter** filter,
                                   trommel_error* error) {
  return CreateFilter(FilterType::kWindow, config, filter, error);
}
