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
#include "trommel/sizing.h"

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

template <class Filter>
trommel_code CreateCounting(const trommel_counting_config* config, trommel_filter** filter,
                            trommel_error* error) {
  return Guarded(error, [&] {
    trommel_filter*& out = Required(filter, "filter");
    const CountingConfig made = ConfigOf(Read(config, "config"));
    Return(out, Filter::Create(made), made.executor, made.side_memory_limit_bytes != 0);
  });
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_counting_create(const trommel_counting_config* config, trommel_filter** filter,
                                     trommel_error* error) {
  return CreateCounting<CountingFilter>(config, filter, error);
}

trommel_code trommel_concurrent_create(const trommel_counting_config* config,
                                       trommel_filter** filter, trommel_error* error) {
  return CreateCounting<ConcurrentFilter>(config, filter, error);
}
